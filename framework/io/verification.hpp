#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace halocline {

/// A file that a run wrote, and what is wrong with it.
struct VerifiedFile {
  std::filesystem::path path;
  std::vector<std::string> damage;  ///< in words, each a line; empty: every byte that counts is as it was written
  std::string note = {};            ///< of what is no file that counts: a checkpoint that was not finished
};

/// Looks at every byte of what a run has written: all of its folder, a checkpoint, or one file. What is not of a run is
/// left out. Files that nobody knows a checksum of (those of a run that was killed) are held to what can be known:
/// their form. Throws InputError where there is no such path, or nothing of a run in it.
[[nodiscard]] std::vector<VerifiedFile> verify(std::filesystem::path const& path);

}  // namespace halocline
