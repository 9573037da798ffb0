#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace halocline {

/// The value of an option. Choices, paths, expressions and fields are stored as the given text.
using OptionValue = std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<bool>,
                                 std::vector<std::int64_t>, std::vector<double>, std::vector<std::string>>;

enum class OptionKind { integer, real, boolean, text, choice, path, expression, field };

/// Names of a choice; called when a deck is read, so that plugins loaded before then are included.
using Names = std::function<std::vector<std::string>()>;

/// Declaration of one option, from which validation, help, the schema and the reference pages are derived.
/// An option is required unless `defaults_to` or `optional` says otherwise.
///
///     section.real("relative_tolerance", "Residual, relative to the initial one, that ends a solve.")
///         .defaults_to(1e-10).at_least(0).below(1);
class Option {
 public:
  Option(std::string name, OptionKind kind, std::string sentence);

  /// The value if the deck does not give this option.
  Option& defaults_to(OptionValue value);
  /// May be left out, and then has no value (`Options::has` is false).
  Option& optional();
  /// Unit of the value in printed form ("s", "K", "cells").
  Option& unit(std::string unit);
  /// Bounds on a number, and on every entry of a numeric vector.
  Option& at_least(double bound);
  Option& at_most(double bound);
  Option& above(double bound);
  Option& below(double bound);
  /// Makes the option a vector of `minimum` to `maximum` entries; a single entry needs no brackets.
  Option& entries(int minimum, int maximum);
  /// The permitted names of a choice.
  Option& names(Names names);
  Option& names(std::vector<std::string> names);
  /// Advice if the given name is unknown, added to the nearest known name: where to find more names.
  Option& more_names(std::string advice);

  /// For a text: also accepts a list, which becomes its text in brackets: "[0, 1]".
  Option& or_list();

  [[nodiscard]] std::string const& name() const { return name_; }
  [[nodiscard]] OptionKind kind() const { return kind_; }
  [[nodiscard]] std::string const& sentence() const { return sentence_; }
  [[nodiscard]] std::string const& unit() const { return unit_; }
  /// std::monostate if there is none.
  [[nodiscard]] OptionValue const& default_value() const { return default_; }
  [[nodiscard]] bool is_required() const { return required_; }
  [[nodiscard]] bool is_vector() const { return maximum_entries_ > 0; }
  [[nodiscard]] int minimum_entries() const { return minimum_entries_; }
  [[nodiscard]] int maximum_entries() const { return maximum_entries_; }
  [[nodiscard]] bool takes_list() const { return takes_list_; }
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::string const& more_names() const { return more_names_; }

  struct Bound {
    double value;
    bool inclusive;
  };
  [[nodiscard]] std::optional<Bound> const& lower() const { return lower_; }
  [[nodiscard]] std::optional<Bound> const& upper() const { return upper_; }

 private:
  std::string name_;
  OptionKind kind_;
  std::string sentence_;
  std::string unit_;
  OptionValue default_;
  bool required_ = true;
  std::optional<Bound> lower_;
  std::optional<Bound> upper_;
  int minimum_entries_ = 0;
  int maximum_entries_ = 0;
  bool takes_list_ = false;
  Names names_;
  std::string more_names_;
};

}  // namespace halocline
