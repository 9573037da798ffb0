#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/deck/expression.hpp"
#include "framework/deck/location.hpp"
#include "framework/deck/section.hpp"
#include "framework/runtime/error.hpp"

namespace Teuchos {
class ParameterList;
}

namespace halocline {

class FieldSource;

namespace deck {

/// Thrown on access to a value that is missing or has a mistake. It ends a running check. After validation only
/// required options of an unused section can be missing, so that access to them is a defect of the caller.
struct Unvalidated : DefectError {
  using DefectError::DefectError;
};

}  // namespace deck

/// The validated values of one section of a deck, with defaults. Cheap to copy. Throws DefectError for a name that the
/// section does not declare, for access as another type than declared, and for an optional value that was not given.
class Options {
 public:
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] double real(std::string_view name) const;
  [[nodiscard]] bool boolean(std::string_view name) const;
  [[nodiscard]] std::string text(std::string_view name) const;
  [[nodiscard]] std::string path(std::string_view name) const;
  [[nodiscard]] std::string choice(std::string_view name) const;
  [[nodiscard]] Expression expression(std::string_view name) const;
  [[nodiscard]] FieldSource field(std::string_view name) const;
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view name) const;
  [[nodiscard]] std::vector<double> reals(std::string_view name) const;
  [[nodiscard]] std::vector<bool> booleans(std::string_view name) const;

  /// Number of entries of a vector. In a check this is available even if an entry has a mistake.
  [[nodiscard]] std::size_t entries(std::string_view name) const;

  /// The inner section `name`; all defaults if the deck does not give it.
  [[nodiscard]] Options section(std::string_view name) const;
  [[nodiscard]] std::vector<Options> list(std::string_view name) const;

  /// True if the section declares an option, a section or a list of this name.
  [[nodiscard]] bool declares(std::string_view name) const;
  /// True if the option has a value, given or default.
  [[nodiscard]] bool has(std::string_view name) const;
  /// True if the deck or the command line gives this option, section or list.
  [[nodiscard]] bool given(std::string_view name) const;
  /// Location of the option, section or list; that of this section if it was not given.
  [[nodiscard]] Location location(std::string_view name) const;
  /// The fields that this section and its inner sections read from files, by full name, except those with a mistake.
  [[nodiscard]] std::vector<std::pair<std::string, FieldSource>> field_files() const;
  /// Where this section begins.
  [[nodiscard]] Location location() const;
  /// Name of this section from the root of the deck: "solver.cg", "flow.regions[2]"; empty at the root.
  [[nodiscard]] std::string full_name() const;
  /// `full_name()` of an option of this section.
  [[nodiscard]] std::string full_name(std::string_view name) const;
  /// Every value, including defaults, as one JSON object, for the record of a run.
  [[nodiscard]] std::string json() const;

  struct Values;  ///< storage of the values (a Teuchos::ParameterList); defined for the deck's own files only
  explicit Options(std::shared_ptr<Values const> values);

 private:
  friend Teuchos::ParameterList parameter_list(Options const& options);  // of parameter_list.hpp
  std::shared_ptr<Values const> values_;
};

}  // namespace halocline
