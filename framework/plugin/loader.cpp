#include "framework/plugin/loader.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/plugin/plugin.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/log.hpp"

namespace halocline {
namespace {

[[noreturn]] void refuse(std::filesystem::path const& file, std::string const& why) {
  throw InputError("`" + file.string() + "`: " + why);
}

// dlopen names the file first; the message already does.
std::string reason_of_dlopen(std::filesystem::path const& file) {
  char const* text = dlerror();
  std::string message = text == nullptr ? "unknown reason" : text;
  std::string const prefix = std::filesystem::absolute(file).string() + ": ";
  return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
}

/// Why a plugin does not load. Libraries of Halocline carry its version in their names: those of another are not found.
std::string loading_error(std::filesystem::path const& file) {
  std::string const reason = reason_of_dlopen(file);
  if (!reason.starts_with("libhalocline_")) return "cannot be loaded as a plugin: " + reason;
  return std::string("built for another version than this Halocline, which has ") + HALOCLINE_VERSION + " (" + reason +
         "); build the plugin against this installation";
}

void require_same(std::filesystem::path const& file, std::string_view what, std::string_view theirs,
                  std::string_view ours) {
  if (theirs == ours) return;
  refuse(file, "built for " + std::string(what) + " " + std::string(theirs) + ", but this Halocline has " +
                   std::string(ours) + "; build the plugin against this installation");
}

void require_compatible(std::filesystem::path const& file, PluginDescription const& plugin) {
  if (plugin.layout != plugin_layout) {
    refuse(file, "its plugin interface is number " + std::to_string(plugin.layout) +
                     ", but this Halocline has number " + std::to_string(plugin_layout) +
                     "; build the plugin against this installation");
  }
  require_same(file, "version", plugin.version, HALOCLINE_VERSION);
  require_same(file, "backend", plugin.backend, HALOCLINE_BACKEND_NAME);
  require_same(file, "compiler", plugin.compiler, compiler_abi);
}

}  // namespace

std::filesystem::path PluginLoader::folder_of_this_program() {
  auto const program = std::filesystem::read_symlink("/proc/self/exe");
  return program.parent_path().parent_path() / "lib" / "halocline" / "physics";
}

void PluginLoader::load(std::filesystem::path const& shared_object) {
  std::error_code none;
  if (!std::filesystem::exists(shared_object, none)) refuse(shared_object, "no such plugin");
  void* const handle = dlopen(std::filesystem::absolute(shared_object).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) refuse(shared_object, loading_error(shared_object));
  auto const* const plugin = static_cast<PluginDescription const*>(dlsym(handle, plugin_symbol));
  if (plugin == nullptr) {
    refuse(shared_object, std::string("not a Halocline plugin: it has no symbol `") + plugin_symbol +
                              "` (HALOCLINE_PLUGIN in one of its sources makes it)");
  }
  require_compatible(shared_object, *plugin);
  PhysicsEntry entry = plugin->physics();
  log_debug("physics " + entry.name + " from " + shared_object.string());
  registry_.add(std::move(entry));
}

void PluginLoader::load_folder(std::filesystem::path const& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code none;
  for (auto const& file : std::filesystem::directory_iterator(folder, none)) {
    if (file.path().extension() == ".so") files.push_back(file.path());
  }
  std::sort(files.begin(), files.end());
  for (auto const& file : files) load(file);
}

std::string precision_obstacle(PhysicsEntry const& entry, Precision precision) {
  if (std::find(entry.precisions.begin(), entry.precisions.end(), precision) != entry.precisions.end()) return "";
  auto const text = [](Precision p) { return std::string(p == Precision::single ? "single" : "double"); };
  std::string built;
  for (Precision const p : entry.precisions) built += (built.empty() ? "" : " and ") + text(p);
  return "the deck asks for " + text(precision) + ", but the physics `" + entry.name + "` is built for " + built;
}

}  // namespace halocline
