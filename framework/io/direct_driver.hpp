#pragma once

#include <filesystem>

#include "framework/io/hdf5.hpp"

namespace halocline::hdf5 {

/// How to open a file with plain system calls, no locks and no block read to be written back, so that several processes
/// of one host can write different parts of it at the same time.
///
/// A write that fails is not told to HDF5, which would be left unable to close the file and crash at the program's end
/// (1.10). The first one's errno is in `error` instead, which outlives the file; nothing is written after it. Look
/// there when the file is closed, or when opening it failed.
[[nodiscard]] Object direct_access(int& error, std::filesystem::path const& path);

}  // namespace halocline::hdf5
