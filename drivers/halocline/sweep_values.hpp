#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace halocline {

/// An option that a sweep varies, as typed.
struct SweptOption {
  std::string name;                 ///< "gray-scott.F", or "F" if the physics has that option
  std::vector<std::string> values;  ///< each as `--set` takes it
};

/// One run of a sweep.
struct SweptRun {
  std::vector<std::string> values;  ///< one for each option
  std::string folder;               ///< its own, inside the sweep's folder: "F=0.02,k=0.05"
};

inline constexpr std::size_t most_swept_runs = 10000;

/// Reads the arguments of each `--sweep`: a name, and values separated by commas. A comma in brackets or quotation
/// marks is part of a value. Throws a single InputError with all mistakes, one per line: no name, no values, an empty
/// or repeated value, unclosed brackets or quotation marks, a repeated name.
[[nodiscard]] std::vector<SweptOption> read_sweeps(std::vector<std::string> const& typed);

/// All combinations of the values; those of the last option change fastest. Folder names are unique, and contain only
/// letters, digits and a few signs; other characters are replaced. Throws InputError for more than `most_swept_runs`.
[[nodiscard]] std::vector<SweptRun> swept_runs(std::vector<SweptOption> const& options);

}  // namespace halocline
