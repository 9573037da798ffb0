#pragma once

#include <string>
#include <vector>

#include "framework/runtime/index.hpp"
#include "physics/nbody/bodies.hpp"

namespace halocline::nbody {

/// How many bodies a file has. Throws as `read_bodies`; of an .npy file only the header is read.
[[nodiscard]] Index count_rows(std::string const& path);

/// The bodies of a file, one a row: x, y, z, velocity in x, y, z, and mass.
///
///   - .npy (NumPy's format, versions 1 to 3): an array of shape (n, 7) of float32, float64 or integers;
///   - .csv: text, seven numbers a line with commas between them, see read_csv.
///
/// Throws InputError, which names file and line or row, for another shape or type and for what is no finite number;
/// InputOutputError where the file cannot be read.
[[nodiscard]] std::vector<Body> read_bodies(std::string const& path);

}  // namespace halocline::nbody
