#include "framework/halo/cuda/rank_devices.hpp"

#include <cuda_runtime.h>

#include <cstring>
#include <numeric>
#include <span>

#include "framework/runtime/communicator.hpp"
#include "framework/runtime/cuda_check.hpp"

namespace halocline {

std::vector<int> ranks_of(Communicator const& communicator, MPI_Group group) {
  MPI_Group part = MPI_GROUP_NULL;
  MPI_Comm_group(communicator.data(), &part);
  std::vector<int> mine(static_cast<std::size_t>(communicator.size()));
  std::iota(mine.begin(), mine.end(), 0);
  std::vector<int> theirs(mine.size());
  MPI_Group_translate_ranks(part, communicator.size(), mine.data(), group, theirs.data());
  MPI_Group_free(&part);
  return theirs;
}

std::string cuda::ranks_on_one_device(Communicator const& communicator) {
  int device = 0;
  cudaDeviceProp properties{};
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  Index words[2] = {0, 0};
  static_assert(sizeof words == sizeof properties.uuid);
  std::memcpy(words, &properties.uuid, sizeof words);
  std::vector<Index> const all = communicator.all_gather(std::span<Index const>(words));
  for (std::size_t a = 0; a < all.size(); a += 2) {
    for (std::size_t b = a + 2; b < all.size(); b += 2) {
      if (all[a] != all[b] || all[a + 1] != all[b + 1]) continue;
      return "ranks " + std::to_string(a / 2) + " and " + std::to_string(b / 2) + " share a GPU";
    }
  }
  return "";
}

}  // namespace halocline
