#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

#include "framework/mesh/index_range.hpp"
#include "framework/runtime/communicator.hpp"

namespace halocline::nvshmem {

/// The ranks of a run in NVSHMEM, and memory on its symmetric heap. There is one, until the process ends.
class World {
 public:
  /// Collective. Returns why NVSHMEM cannot start for these ranks; if empty, `instance` may be called.
  [[nodiscard]] static std::string make(Communicator const& communicator);
  [[nodiscard]] static World& instance();

  /// The NVSHMEM ranks of all ranks of a communicator. Throws InputOutputError if one of them has none.
  [[nodiscard]] std::vector<int> peers(Communicator const& communicator) const;
  /// Memory of this rank's arena, kept until the process ends. Throws InputOutputError when none is left.
  [[nodiscard]] std::byte* allocate(Index bytes);
  /// Offsets are the same on all ranks.
  [[nodiscard]] Index offset_of(std::byte const* memory) const { return memory - arena_; }
  [[nodiscard]] std::byte* at(Index offset) const { return arena_ + offset; }

 private:
  MPI_Group ranks_ = MPI_GROUP_NULL;
  std::byte* arena_ = nullptr;
  Index used_ = 0;
};

}  // namespace halocline::nvshmem
