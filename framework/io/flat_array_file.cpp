#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "framework/deck/validation.hpp"
#include "framework/io/array_file.hpp"
#include "framework/io/npy_header.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

/// Contiguous numbers, in the order of the axes or reversed.
class FlatArrayFile final : public ArrayFile {
 public:
  /// \param more whether further data may follow the last number
  FlatArrayFile(InputFile file, NpyHeader const& header, int dimensions, bool more)
      : ArrayFile(std::move(file)), numbers_(header.numbers), begin_(header.begin), reversed_(header.fortran_order) {
    require_size(header, more);
    set_shape(header.shape, dimensions);
    Index stride = 1;
    std::size_t const axes = shape().size();
    std::vector<Index> strides(axes);
    for (std::size_t n = 0; n < axes; ++n) {
      std::size_t const axis = reversed_ ? n : axes - 1 - n;
      strides[axis] = stride;
      stride *= shape()[axis];
    }
    for (int axis = 0; axis < dimensions; ++axis) {
      strides_[static_cast<std::size_t>(axis)] = strides[static_cast<std::size_t>(dimensions - 1 - axis)];
    }
    if (components() > 0) component_stride_ = strides.back();
  }

  [[nodiscard]] int slowest_axis() const override { return reversed_ ? 0 : dimensions() - 1; }

  void read(IndexRange const& box, Index component, double* values) const override {
    std::array<std::size_t, 3> order{0, 1, 2};
    if (reversed_) std::swap(order[0], order[static_cast<std::size_t>(dimensions() - 1)]);
    auto const [fast, middle, slow] = order;
    Extents const extents = box.extents();
    Extents const steps{1, extents[0], extents[0] * extents[1]};
    for (Index s = 0; s < extents[slow]; ++s) {
      Extents at = box.begin;
      at[slow] += s;
      read_plane(offset_of(at, component), {extents[fast], strides_[fast], steps[fast]},
                 {extents[middle], strides_[middle], steps[middle]}, values + s * steps[slow]);
    }
  }

 private:
  /// Number of entries along an axis, and their strides in the file and in memory, in numbers.
  struct Line {
    Index count;
    Index in_file;
    Index in_memory;
  };

  void require_size(NpyHeader const& header, bool more) const {
    std::optional<Index> const numbers = product(header.shape);
    Index needed = 0;
    bool const overflows = !numbers || __builtin_mul_overflow(*numbers, static_cast<Index>(numbers_.bytes), &needed) ||
                           __builtin_add_overflow(needed, header.begin, &needed);
    Index const has = file().identity().bytes;
    if (!overflows && (has == needed || (more && has > needed))) return;
    std::string const wanted = "an array of shape " + shape_text(header.shape) + " of " + to_string(numbers_);
    if (overflows) throw wrong_file(file().path(), "should hold " + wanted + ", which no file can hold");
    throw wrong_file(file().path(), (has < needed ? "is cut off: it has " : "has ") + std::to_string(has) +
                                        " bytes, and " + wanted + " takes " + std::to_string(needed) +
                                        (header.begin > 0 ? " including the bytes before it" : ""));
  }

  [[nodiscard]] Index offset_of(Extents const& at, Index component) const {
    Index number = component * component_stride_;
    for (std::size_t axis = 0; axis < 3; ++axis) number += at[axis] * strides_[axis];
    return begin_ + number * static_cast<Index>(numbers_.bytes);
  }

  /// Lines with small gaps between them are read together.
  void read_plane(Index offset, Line const& line, Line const& lines, double* values) const {
    auto const size = static_cast<Index>(numbers_.bytes);
    Index const span = (line.count - 1) * line.in_file + 1;
    Index const whole = (lines.count - 1) * lines.in_file + span;
    bool const together = whole <= 2 * span * lines.count;
    std::vector<std::byte> bytes(static_cast<std::size_t>((together ? whole : span) * size));
    if (together) file().read(offset, bytes.size(), bytes.data());
    std::vector<double> numbers(static_cast<std::size_t>(line.count));
    for (Index n = 0; n < lines.count; ++n) {
      Index const at = n * lines.in_file * size;
      if (!together) file().read(offset + at, bytes.size(), bytes.data());
      decode(numbers_, bytes.data() + (together ? at : 0), static_cast<std::size_t>(line.in_file * size),
             numbers.size(), numbers.data());
      for (Index i = 0; i < line.count; ++i) {
        values[n * lines.in_memory + i * line.in_memory] = numbers[static_cast<std::size_t>(i)];
      }
    }
  }

  NumberFormat numbers_;
  Index begin_;
  bool reversed_;
  Extents strides_{0, 0, 0};  ///< in numbers
  Index component_stride_ = 0;
};

NpyHeader header_of(InputFile const& file) {
  Index at = 0;
  try {
    return read_npy_header([&](std::size_t bytes) {
      std::string text = file.text(at, bytes);
      at += static_cast<Index>(text.size());
      return text;
    });
  } catch (InputError const& error) {
    std::string const why = error.what();
    // Those of meshes begin as XML: the signature of HDF5 comes later.
    bool const is_snapshot = std::ranges::any_of(std::array{".vti", ".vtr", ".vtkhdf"},
                                                 [&](char const* end) { return file.path().ends_with(end); });
    bool const is_hdf5 = file.text(0, 8) == "\x89HDF\r\n\x1a\n";
    std::string const advice = at > 8        ? ""
                               : is_snapshot ? "; for a snapshot, `field` names the field in it"
                               : is_hdf5     ? "; give `dataset` for an HDF5 file, or `field` for a snapshot"
                                         : "; give `type` and `dims` for raw numbers, or `dataset` for an HDF5 file";
    throw wrong_file(file.path(), why + advice);
  }
}

}  // namespace

std::unique_ptr<ArrayFile> open_npy(std::string const& path, int dimensions) {
  InputFile file(path);
  NpyHeader const header = header_of(file);
  return std::make_unique<FlatArrayFile>(std::move(file), header, dimensions, false);
}

std::unique_ptr<ArrayFile> open_raw(FieldFile const& given, int dimensions) {
  InputFile file(given.path);
  NpyHeader header;
  header.numbers = number_format(given.type, given.big_endian).value();
  header.shape.assign(given.dims.rbegin(), given.dims.rend());
  header.begin = given.offset.value_or(0);
  return std::make_unique<FlatArrayFile>(std::move(file), header, dimensions, given.offset.has_value());
}

}  // namespace halocline
