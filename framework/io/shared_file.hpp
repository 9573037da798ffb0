#pragma once

#include <filesystem>
#include <functional>

#include "framework/io/hdf5.hpp"
#include "framework/runtime/communicator.hpp"

namespace halocline {

/// What is known of a file only when all ranks have written their values, as checksums are.
struct SharedFileSeal {
  std::function<void()> combine;                 ///< collective; empty: there is none
  std::function<void(hdf5::File const&)> write;  ///< on rank 0 alone, into what was declared
};

/// Collective. Writes one HDF5 file from all ranks: rank 0 declares what is in it, then all ranks write their values
/// into it at the same time, independently of each other. The file has its name only when it is whole and on the disk.
///
/// \param user_block bytes at the beginning of the file that HDF5 leaves to others (hdf5::without_gaps)
///
/// When a rank fails, in `declare`, in `fill` or in what surrounds them, it still takes part in everything that is
/// collective, and all ranks throw its error afterwards; nothing of the file is left.
void write_shared_file(Communicator const& communicator, std::filesystem::path const& path,
                       std::function<void(hdf5::File const&)> const& declare,
                       std::function<void(hdf5::File const&)> const& fill, Index user_block = 0,
                       SharedFileSeal const& seal = {});

}  // namespace halocline
