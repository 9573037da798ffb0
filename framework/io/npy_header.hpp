#pragma once

#include <functional>
#include <string>
#include <vector>

#include "framework/io/number_format.hpp"
#include "framework/runtime/index.hpp"

namespace halocline {

/// The description of the array in a file in NumPy's format
/// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html, versions 1 to 3).
struct NpyHeader {
  NumberFormat numbers;
  std::vector<Index> shape;
  bool fortran_order = false;  ///< the first axis is the fastest, not the last
  Index begin = 0;             ///< bytes before the first number
};

/// \param next reads the next bytes of the file, fewer at its end
/// Throws InputError, with the file's defect or contents ("is not an .npy file"), unless it is an array of real
/// numbers.
[[nodiscard]] NpyHeader read_npy_header(std::function<std::string(std::size_t bytes)> const& next);

}  // namespace halocline
