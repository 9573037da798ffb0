#include "framework/io/array_file.hpp"

#include <utility>

#include "framework/runtime/error.hpp"

namespace halocline {

Extents ArrayFile::extents() const {
  Extents extents{1, 1, 1};
  for (int axis = 0; axis < dimensions_; ++axis) {
    extents[static_cast<std::size_t>(axis)] = shape_[static_cast<std::size_t>(dimensions_ - 1 - axis)];
  }
  return extents;
}

Index ArrayFile::components() const {
  return shape_.size() > static_cast<std::size_t>(dimensions_) ? shape_.back() : 0;
}

void ArrayFile::set_shape(std::vector<Index> shape, int dimensions) {
  auto const axes = static_cast<std::size_t>(dimensions);
  if (shape.size() != axes && shape.size() != axes + 1) {
    constexpr char const* orders[] = {"[x]", "[y][x]", "[z][y][x]"};
    throw wrong_file(file().path(), "has an array of shape " + shape_text(shape) + ", and the mesh has " +
                                        std::to_string(dimensions) + (dimensions == 1 ? " axis" : " axes") +
                                        ": expected an array indexed " + orders[dimensions - 1]);
  }
  shape_ = std::move(shape);
  dimensions_ = dimensions;
}

std::string shape_text(std::vector<Index> const& shape) {
  std::string text;
  for (Index const extent : shape) text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "(" + text + (shape.size() == 1 ? ",)" : ")");
}

std::unique_ptr<ArrayFile> open_array(FieldFile const& file, int dimensions) {
  switch (file.format) {
    case FieldFile::Format::raw:
      return open_raw(file, dimensions);
    case FieldFile::Format::hdf5:
      return open_dataset(file, dimensions);
    case FieldFile::Format::snapshot:
      return open_snapshot(file, dimensions);
    case FieldFile::Format::npy:
      break;
  }
  return open_npy(file.path, dimensions);
}

}  // namespace halocline
