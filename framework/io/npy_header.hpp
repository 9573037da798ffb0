#pragma once

#include <functional>
#include <string>
#include <vector>

#include "framework/io/number_format.hpp"
#include "framework/runtime/index.hpp"

namespace halocline {

/// What a file in NumPy's format says of its array
/// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html, versions 1 to 3).
struct NpyHeader {
  NumberFormat numbers;
  std::vector<Index> shape;
  bool fortran_order = false;  ///< the first axis is the fastest, not the last
  Index begin = 0;             ///< bytes before the first number
};

/// \param next reads on in the file: the next bytes, fewer at its end
/// Throws InputError, saying what the file is or has ("is no .npy file"), where it is no array of real numbers.
[[nodiscard]] NpyHeader read_npy_header(std::function<std::string(std::size_t bytes)> const& next);

}  // namespace halocline
