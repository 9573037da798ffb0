#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/deck/field_source.hpp"
#include "framework/io/input_file.hpp"
#include "framework/mesh/index_range.hpp"

namespace halocline {

/// An array of numbers in a file, as a grid of one, two or three axes that is indexed [z][y][x] ([y][x], [x]), with a
/// last axis more where entries have several numbers. Boxes of it are read by themselves.
class ArrayFile {
 public:
  virtual ~ArrayFile() = default;
  ArrayFile(ArrayFile const&) = delete;
  ArrayFile& operator=(ArrayFile const&) = delete;

  [[nodiscard]] InputFile const& file() const { return file_; }
  [[nodiscard]] std::vector<Index> const& shape() const { return shape_; }
  [[nodiscard]] int dimensions() const { return dimensions_; }
  /// Entries along x, y and z; 1 along axes that the array does not have.
  [[nodiscard]] Extents extents() const;
  /// Numbers of an entry; 0 where no axis tells of any.
  [[nodiscard]] Index components() const;
  /// The axis (0: x) along which neighbours lie farthest apart in the file.
  [[nodiscard]] virtual int slowest_axis() const { return dimensions_ - 1; }
  /// One number of each entry of a box, x fastest.
  virtual void read(IndexRange const& box, Index component, double* values) const = 0;

  /// Whether the entries are values on nodes, where the file says so, and not on cells.
  [[nodiscard]] virtual std::optional<bool> on_nodes() const { return std::nullopt; }
  /// Where the cells of the file's own mesh begin and end along an axis, one more than cells; empty where it does not
  /// say.
  [[nodiscard]] virtual std::vector<double> edges(int /*axis*/) const { return {}; }

 protected:
  explicit ArrayFile(InputFile file) : file_(std::move(file)) {}
  /// Throws InputError where the array has neither as many axes as that nor one more.
  void set_shape(std::vector<Index> shape, int dimensions);

 private:
  InputFile file_;
  std::vector<Index> shape_;
  int dimensions_ = 0;
};

/// "(16, 8, 4)"
[[nodiscard]] std::string shape_text(std::vector<Index> const& shape);

/// Opens the array that the deck describes, for a mesh of so many axes. Throws InputError, which names the file, where
/// there is none, for numbers that are not real, for sizes that do not fit together, and for another number of axes.
[[nodiscard]] std::unique_ptr<ArrayFile> open_array(FieldFile const& file, int dimensions);

/// \name Of one format each
/// @{
[[nodiscard]] std::unique_ptr<ArrayFile> open_npy(std::string const& path, int dimensions);
[[nodiscard]] std::unique_ptr<ArrayFile> open_raw(FieldFile const& file, int dimensions);
[[nodiscard]] std::unique_ptr<ArrayFile> open_dataset(FieldFile const& file, int dimensions);
[[nodiscard]] std::unique_ptr<ArrayFile> open_snapshot(FieldFile const& file, int dimensions);
/// @}

}  // namespace halocline
