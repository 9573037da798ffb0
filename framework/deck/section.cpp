#include "framework/deck/section.hpp"

#include <algorithm>
#include <utility>

#include "framework/runtime/error.hpp"

namespace halocline {

Section::Section(std::string name, std::string sentence) : name_(std::move(name)), sentence_(std::move(sentence)) {}

void Section::refuse_known(std::string const& name) const {
  auto const named = [&](auto const& part) { return part.name() == name; };
  bool const known = std::any_of(options_.begin(), options_.end(), named) ||
                     std::any_of(sections_.begin(), sections_.end(), named) ||
                     std::any_of(lists_.begin(), lists_.end(), named);
  if (known) throw DefectError("section `" + name_ + "` declares `" + name + "` twice");
}

Option& Section::add(Option option) {
  refuse_known(option.name());
  return options_.emplace_back(std::move(option));
}

Option& Section::integer(std::string name, std::string sentence) {
  return add(Option(std::move(name), OptionKind::integer, std::move(sentence)));
}

Option& Section::real(std::string name, std::string sentence) {
  return add(Option(std::move(name), OptionKind::real, std::move(sentence)));
}

Option& Section::boolean(std::string name, std::string sentence) {
  return add(Option(std::move(name), OptionKind::boolean, std::move(sentence)));
}

Option& Section::text(std::string name, std::string sentence) {
  return add(Option(std::move(name), OptionKind::text, std::move(sentence)));
}

Option& Section::path(std::string name, std::string sentence) {
  return add(Option(std::move(name), OptionKind::path, std::move(sentence)));
}

Option& Section::expression(std::string name, std::string sentence) {
  return add(Option(std::move(name), OptionKind::expression, std::move(sentence)));
}

Option& Section::field(std::string name, std::string sentence) {
  return add(Option(std::move(name), OptionKind::field, std::move(sentence)));
}

Option& Section::choice(std::string name, std::string sentence, std::vector<std::string> names) {
  return add(Option(std::move(name), OptionKind::choice, std::move(sentence)).names(std::move(names)));
}

Option& Section::choice(std::string name, std::string sentence, Names names) {
  return add(Option(std::move(name), OptionKind::choice, std::move(sentence)).names(std::move(names)));
}

Option& Section::integers(std::string name, std::string sentence, int minimum, int maximum) {
  return integer(std::move(name), std::move(sentence)).entries(minimum, maximum);
}

Option& Section::reals(std::string name, std::string sentence, int minimum, int maximum) {
  return real(std::move(name), std::move(sentence)).entries(minimum, maximum);
}

Option& Section::booleans(std::string name, std::string sentence, int minimum, int maximum) {
  return boolean(std::move(name), std::move(sentence)).entries(minimum, maximum);
}

Section& Section::section(std::string name, std::string sentence) {
  return section(Section(std::move(name), std::move(sentence)));
}

Section& Section::section(Section nested) {
  refuse_known(nested.name());
  return sections_.emplace_back(std::move(nested));
}

Section& Section::list(Section element) {
  refuse_known(element.name());
  return lists_.emplace_back(std::move(element));
}

void Section::sections(std::string chooser, Sections sections) {
  families_.push_back({std::move(chooser), std::move(sections)});
}

void Section::check(Check check) { checks_.push_back(std::move(check)); }

void Section::wrap_checks(std::function<Check(Check)> const& wrap) {
  for (Check& check : checks_) check = wrap(std::move(check));
  for (Section& nested : sections_) nested.wrap_checks(wrap);
  for (Section& element : lists_) element.wrap_checks(wrap);
}

Section& Section::optional() {
  optional_ = true;
  return *this;
}

Section& Section::optional_where(std::string chooser, std::vector<std::string> names) {
  optional_chooser_ = std::move(chooser);
  optional_names_ = std::move(names);
  return *this;
}

Section& Section::switched_by(std::string option) {
  switch_ = std::move(option);
  return *this;
}

std::vector<Section::Inner> Section::inner() const {
  std::vector<Inner> all;
  for (Section const& nested : sections_) all.push_back({nested, ""});
  for (Family const& family : families_) {
    for (Section& registered : family.sections()) {
      refuse_known(registered.name());
      all.push_back({std::move(registered), family.chooser});
    }
  }
  return all;
}

std::vector<Section> Section::sections() const {
  std::vector<Section> all;
  for (Inner& nested : inner()) all.push_back(std::move(nested.section));
  return all;
}

}  // namespace halocline
