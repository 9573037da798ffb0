#include "framework/deck/options.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "framework/deck/field_source.hpp"
#include "framework/deck/option_json.hpp"
#include "framework/deck/values.hpp"
#include "framework/deck/words.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

using deck::Json;
using deck::json_of;

std::string in_section(Options::Values const& values, std::string_view name) {
  return "`" + std::string(name) + "` in " + (values.full_name.empty() ? "the deck" : "section " + values.full_name);
}

Option const& declared(Options::Values const& values, std::string_view name) {
  auto const& options = values.declaration->section->options();
  auto const found =
      std::find_if(options.begin(), options.end(), [&](Option const& one) { return one.name() == name; });
  if (found == options.end()) throw DefectError("no option is declared as " + in_section(values, name));
  return *found;
}

void refuse_mistaken(Options::Values const& values, std::string_view name) {
  if (values.wholly_mistaken || values.mistaken.contains(name))
    throw deck::Unvalidated("the deck gives no value of " + in_section(values, name));
}

template <class Type>
Type value_of(Options::Values const& values, std::string_view name, std::initializer_list<OptionKind> kinds,
              bool is_vector = false) {
  Option const& option = declared(values, name);
  bool const right_kind = std::find(kinds.begin(), kinds.end(), option.kind()) != kinds.end();
  if (!right_kind || option.is_vector() != is_vector)
    throw DefectError("asked for another type than declared: " + in_section(values, name));
  refuse_mistaken(values, name);
  OptionValue value = values.value(option.name());
  if (!std::holds_alternative<Type>(value)) throw DefectError("there is no value of " + in_section(values, name));
  return std::get<Type>(std::move(value));
}

/// Number of entries of a value; 1 if it is not a vector.
struct Entries {
  template <class Value>
  std::size_t operator()(Value const&) const {
    return 1;
  }
  template <class Entry>
  std::size_t operator()(std::vector<Entry> const& all) const {
    return all.size();
  }
};

Json json_of(Options::Values const& values) {
  Json all = Json::object();
  for (Option const& option : values.declaration->section->options()) {
    OptionValue const value = values.value(option.name());
    if (!std::holds_alternative<std::monostate>(value)) all[option.name()] = json_of(value);
  }
  for (auto const& [name, file] : values.files) all[name] = json_of(*file);
  for (auto const& [name, section] : values.sections) all[name] = json_of(*section);
  for (auto const& [name, elements] : values.lists) {
    Json list = Json::array();
    for (auto const& element : elements) list.push_back(json_of(*element));
    all[name] = std::move(list);
  }
  return all;
}

}  // namespace

Options::Options(std::shared_ptr<Values const> values) : values_(std::move(values)) {}

std::int64_t Options::integer(std::string_view name) const {
  return value_of<std::int64_t>(*values_, name, {OptionKind::integer});
}

double Options::real(std::string_view name) const { return value_of<double>(*values_, name, {OptionKind::real}); }

bool Options::boolean(std::string_view name) const { return value_of<bool>(*values_, name, {OptionKind::boolean}); }

std::string Options::text(std::string_view name) const {
  return value_of<std::string>(*values_, name, {OptionKind::text});
}

std::string Options::path(std::string_view name) const {
  return value_of<std::string>(*values_, name, {OptionKind::path});
}

std::string Options::choice(std::string_view name) const {
  return value_of<std::string>(*values_, name, {OptionKind::choice});
}

Expression Options::expression(std::string_view name) const {
  return Expression(value_of<std::string>(*values_, name, {OptionKind::expression}));
}

FieldSource Options::field(std::string_view name) const {
  if (auto const found = values_->files.find(name); found != values_->files.end()) {
    refuse_mistaken(*values_, name);
    return read_field_file(Options(found->second));
  }
  return Expression(value_of<std::string>(*values_, name, {OptionKind::field}));
}

std::vector<std::pair<std::string, FieldSource>> Options::field_files() const {
  std::vector<std::pair<std::string, FieldSource>> all;
  auto const add = [&all](Options const& inner) {
    auto more = inner.field_files();
    std::move(more.begin(), more.end(), std::back_inserter(all));
  };
  for (auto const& [name, file] : values_->files) {
    if (!values_->mistaken.contains(name)) all.emplace_back(full_name(name), read_field_file(Options(file)));
  }
  for (auto const& [name, section] : values_->sections) add(Options(section));
  for (auto const& [name, elements] : values_->lists) {
    for (auto const& element : elements) add(Options(element));
  }
  return all;
}

std::vector<std::int64_t> Options::integers(std::string_view name) const {
  return value_of<std::vector<std::int64_t>>(*values_, name, {OptionKind::integer}, true);
}

std::vector<double> Options::reals(std::string_view name) const {
  return value_of<std::vector<double>>(*values_, name, {OptionKind::real}, true);
}

std::vector<bool> Options::booleans(std::string_view name) const {
  return value_of<std::vector<bool>>(*values_, name, {OptionKind::boolean}, true);
}

std::size_t Options::entries(std::string_view name) const {
  Option const& option = declared(*values_, name);
  if (!option.is_vector())
    throw DefectError("asked for the entries of an option that is not a vector: " + in_section(*values_, name));
  if (auto const known = values_->entries.find(name); known != values_->entries.end()) return known->second;
  OptionValue const value = values_->wholly_mistaken ? OptionValue() : values_->value(option.name());
  if (!std::holds_alternative<std::monostate>(value)) return std::visit(Entries(), value);
  refuse_mistaken(*values_, name);
  throw DefectError("there is no value of " + in_section(*values_, name));
}

Options Options::section(std::string_view name) const {
  auto const found = values_->sections.find(name);
  if (found == values_->sections.end()) throw DefectError("no section is declared as " + in_section(*values_, name));
  return Options(found->second);
}

std::vector<Options> Options::list(std::string_view name) const {
  auto const found = values_->lists.find(name);
  if (found == values_->lists.end()) throw DefectError("no list is declared as " + in_section(*values_, name));
  refuse_mistaken(*values_, name);
  std::vector<Options> all;
  for (auto const& element : found->second) all.emplace_back(element);
  return all;
}

bool Options::declares(std::string_view name) const {
  auto const& options = values_->declaration->section->options();
  return values_->sections.contains(name) || values_->lists.contains(name) ||
         std::any_of(options.begin(), options.end(), [&](Option const& one) { return one.name() == name; });
}

bool Options::has(std::string_view name) const {
  Option const& option = declared(*values_, name);
  refuse_mistaken(*values_, name);
  return values_->holder(option.name()) != nullptr || values_->files.contains(name);
}

bool Options::given(std::string_view name) const {
  if (!declares(name)) throw DefectError("nothing is declared as " + in_section(*values_, name));
  return values_->locations.contains(name);
}

Location Options::location(std::string_view name) const {
  return given(name) ? values_->locations.find(name)->second : values_->location;
}

Location Options::location() const { return values_->location; }
std::string Options::full_name() const { return values_->full_name; }

std::string Options::full_name(std::string_view name) const { return deck::joined_name(values_->full_name, name); }
std::string Options::json() const { return json_of(*values_).dump(2, ' ', false, Json::error_handler_t::replace); }

}  // namespace halocline
