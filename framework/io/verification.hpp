#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace halocline {

/// A file of a run, and its damage.
struct VerifiedFile {
  std::filesystem::path path;
  std::vector<std::string> damage;  ///< one line each; empty: all relevant bytes are intact
  std::string note = {};            ///< for an incomplete file, such as an unfinished checkpoint
};

/// Verifies every byte that a run has written: in its folder, that of a sweep with all its runs, a checkpoint, or a
/// file. Other files are ignored. Files without a known checksum (of a killed run) are checked for their format only.
/// Throws InputError if the path does not exist or has nothing of a run.
[[nodiscard]] std::vector<VerifiedFile> verify(std::filesystem::path const& path);

}  // namespace halocline
