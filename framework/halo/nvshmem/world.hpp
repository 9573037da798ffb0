#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

#include "framework/mesh/index_range.hpp"
#include "framework/runtime/communicator.hpp"

namespace halocline::nvshmem {

/// The ranks of a run as NVSHMEM knows them, and memory on its symmetric heap. There is one, to the end of the process.
class World {
 public:
  /// Collective. Why NVSHMEM cannot start for these ranks; empty: `instance` is there for them.
  [[nodiscard]] static std::string make(Communicator const& communicator);
  [[nodiscard]] static World& instance();

  /// NVSHMEM's numbers of all ranks of a communicator. Throws InputOutputError where it has none for one of them.
  [[nodiscard]] std::vector<int> peers(Communicator const& communicator) const;
  /// Memory of this rank's arena, kept to the end. Throws InputOutputError when there is no more.
  [[nodiscard]] std::byte* allocate(Index bytes);
  /// The same place of the arena has the same offset on all ranks.
  [[nodiscard]] Index offset_of(std::byte const* memory) const { return memory - arena_; }
  [[nodiscard]] std::byte* at(Index offset) const { return arena_ + offset; }

 private:
  MPI_Group ranks_ = MPI_GROUP_NULL;
  std::byte* arena_ = nullptr;
  Index used_ = 0;
};

}  // namespace halocline::nvshmem
