#include <algorithm>
#include <sstream>
#include <vector>

#include "framework/deck/field_source.hpp"
#include "framework/deck/nearest_name.hpp"
#include "framework/deck/reference.hpp"
#include "framework/deck/words.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

std::string joined_name(std::string const& section, std::string const& name) {
  return section.empty() ? name : section + "." + name;
}

/// One line an option: its full name, its sentence, what it takes.
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

/// The parts of "solver.cg.iterations"; a list's `[]` or position is not part of its name.
std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  std::istringstream stream{std::string(path)};
  for (std::string part; std::getline(stream, part, '.');) parts.push_back(part.substr(0, part.find('[')));
  return parts;
}

/// Walks a path down the declaration.
class Lister {
 public:
  explicit Lister(std::ostream& out) : out_(out) {}

  void list(Section const& section, std::vector<std::string> const& parts, std::size_t at) {
    if (at == parts.size()) {
      if (!name_.empty()) out_ << name_ << ": " << section.sentence() << "\n\n";
      list_all(section, name_, out_);
      return;
    }
    std::vector<std::string> known;
    for (Option const& option : section.options()) {
      if (option.name() == parts[at] && at + 1 == parts.size())
        return list_option(option, joined_name(name_, option.name()), out_);
      if (option.name() == parts[at] && option.kind() == OptionKind::field) {
        name_ = joined_name(name_, option.name());
        return list(field_file_section(), parts, at + 1);
      }
      known.push_back(option.name());
    }
    std::vector<Section> nested = section.sections();
    nested.insert(nested.end(), section.lists().begin(), section.lists().end());
    for (Section const& inner : nested) {
      if (inner.name() == parts[at]) {
        name_ = joined_name(name_, inner.name());
        return list(inner, parts, at + 1);
      }
      known.push_back(inner.name());
    }
    throw InputError("`" + parts[at] + "`: unknown in " + (name_.empty() ? "the deck" : name_) + "; " +
                     advice_for(parts[at], known));
  }

 private:
  std::ostream& out_;
  std::string name_;
};

}  // namespace

std::string own_options(Section const& section) {
  std::ostringstream out;
  list_own(section, "", out);
  return out.str();
}

std::string listing(Section const& root, std::string_view path) {
  std::ostringstream out;
  Lister(out).list(root, parts_of(path), 0);
  return out.str();
}

}  // namespace halocline
