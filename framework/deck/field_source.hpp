#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "framework/deck/expression.hpp"
#include "framework/deck/location.hpp"
#include "framework/deck/section.hpp"

namespace halocline {

/// A file that a deck takes the values of a field from. What the file itself says of its numbers is not here.
struct FieldFile {
  enum class Format {
    npy,      ///< NumPy's .npy
    raw,      ///< numbers alone, as `type`, `dims`, `offset` and `big_endian` say
    hdf5,     ///< the dataset `dataset` of an HDF5 file
    snapshot  ///< the field `field` of a snapshot that Halocline wrote
  };
  std::string path;
  Format format = Format::npy;
  std::string type;                    ///< "float32", …
  std::vector<std::int64_t> dims;      ///< numbers along x, y and z
  std::optional<std::int64_t> offset;  ///< bytes before the first number; none: 0, and the file ends with the last
  bool big_endian = false;
  std::string dataset;
  std::string field;
  std::optional<std::int64_t> component;  ///< of entries with several numbers
  bool interpolate = false;               ///< from another resolution than the mesh's
  Location location;                      ///< in the deck
};

/// Where a deck takes the values of a field from: an expression or a file.
class FieldSource {
 public:
  FieldSource(Expression expression) : source_(std::move(expression)) {}
  FieldSource(FieldFile file) : source_(std::move(file)) {}

  /// Null where the other one is given.
  [[nodiscard]] Expression const* expression() const { return std::get_if<Expression>(&source_); }
  [[nodiscard]] FieldFile const* file() const { return std::get_if<FieldFile>(&source_); }

  /// True of an expression that is one number, `constant()`, everywhere and at all times.
  [[nodiscard]] bool is_constant() const { return expression() != nullptr && expression()->is_constant(); }
  [[nodiscard]] double constant() const { return (*expression())(0, 0, 0, 0); }
  [[nodiscard]] bool is_zero() const { return is_constant() && constant() == 0; }
  [[nodiscard]] bool depends_on_time() const { return expression() != nullptr && expression()->depends_on_time(); }
  /// What messages call it: the text of the expression, or the path of the file.
  [[nodiscard]] std::string const& text() const { return file() != nullptr ? file()->path : expression()->text(); }
  /// The same as messages begin with it: "'x - 1'", "`u0.npy` (deck.yaml:7:12)".
  [[nodiscard]] std::string described() const;

 private:
  std::variant<Expression, FieldFile> source_;
};

/// Declares what stands for a field in place of an expression: `{file: u0.npy}`.
[[nodiscard]] Section field_file_section();

class Options;

/// \param section judged by `field_file_section()`
[[nodiscard]] FieldFile read_field_file(Options const& section);

}  // namespace halocline
