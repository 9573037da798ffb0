#include <algorithm>
#include <span>
#include <sstream>
#include <vector>

#include "framework/deck/field_source.hpp"
#include "framework/deck/nearest_name.hpp"
#include "framework/deck/reference.hpp"
#include "framework/deck/words.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

using deck::joined_name;

/// One line an option: its full name, its sentence, its allowed values.
void list_own(Section const& section, std::string const& full_name, std::ostream& out) {
  for (Option const& option : section.options())
    out << joined_name(full_name, option.name()) << ": " << option.sentence() << " (" << deck::described(option)
        << ")\n";
}

/// The same for all options below `section`.
void list_all(Section const& section, std::string const& full_name, std::ostream& out) {
  list_own(section, full_name, out);
  for (Section const& nested : section.sections()) list_all(nested, joined_name(full_name, nested.name()), out);
  for (Section const& element : section.lists()) list_all(element, joined_name(full_name, element.name()) + "[]", out);
}

void list_option(Option const& option, std::string const& full_name, std::ostream& out) {
  out << full_name << ": " << option.sentence() << "\n  " << deck::described(option) << '\n';
  if (option.kind() != OptionKind::field) return;
  out << '\n' << field_file_section().sentence() << '\n';
  list_own(field_file_section(), full_name, out);
}

/// The parts of "solver.cg.iterations"; the `[]` or index of a list is not part of its name.
std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  std::istringstream stream{std::string(path)};
  for (std::string part; std::getline(stream, part, '.');) parts.push_back(part.substr(0, part.find('[')));
  return parts;
}

/// Follows the remaining path in the declaration. \param name of the section
void list_at(Section const& section, std::string const& name, std::span<std::string const> path, std::ostream& out) {
  if (path.empty()) {
    if (!name.empty()) out << name << ": " << section.sentence() << "\n\n";
    return list_all(section, name, out);
  }
  std::string const inside = joined_name(name, path.front());
  std::vector<std::string> known;
  for (Option const& option : section.options()) {
    if (option.name() == path.front() && path.size() == 1) return list_option(option, inside, out);
    if (option.name() == path.front() && option.kind() == OptionKind::field)
      return list_at(field_file_section(), inside, path.subspan(1), out);
    known.push_back(option.name());
  }
  std::vector<Section> nested = section.sections();
  nested.insert(nested.end(), section.lists().begin(), section.lists().end());
  for (Section const& inner : nested) {
    if (inner.name() == path.front()) return list_at(inner, inside, path.subspan(1), out);
    known.push_back(inner.name());
  }
  if (std::ranges::find(known, path.front()) != known.end())
    throw InputError("`" + path[1] + "`: unknown in " + inside + ", which is an option and has nothing below it");
  throw InputError("`" + path.front() + "`: unknown in " + (name.empty() ? "the deck" : name) + "; " +
                   advice_for(path.front(), known));
}

}  // namespace

std::string own_options(Section const& section) {
  std::ostringstream out;
  list_own(section, "", out);
  return out.str();
}

std::string listing(Section const& root, std::string_view path) {
  std::ostringstream out;
  list_at(root, "", parts_of(path), out);
  return out.str();
}

}  // namespace halocline
