#pragma once

#include <array>
#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "framework/runtime/index.hpp"
#include "physics/nbody/bodies.hpp"

namespace halocline::nbody {

/// The columns of a file of bodies.
inline constexpr std::array column_names{"x", "y", "z", "vx", "vy", "vz", "mass"};
using Row = std::array<double, column_names.size()>;

/// Throws InputError, with a message that begins with `place`, for a number that is not finite and for a mass below 0.
[[nodiscard]] Body body_of(Row const& row, std::string const& place);

/// The number of bodies in a file. Throws as `read_bodies` does; of an .npy file only the header is read.
[[nodiscard]] Index count_rows(std::string const& path);

/// The bodies of a file, one per row: x, y, z, velocity in x, y, z, and mass.
///
///   - .npy (NumPy's format, versions 1 to 3): an array of shape (n, 7) of float32, float64 or integers;
///   - .csv: text, seven comma-separated numbers per line, see read_csv.
///
/// Throws InputError, naming file and line or row, for another shape or type and for a number that is not finite;
/// InputOutputError if the file cannot be read.
[[nodiscard]] std::vector<Body> read_bodies(std::string const& path);
/// Bodies from text, one per line: x, y, z, velocity in x, y, z, and mass, separated by commas. Empty lines and lines
/// that begin with # are skipped. The first line may contain the names of the columns. Cells may be in double quotes,
/// and the text may begin with a byte order mark.
///
/// \param path the file's name, for messages
/// Throws InputError, naming file, line and cell; InputOutputError if reading fails.
[[nodiscard]] std::vector<Body> read_csv(std::istream& text, std::string const& path);

}  // namespace halocline::nbody
