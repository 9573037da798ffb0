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

/// A file from which a deck takes the values of a field. Excludes what the file itself says about its numbers.
struct FieldFile {
  enum class Format {
    npy,      ///< NumPy's .npy
    raw,      ///< plain numbers, described by `type`, `dims`, `offset` and `big_endian`
    hdf5,     ///< the dataset `dataset` of an HDF5 file
    snapshot  ///< the field `field` of a snapshot that Halocline wrote
  };
  std::string path;
  Format format = Format::npy;
  std::string type;                    ///< "float32", …
  std::vector<std::int64_t> dims;      ///< extents along x, y and z
  std::optional<std::int64_t> offset;  ///< bytes before the first number; none: 0, and no bytes may follow the last
  bool big_endian = false;
  std::string dataset;
  std::string field;
  std::optional<std::int64_t> component;  ///< if entries have several numbers
  bool interpolate = false;               ///< the file may have another resolution than the mesh
  Location location;                      ///< location in the deck
};

/// Source of a field's values in a deck: an expression or a file.
class FieldSource {
 public:
  FieldSource(Expression expression) : source_(std::move(expression)) {}
  FieldSource(FieldFile file) : source_(std::move(file)) {}

  /// Null if the source is a file (an expression).
  [[nodiscard]] Expression const* expression() const { return std::get_if<Expression>(&source_); }
  [[nodiscard]] FieldFile const* file() const { return std::get_if<FieldFile>(&source_); }

  /// True for an expression that has one value, `constant()`, everywhere and at all times.
  [[nodiscard]] bool is_constant() const { return expression() != nullptr && expression()->is_constant(); }
  [[nodiscard]] double constant() const { return (*expression())(0, 0, 0, 0); }
  [[nodiscard]] bool is_zero() const { return is_constant() && constant() == 0; }
  [[nodiscard]] bool depends_on_time() const { return expression() != nullptr && expression()->depends_on_time(); }
  /// Its name in messages: the text of the expression, or the path of the file.
  [[nodiscard]] std::string const& text() const { return file() != nullptr ? file()->path : expression()->text(); }
  /// The same for the beginning of a message: "'x - 1'", "`u0.npy` (deck.yaml:7:12)".
  [[nodiscard]] std::string described() const;

 private:
  std::variant<Expression, FieldFile> source_;
};

/// Declares the section that may replace the expression of a field: `{file: u0.npy}`.
[[nodiscard]] Section field_file_section();

class Options;

/// \param section validated against `field_file_section()`
[[nodiscard]] FieldFile read_field_file(Options const& section);

}  // namespace halocline
