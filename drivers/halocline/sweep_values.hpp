#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace halocline {

/// An option that a sweep varies, as it was typed.
struct SweptOption {
  std::string name;                 ///< "gray-scott.F", or "F" where that is an option of the physics
  std::vector<std::string> values;  ///< each as `--set` takes it
};

/// One run of a sweep.
struct SweptRun {
  std::vector<std::string> values;  ///< one for each option
  std::string folder;               ///< its own, inside that of the sweep: "F=0.02,k=0.05"
};

inline constexpr std::size_t most_swept_runs = 10000;

/// Reads what was given to each `--sweep`: a name, and values with commas between. A comma in brackets or quotation
/// marks is part of a value. Throws one InputError that lists all that is wrong, one a line: no name, no values, an
/// empty value or one that is there twice, brackets or quotation marks that do not close, a name that is there twice.
[[nodiscard]] std::vector<SweptOption> read_sweeps(std::vector<std::string> const& typed);

/// Every combination of the values, those of the last option changing fastest. What names of folders should not have
/// (all but letters, digits and a few signs) is replaced in theirs, and each is there once. Throws InputError for more
/// than `most_swept_runs`.
[[nodiscard]] std::vector<SweptRun> swept_runs(std::vector<SweptOption> const& options);

}  // namespace halocline
