#include <algorithm>
#include <sstream>
#include <vector>

#include "framework/deck/field_source.hpp"
#include "framework/deck/reference.hpp"
#include "framework/deck/words.hpp"

namespace halocline {
namespace {

/// Escapes `|`, which would end a table cell.
std::string in_cell(std::string const& text) {
  std::string cell;
  for (char const c : text) cell += c == '|' ? std::string("\\|") : std::string(1, c);
  return cell;
}

std::string value_cell(Option const& option) {
  std::string const range = deck::allowed_range(option);
  std::string const unit = range.empty() && !option.unit().empty() ? " (" + option.unit() + ")" : "";
  return in_cell(deck::expected(option) + unit + (range.empty() ? "" : ", " + range));
}

std::string default_cell(Option const& option) {
  if (option.is_required()) return "required";
  std::string const value = deck::written(option.default_value());
  if (value.empty()) return "none";
  return std::string("`").append(in_cell(value)).append("`");
}

void write_section(Section const& section, std::string const& full_name, std::ostream& out) {
  if (!full_name.empty()) out << "\n## " << full_name << "\n\n" << section.sentence() << '\n';
  if (!section.options().empty()) {
    out << "\n| option | value | default | meaning |\n| --- | --- | --- | --- |\n";
    for (Option const& option : section.options())
      out << "| `" << option.name() << "` | " << value_cell(option) << " | " << default_cell(option) << " | "
          << in_cell(option.sentence()) << " |\n";
  }
  for (Section const& nested : section.sections())
    write_section(nested, deck::joined_name(full_name, nested.name()), out);
  for (Section const& element : section.lists())
    write_section(element, deck::joined_name(full_name, element.name()) + "[]", out);
}

bool takes_files(Section const& section) {
  auto const is_field = [](Option const& option) { return option.kind() == OptionKind::field; };
  std::vector<Section> nested = section.sections();
  nested.insert(nested.end(), section.lists().begin(), section.lists().end());
  return std::any_of(section.options().begin(), section.options().end(), is_field) ||
         std::any_of(nested.begin(), nested.end(), takes_files);
}

}  // namespace

std::string markdown(Section const& root) {
  std::ostringstream out;
  out << "# Options of a deck\n\n"
         "Generated from the declarations by `halocline list --markdown`. A heading is the full path of a section in "
         "the\n"
         "deck; `--set section.option=value` sets one of its options on the command line, `--set section.option=` "
         "unsets it,\n"
         "and `name[]` is a list of sections. A vector of one entry needs no brackets.\n";
  write_section(root, "", out);
  if (takes_files(root)) write_section(field_file_section(), "Fields from files", out);
  return out.str();
}

}  // namespace halocline
