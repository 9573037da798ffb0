#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "physics/nbody/bodies.hpp"

namespace halocline::nbody {

/// Bodies from text, one a line: x, y, z, velocity in x, y, z, and mass, with commas between them. Empty lines and
/// those that begin with # do not count. The first line may hold the names of the columns instead. Cells may stand in
/// double quotes, and the text may begin with a byte order mark.
///
/// \param path the file's name, for messages
/// Throws InputError, which names file, line and cell; InputOutputError where reading fails.
[[nodiscard]] std::vector<Body> read_csv(std::istream& text, std::string const& path);

}  // namespace halocline::nbody
