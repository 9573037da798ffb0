#include "drivers/halocline/input_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "framework/io/field_file_validation.hpp"
#include "framework/io/input_file.hpp"
#include "framework/runtime/shown_text.hpp"

namespace halocline {
namespace {

constexpr char const* plugin_option = "--plugin";

/// Whether two records are of one file. A plugin may have another name each time; the path of a deck's option is its
/// value.
bool are_of_one_file(FieldFileRecord const& then, FieldFileRecord const& now) {
  if (then.option != now.option) return false;
  std::error_code missing;
  return then.path == now.path ||
         (now.option == plugin_option && std::filesystem::equivalent(then.path, now.path, missing));
}

/// Adds a file if there is one to read: what an option's path means, only the physics knows.
void add(std::string const& option, std::string const& path, std::vector<FieldFileRecord>& records) {
  try {
    InputFile const file(path);
    records.push_back({option, path, file.identity().bytes, checksum_of(file, FieldFileRecord::largest_hashed)});
  } catch (InputError const&) {
  }
}

/// Adds the paths in a section and in its inner sections that are in use.
void add_paths(Section const& declared, Options const& given, std::vector<FieldFileRecord>& records) {
  for (Option const& option : declared.options()) {
    std::string const& name = option.name();
    if (option.kind() == OptionKind::path && given.has(name)) add(given.full_name(name), given.path(name), records);
  }
  for (Section::Inner const& inner : declared.inner()) {
    std::string const& name = inner.section.name();
    bool const is_used = inner.chooser.empty() || given.choice(inner.chooser) == name;
    if (is_used) add_paths(inner.section, given.section(name), records);
  }
  for (Section const& element : declared.lists()) {
    for (Options const& one : given.list(element.name())) add_paths(element, one, records);
  }
}

}  // namespace

InputFiles record_input_files(PhysicsEntry const& entry, Options const& deck, std::vector<std::string> const& plugins) {
  Options const physics = deck.section(entry.name);
  InputFiles files{.of_deck = record_field_files(physics), .plugins = {}};
  add_paths(entry.options, physics, files.of_deck);
  for (std::string const& plugin : plugins)
    add(plugin_option, std::filesystem::absolute(plugin).string(), files.plugins);
  return files;
}

std::vector<std::string> changed_files(std::span<FieldFileRecord const> then, std::span<FieldFileRecord const> now) {
  std::vector<std::string> changed;
  for (FieldFileRecord const& file : then) {
    auto const found = std::find_if(now.begin(), now.end(),
                                    [&](FieldFileRecord const& other) { return are_of_one_file(file, other); });
    if (found == now.end() || (found->bytes == file.bytes && found->checksum == file.checksum)) continue;
    std::string const before = found->bytes == file.bytes ? "" : fmt::format(", when it had {} bytes", file.bytes);
    changed.push_back(
        fmt::format("`{}`: {} has changed since the run began{}", found->option, shown(found->path), before));
  }
  return changed;
}

}  // namespace halocline
