#pragma once

#include <filesystem>
#include <functional>

#include "framework/io/hdf5.hpp"
#include "framework/runtime/communicator.hpp"

namespace halocline {

/// Data of a file, such as checksums, that is available only after all ranks have written their values.
struct SharedFileSeal {
  std::function<void()> combine;                 ///< collective; empty: none
  std::function<void(hdf5::File const&)> write;  ///< on rank 0 only, into declared datasets
};

/// Collective. Writes one HDF5 file from all ranks: rank 0 declares its contents, then all ranks write their values
/// concurrently and independently. The file gets its final name only when it is complete and on the disk.
///
/// \param user_block bytes at the beginning of the file that HDF5 does not use (hdf5::without_gaps)
///
/// If a rank fails, in `declare`, in `fill` or around them, it still takes part in all collective calls. Afterwards all
/// ranks throw its error, and the file is deleted.
void write_shared_file(Communicator const& communicator, std::filesystem::path const& path,
                       std::function<void(hdf5::File const&)> const& declare,
                       std::function<void(hdf5::File const&)> const& fill, Index user_block = 0,
                       SharedFileSeal const& seal = {});

}  // namespace halocline
