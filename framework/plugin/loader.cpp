#include "framework/plugin/loader.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "framework/kernel/tune/tuning.hpp"
#include "framework/plugin/entry_obstacle.hpp"
#include "framework/plugin/guarded_physics.hpp"
#include "framework/plugin/plugin.hpp"
#include "framework/plugin/plugin_call.hpp"
#include "framework/plugin/shared_object_file.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/log.hpp"
#include "framework/runtime/shown_text.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(fs::path const& file, std::string const& why) {
  throw InputError("`" + shown(file.string()) + "`: " + why);
}

// dlopen's message begins with the file, which ours already names.
std::string reason_of_dlopen(fs::path const& file) {
  char const* text = dlerror();
  std::string message = text == nullptr ? "unknown reason" : text;
  std::string const prefix = fs::absolute(file).string() + ": ";
  return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
}

/// Why a plugin does not load. Names of Halocline's libraries contain its version: those of another version are not
/// found.
std::string loading_error(fs::path const& file) {
  std::string const reason = reason_of_dlopen(file);
  bool const is_missing = reason.starts_with("libhalocline_") && reason.find("No such file") != std::string::npos;
  if (!is_missing) return "cannot be loaded as a plugin: " + reason;
  return std::string("built for another version than this Halocline, which has ") + HALOCLINE_VERSION + " (" + reason +
         "); build the plugin against this installation";
}

void require_same(fs::path const& file, std::string const& what, char const* theirs, std::string const& ours) {
  if (theirs != nullptr && theirs == ours) return;
  refuse(file, "built for " + what + " " + (theirs == nullptr ? "(null)" : theirs) + ", but this Halocline has " +
                   ours + "; build the plugin against this installation");
}

void require_compatible(fs::path const& file, PluginDescription const& plugin) {
  if (plugin.layout != plugin_layout) {
    refuse(file, "its plugin interface is number " + std::to_string(plugin.layout) +
                     ", but this Halocline has number " + std::to_string(plugin_layout) +
                     "; build the plugin against this installation");
  }
  require_same(file, "version", plugin.version, HALOCLINE_VERSION);
  require_same(file, "backend", plugin.backend, HALOCLINE_BACKEND_NAME);
  require_same(file, "compiler", plugin.compiler, compiler_abi);
  if (plugin.physics == nullptr) refuse(file, "it names no function that describes its physics (a null pointer)");
}

PluginCall loading(fs::path const& file, std::string const& place) {
  return {"plugin `" + file.string() + "`", place, PluginStage::loading};
}

/// \param tunings text of a tuning table; null: none
void bring_tunings(fs::path const& file, char const* tunings) {
  if (tunings == nullptr) return;
  kernel::tuner::bring(kernel::TuningTable::parse(tunings, "`" + file.string() + "`: its tunings"));
}

/// Flaws that do not prevent loading, for warnings.
std::vector<std::string> flaws_of(fs::path const& file, PluginDescription const& plugin) {
  std::vector<std::string> flaws;
  if (std::string const writable = writable_by_everybody(file); !writable.empty()) {
    flaws.push_back(writable + ", and so run code as any user who loads it; `chmod o-w` prevents that");
  }
  if (plugin.optimised == 0) {
    flaws.emplace_back(
        "built without optimisation, which may be ten times slower; build it with "
        "-DCMAKE_BUILD_TYPE=Release");
  }
  if (plugin.fast_math != 0) {
    flaws.emplace_back(
        "built with -ffast-math: NaN may go undetected, and results depend bitwise on the build; build it without");
  } else if (plugin.contracts != nullptr && plugin.contracts() != 0) {
    flaws.emplace_back(
        "built with fused multiply-add, so that results depend bitwise on the build; build it with "
        "halocline_add_physics, or with -ffp-contract=off");
  }
  return flaws;
}

}  // namespace

fs::path PluginLoader::folder_of_this_program() {
  auto const program = fs::read_symlink("/proc/self/exe");
  return program.parent_path().parent_path() / "lib" / "halocline" / "physics";
}

PluginLoader::Exports PluginLoader::open(fs::path const& shared_object) {
  if (std::string const damage = shared_object_damage(shared_object); !damage.empty()) refuse(shared_object, damage);
  PluginCall const call = loading(shared_object, "the code that runs on loading");
  // dlopen is declared not to throw, but the code that it runs may: the pointer hides the callee from the compiler.
  void* (*volatile open_library)(char const*, int) = dlopen;
  void* const handle =
      call_plugin(call, [&] { return open_library(fs::absolute(shared_object).c_str(), RTLD_NOW | RTLD_LOCAL); });
  if (handle == nullptr) refuse(shared_object, loading_error(shared_object));
  auto const [first, is_new] = opened_.emplace(handle, shared_object);
  if (!is_new) {
    std::string const before = first->second == shared_object ? "" : ", as `" + first->second.string() + "` before";
    refuse(shared_object, "this plugin is loaded already" + before + "; name it only once");
  }
  auto const* const plugin = static_cast<PluginDescription const*>(dlsym(handle, plugin_symbol));
  if (plugin == nullptr) {
    refuse(shared_object, std::string("not a Halocline plugin: it has no symbol `") + plugin_symbol +
                              "` (HALOCLINE_PLUGIN in one of its sources makes it)");
  }
  require_compatible(shared_object, *plugin);
  return {*plugin, static_cast<char const*>(dlsym(handle, tunings_symbol))};
}

void PluginLoader::require_free_name(fs::path const& shared_object, std::string const& name) const {
  bool const reserved = std::find(reserved_.begin(), reserved_.end(), name) != reserved_.end();
  if (!reserved && !registry_.contains(name)) return;
  auto const other = of_the_user_.find(name);
  std::string const whose = other != of_the_user_.end() ? "the physics of `" + other->second.string() + "`"
                            : reserved                  ? "a part of every deck"
                                                        : "one of Halocline's own";
  refuse(shared_object, "its physics is called `" + name + "`, and so is " + whose + "; give it another name");
}

void PluginLoader::load(fs::path const& shared_object) {
  auto const [plugin, tunings] = open(shared_object);
  PhysicsEntry entry = call_plugin(loading(shared_object, "the function of HALOCLINE_PLUGIN"), plugin.physics);
  if (std::string const obstacle = entry_obstacle(entry); !obstacle.empty()) refuse(shared_object, obstacle);
  require_free_name(shared_object, entry.name);
  bring_tunings(shared_object, tunings);
  for (std::string const& flaw : flaws_of(shared_object, plugin)) {
    log_warning("plugin `" + shared_object.string() + "`: " + flaw);
  }
  log_debug("physics " + entry.name + " from " + shared_object.string());
  of_the_user_.emplace(entry.name, shared_object);
  registry_.add(guarded(std::move(entry), shared_object.string()));
}

void PluginLoader::load_folder(fs::path const& folder) {
  std::vector<fs::path> files;
  std::error_code none;
  for (auto const& file : fs::directory_iterator(folder, none)) {
    if (file.path().extension() == ".so") files.push_back(file.path());
  }
  std::sort(files.begin(), files.end());
  for (auto const& file : files) {
    auto const [plugin, tunings] = open(file);
    PhysicsEntry entry = plugin.physics();
    bring_tunings(file, tunings);
    log_debug("physics " + entry.name + " from " + file.string());
    registry_.add(std::move(entry));
  }
}

std::string precision_obstacle(PhysicsEntry const& entry, Precision precision) {
  if (std::find(entry.precisions.begin(), entry.precisions.end(), precision) != entry.precisions.end()) return "";
  auto const text = [](Precision p) { return std::string(p == Precision::single ? "single" : "double"); };
  std::string built;
  for (Precision const p : entry.precisions) built += (built.empty() ? "" : " and ") + text(p);
  return "the deck asks for " + text(precision) + ", but the physics `" + entry.name + "` is built for " + built;
}

}  // namespace halocline
