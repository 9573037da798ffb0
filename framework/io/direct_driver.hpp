#pragma once

#include <filesystem>

#include "framework/io/hdf5.hpp"

namespace halocline::hdf5 {

/// Property list for opening a file with plain system calls, without locks or read-modify-write of blocks, so that
/// several processes of one host can write different parts of it concurrently.
///
/// A failed write is not reported to HDF5 (1.10), which could not close the file and would crash at exit. Instead the
/// first errno is stored in `error`, which must outlive the file, and further writes are skipped. Check it after the
/// file is closed, or if opening it failed.
[[nodiscard]] Object direct_access(int& error, std::filesystem::path const& path);

}  // namespace halocline::hdf5
