#include "framework/deck/option.hpp"

#include <utility>

#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

/// Converts integer literals for the default of a real option, single or in a vector.
OptionValue as_kind(OptionKind kind, OptionValue value) {
  if (kind == OptionKind::real) {
    if (auto const* const whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    if (auto const* const wholes = std::get_if<std::vector<std::int64_t>>(&value))
      return std::vector<double>(wholes->begin(), wholes->end());
  }
  if (kind == OptionKind::expression || kind == OptionKind::field) {
    if (auto const* const whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  }
  return value;
}

bool holds_kind(OptionKind kind, bool is_vector, OptionValue const& value) {
  switch (kind) {
    case OptionKind::integer:
      return is_vector ? std::holds_alternative<std::vector<std::int64_t>>(value)
                       : std::holds_alternative<std::int64_t>(value);
    case OptionKind::real:
      return is_vector ? std::holds_alternative<std::vector<double>>(value) : std::holds_alternative<double>(value);
    case OptionKind::boolean:
      return is_vector ? std::holds_alternative<std::vector<bool>>(value) : std::holds_alternative<bool>(value);
    default:
      return is_vector ? std::holds_alternative<std::vector<std::string>>(value)
                       : std::holds_alternative<std::string>(value);
  }
}

}  // namespace

Option::Option(std::string name, OptionKind kind, std::string sentence)
    : name_(std::move(name)), kind_(kind), sentence_(std::move(sentence)) {}

Option& Option::defaults_to(OptionValue value) {
  default_ = as_kind(kind_, std::move(value));
  if (!holds_kind(kind_, is_vector(), default_))
    throw DefectError("the default of option `" + name_ + "` is of another type than the option");
  required_ = false;
  return *this;
}

Option& Option::optional() {
  required_ = false;
  return *this;
}

Option& Option::unit(std::string unit) {
  unit_ = std::move(unit);
  return *this;
}

Option& Option::at_least(double bound) {
  lower_ = Bound{bound, true};
  return *this;
}

Option& Option::at_most(double bound) {
  upper_ = Bound{bound, true};
  return *this;
}

Option& Option::above(double bound) {
  lower_ = Bound{bound, false};
  return *this;
}

Option& Option::below(double bound) {
  upper_ = Bound{bound, false};
  return *this;
}

Option& Option::entries(int minimum, int maximum) {
  minimum_entries_ = minimum;
  maximum_entries_ = maximum;
  return *this;
}

Option& Option::or_list() {
  if (kind_ != OptionKind::text || is_vector())
    throw DefectError("option `" + name_ + "` is not a text, so a list cannot replace it");
  takes_list_ = true;
  return *this;
}

Option& Option::names(Names names) {
  names_ = std::move(names);
  return *this;
}

Option& Option::more_names(std::string advice) {
  more_names_ = std::move(advice);
  return *this;
}

Option& Option::names(std::vector<std::string> names) {
  return this->names(Names([names = std::move(names)] { return names; }));
}

std::vector<std::string> Option::names() const { return names_ ? names_() : std::vector<std::string>{}; }

}  // namespace halocline
