#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/deck/field_source.hpp"
#include "framework/io/input_file.hpp"
#include "framework/mesh/index_range.hpp"

namespace halocline {

/// An array of numbers in a file: a grid of one, two or three axes, indexed [z][y][x] ([y][x], [x]), with a further
/// last axis if entries have several numbers. Boxes can be read separately.
class ArrayFile {
 public:
  virtual ~ArrayFile() = default;
  ArrayFile(ArrayFile const&) = delete;
  ArrayFile& operator=(ArrayFile const&) = delete;

  [[nodiscard]] InputFile const& file() const { return file_; }
  [[nodiscard]] std::vector<Index> const& shape() const { return shape_; }
  [[nodiscard]] int dimensions() const { return dimensions_; }
  /// Entries along x, y and z; 1 on axes that the array does not have.
  [[nodiscard]] Extents extents() const;
  /// Numbers per entry; 0 if the array has no axis for them.
  [[nodiscard]] Index components() const;
  /// The axis (0: x) along which neighbours are farthest apart in the file.
  [[nodiscard]] virtual int slowest_axis() const { return dimensions_ - 1; }
  /// Reads one number of each entry of a box, x fastest.
  virtual void read(IndexRange const& box, Index component, double* values) const = 0;

  /// Whether entries are on nodes (true) or cells (false); nothing if the file does not say.
  [[nodiscard]] virtual std::optional<bool> on_nodes() const { return std::nullopt; }
  /// Edges of the cells of the file's own mesh along an axis, one more than cells; empty if the file has none.
  [[nodiscard]] virtual std::vector<double> edges(int /*axis*/) const { return {}; }

 protected:
  explicit ArrayFile(InputFile file) : file_(std::move(file)) {}
  /// Throws InputError if the array has neither `dimensions` axes nor one more.
  void set_shape(std::vector<Index> shape, int dimensions);

 private:
  InputFile file_;
  std::vector<Index> shape_;
  int dimensions_ = 0;
};

/// "(16, 8, 4)"
[[nodiscard]] std::string shape_text(std::vector<Index> const& shape);

/// Opens the array that the deck describes, for a mesh with `dimensions` axes. Throws InputError, which names the file,
/// if it does not exist, for numbers that are not real, inconsistent sizes, and another number of axes.
[[nodiscard]] std::unique_ptr<ArrayFile> open_array(FieldFile const& file, int dimensions);

/// \name One format each
/// @{
[[nodiscard]] std::unique_ptr<ArrayFile> open_npy(std::string const& path, int dimensions);
[[nodiscard]] std::unique_ptr<ArrayFile> open_raw(FieldFile const& file, int dimensions);
[[nodiscard]] std::unique_ptr<ArrayFile> open_dataset(FieldFile const& file, int dimensions);
[[nodiscard]] std::unique_ptr<ArrayFile> open_snapshot(FieldFile const& file, int dimensions);
/// @}

}  // namespace halocline
