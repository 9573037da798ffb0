#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "drivers/halocline/commands.hpp"
#include "drivers/halocline/declaration.hpp"
#include "drivers/halocline/standard_output.hpp"
#include "framework/deck/tree.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;

/// The folder of this program: a build tree or an installation, both of which find_package can search.
fs::path prefix() { return fs::read_symlink("/proc/self/exe").parent_path().parent_path(); }
fs::path templates() { return prefix() / "share" / "halocline" / "templates"; }

/// Whether the name is valid for a plugin, a source file and a CMake target.
bool is_plain(std::string const& name) {
  auto const is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  auto const may_follow = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; };
  return !name.empty() && is_letter(name.front()) && std::all_of(name.begin(), name.end(), may_follow);
}

/// Throws InputError for a name that a user's physics cannot have.
void require_name(std::string const& name) {
  std::string const said = "new-physics: `" + deck::printable(name) + "`";
  if (!is_plain(name))
    throw InputError(said + ": a name is made of letters, digits, _ and -, and begins with a letter");
  // It is also the name of files, of which no file system takes more than 255 characters with their endings.
  constexpr std::size_t most = 100;
  if (name.size() > most)
    throw InputError(said + fmt::format(": {} characters are too many; a name has at most {}", name.size(), most));
  Registry<PhysicsEntry> const physics = load_physics({});
  if (physics.contains(name)) throw InputError(said + ": a physics of Halocline has this name; choose another one");
  Section const deck = declare_deck(physics);
  bool is_taken = false;
  for (Option const& option : deck.options()) is_taken = is_taken || option.name() == name;
  for (Section const& section : deck.sections()) is_taken = is_taken || section.name() == name;
  if (is_taken) throw InputError(said + ": decks have a section or an option of this name; choose another one");
}

std::string filled(std::string text, std::map<std::string, std::string> const& words) {
  for (auto const& [word, value] : words) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + value.size()))
      text.replace(at, word.size(), value);
  }
  return text;
}

std::string text_of(fs::path const& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) throw InputOutputError("new-physics: `" + file.string() + "` cannot be read");
  return text.str();
}

void write(fs::path const& file, std::string const& text) {
  std::ofstream stream(file);
  stream << text;
  stream.close();
  if (!stream) throw InputOutputError("new-physics: `" + file.string() + "` cannot be written");
}

}  // namespace

/// A kind is a folder of templates: each file becomes a file of the project, without `.in`.
std::vector<std::string> physics_kinds() {
  std::vector<std::string> kinds;
  std::error_code none;
  for (auto const& entry : fs::directory_iterator(templates(), none)) kinds.push_back(entry.path().filename().string());
  std::sort(kinds.begin(), kinds.end());
  return kinds;
}

ExitCode new_physics(NewPhysicsCommand const& command) {
  require_name(command.name);
  fs::path const folder = command.output.empty() ? command.name : command.output;
  std::error_code error;
  if (fs::exists(fs::symlink_status(folder, error)))
    throw InputError("new-physics: `" + folder.string() + "` exists already; --output chooses another folder");
  std::map<std::string, std::string> const words{
      {"@NAME@", command.name}, {"@PREFIX@", prefix().string()}, {"@PROGRAM@", (prefix() / "bin/halocline").string()}};
  fs::create_directories(folder, error);
  if (error) throw InputOutputError("new-physics: `" + folder.string() + "` cannot be made: " + error.message());
  for (auto const& file : fs::directory_iterator(templates() / command.kind))
    write(folder / filled(file.path().stem().string(), words), filled(text_of(file.path()), words));
  say(
      fmt::format("{0}/ is a physics that builds and passes its tests. Next:\n\n"
                  "  cmake -S {0} -B {0}/build -DCMAKE_PREFIX_PATH={1}\n"
                  "  cmake --build {0}/build\n"
                  "  ctest --test-dir {0}/build --output-on-failure\n\n"
                  "then change {0}/{2}.cpp; {0}/README.md explains how to run it.\n",
                  folder.string(), prefix().string(), command.name));
  return ExitCode::done;
}

}  // namespace halocline
