#include "framework/deck/parameters.hpp"

#include <Teuchos_Array.hpp>
#include <Teuchos_ParameterEntryValidator.hpp>
#include <Teuchos_ParameterListExceptions.hpp>
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "framework/deck/expression.hpp"
#include "framework/deck/nearest_name.hpp"
#include "framework/deck/number_text.hpp"
#include "framework/deck/tree.hpp"
#include "framework/deck/words.hpp"
#include "framework/runtime/error.hpp"

namespace halocline::deck {
namespace {

/// Teuchos has no arrays of bool; only booleans are stored as arrays of int.
using Booleans = Teuchos::Array<int>;

/// Calls `visit` with the value as its C++ type in a parameter list.
template <class Visit>
void visit_entry(Teuchos::ParameterEntry const& entry, Visit visit) {
  auto const try_type = [&](auto example) {
    using Type = decltype(example);
    if (!entry.isType<Type>()) return false;
    visit(Teuchos::getValue<Type>(entry));
    return true;
  };
  bool const known = try_type(bool()) || try_type(std::int64_t()) || try_type(double()) || try_type(std::string()) ||
                     try_type(Booleans()) || try_type(Teuchos::Array<std::int64_t>()) ||
                     try_type(Teuchos::Array<double>()) || try_type(Teuchos::Array<std::string>());
  if (!known) throw DefectError("a parameter list holds a type that no option has");
}

/// Carries all refusals of one value through Teuchos.
class RefusedValue : public Teuchos::Exceptions::InvalidParameterValue {
 public:
  explicit RefusedValue(std::vector<Refusal> refusals)
      : InvalidParameterValue(refusals.front().text), refusals_(std::move(refusals)) {}
  [[nodiscard]] std::vector<Refusal> const& refusals() const { return refusals_; }

 private:
  std::vector<Refusal> refusals_;
};

std::string joined_advice(std::string const& first, std::string const& second) {
  return first.empty() || second.empty() ? first + second : first + " " + second;
}

/// Checks a parameter against the declaration of its option.
class OptionValidator : public Teuchos::ParameterEntryValidator {
 public:
  explicit OptionValidator(Option option) : option_(std::move(option)), names_(option_.names()) {}

  std::string const getXMLTypeName() const override { return "haloclineOption"; }
  void printDoc(std::string const& text, std::ostream& out) const override {
    out << text << " (" << expected(option_) << ", " << allowed_range(option_) << ")\n";
  }
  ValidStringsList validStringValues() const override {
    return names_.empty() ? Teuchos::null : Teuchos::rcp(new Teuchos::Array<std::string>(names_));
  }
  void validate(Teuchos::ParameterEntry const& entry, std::string const&, std::string const&) const override {
    std::vector<Refusal> refusals;
    visit_entry(entry, [&](auto const& value) { validate(value, refusals); });
    if (!refusals.empty()) throw RefusedValue(refusals);
  }

 private:
  void validate_one(bool, std::optional<std::size_t>, std::vector<Refusal>&) const {}

  template <class Number>
  requires std::is_arithmetic_v<Number>
  void validate_one(Number value, std::optional<std::size_t> entry, std::vector<Refusal>& refusals) const {
    auto const number = static_cast<double>(value);
    auto const& lower = option_.lower();
    auto const& upper = option_.upper();
    bool const too_small = lower && (lower->inclusive ? number < lower->value : number <= lower->value);
    bool const too_large = upper && (upper->inclusive ? number > upper->value : number >= upper->value);
    if (too_small || too_large)
      refusals.push_back({entry, written(value) + " is out of range: must be " + allowed_range(option_), ""});
  }

  void validate_one(std::string const& value, std::optional<std::size_t> entry, std::vector<Refusal>& refusals) const {
    if (option_.kind() == OptionKind::choice && std::find(names_.begin(), names_.end(), value) == names_.end()) {
      std::string const nearest = nearest_name(value, names_);
      refusals.push_back(
          {entry, "expected " + expected_entry(option_) + ", got '" + printable(value) + "'",
           joined_advice(nearest.empty() ? "" : "did you mean `" + nearest + "`?", option_.more_names())});
    }
    if (option_.kind() == OptionKind::path && value.empty())
      refusals.push_back({entry, "expected a path, got none", ""});
    if (option_.kind() == OptionKind::expression || option_.kind() == OptionKind::field)
      validate_expression(value, entry, refusals);
  }

  static void validate_expression(std::string const& value, std::optional<std::size_t> entry,
                                  std::vector<Refusal>& refusals) {
    auto const number = real_from(value);
    if (auto const* const wrong = std::get_if<NotANumber>(&number); wrong != nullptr && !wrong->why.empty()) {
      refusals.push_back({entry, "'" + printable(value) + "' is not a valid value: " + wrong->why, ""});
      return;
    }
    try {
      Expression const expression(value);
      if (expression.is_constant() && !std::isfinite(expression(0, 0, 0, 0)))
        refusals.push_back({entry, "'" + printable(value) + "' is not finite", ""});
    } catch (InputError const& error) {
      refusals.push_back({entry, error.what(), ""});
    }
  }

  template <class Value>
  void validate(Value const& value, std::vector<Refusal>& refusals) const {
    validate_one(value, std::nullopt, refusals);
  }

  template <class Value>
  void validate(Teuchos::Array<Value> const& values, std::vector<Refusal>& refusals) const {
    auto const least = static_cast<std::size_t>(option_.minimum_entries());
    auto const most = static_cast<std::size_t>(option_.maximum_entries());
    auto const size = static_cast<std::size_t>(values.size());
    if (size < least || size > most)
      refusals.push_back({std::nullopt, "expected " + expected(option_) + ", got " + std::to_string(size), ""});
    for (std::size_t n = 0; n < size; ++n) {
      Value const value = values[static_cast<typename Teuchos::Array<Value>::size_type>(n)];
      validate_one(value, n, refusals);
    }
  }

  Option option_;
  std::vector<std::string> names_;
};

}  // namespace

Validator make_validator(Option const& option) { return Teuchos::rcp(new OptionValidator(option)); }

std::vector<Refusal> hold(Option const& option, Validator const& validator, OptionValue const& value,
                          Teuchos::ParameterList& parameters) {
  auto const set = [&](auto const& held) { parameters.set(option.name(), held, "", validator); };
  try {
    std::visit(
        [&](auto const& typed) {
          using Type = std::decay_t<decltype(typed)>;
          if constexpr (std::is_same_v<Type, std::vector<bool>>) {
            set(Booleans(typed.begin(), typed.end()));
          } else if constexpr (std::is_same_v<Type, std::monostate>) {
            throw DefectError("option `" + option.name() + "` has no value to hold");
          } else if constexpr (requires { typename Type::allocator_type; } && !std::is_same_v<Type, std::string>) {
            set(Teuchos::Array<typename Type::value_type>(typed));
          } else {
            set(typed);
          }
        },
        value);
  } catch (RefusedValue const& refused) {
    parameters.remove(option.name(), false);
    return refused.refusals();
  }
  return {};
}

OptionValue held(std::string const& name, Teuchos::ParameterList const& parameters) {
  OptionValue value;
  Teuchos::ParameterEntry const* const entry = parameters.getEntryPtr(name);
  if (entry == nullptr) return value;
  auto const take = [&](auto const& typed) {
    using Type = std::decay_t<decltype(typed)>;
    if constexpr (std::is_same_v<Type, Booleans>) {
      value = std::vector<bool>(typed.begin(), typed.end());
    } else if constexpr (requires { typed.toVector(); }) {
      value = typed.toVector();
    } else {
      value = Type(typed);
    }
  };
  visit_entry(*entry, take);
  return value;
}

}  // namespace halocline::deck
