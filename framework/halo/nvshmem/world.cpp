#include "framework/halo/nvshmem/world.hpp"

#include <nvshmem.h>
#include <nvshmemx.h>

#include <algorithm>
#include <cstdlib>
#include <span>

#include "framework/halo/cuda/rank_devices.hpp"
#include "framework/halo/transports/module.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/round_up.hpp"

namespace halocline::nvshmem {
namespace {

bool started = false;

/// Collective. Starts NVSHMEM. nvshmemx_init_attr would do the same, but ends the process on failure.
std::string start(Communicator const& communicator) {
  setenv("NVSHMEM_DISABLE_NVLS", "1", 1);  // NVLink multicast, which point-to-point messages do not use
  nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
  int const failed = communicator.rank() == 0 ? nvshmemx_get_uniqueid(&id) : 0;
  if (communicator.any(failed != 0)) return failed != 0 ? "it cannot create the id of a run" : "";
  communicator.broadcast(std::as_writable_bytes(std::span(&id, 1)), 0);
  nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
  nvshmemx_set_attr_uniqueid_args(communicator.rank(), communicator.size(), &id, &attributes);
  nvshmemi_version_t const version = {NVSHMEM_VENDOR_MAJOR_VERSION, NVSHMEM_VENDOR_MINOR_VERSION,
                                      NVSHMEM_VENDOR_PATCH_VERSION};
  int provided = 0;
  int const status =
      nvshmemi_init_thread(NVSHMEM_THREAD_SERIALIZED, &provided, NVSHMEMX_INIT_WITH_UNIQUEID, &attributes, version);
  return status == 0 ? "" : "NVSHMEM does not start (status " + std::to_string(status) + ")";
}

}  // namespace

World& World::instance() {
  static auto* const world = new World;  // never destroyed
  return *world;
}

std::string World::make(Communicator const& communicator) {
  World& world = instance();
  if (started) {
    std::vector<int> const numbers = ranks_of(communicator, world.ranks_);
    bool const known = std::find(numbers.begin(), numbers.end(), MPI_UNDEFINED) == numbers.end();
    return known ? "" : "NVSHMEM was started for other ranks";
  }
  std::string const shared = cuda::ranks_on_one_device(communicator);
  if (!shared.empty()) return shared + ", but NVSHMEM needs one for each";
  std::string const failure = start(communicator);
  if (communicator.any(!failure.empty())) return failure;
  world.arena_ = static_cast<std::byte*>(nvshmem_malloc(static_cast<std::size_t>(nvshmem_arena_bytes)));
  bool const without = world.arena_ == nullptr;
  if (communicator.any(without)) {
    return without ? "the symmetric heap has no room for " + std::to_string(nvshmem_arena_bytes) +
                         " bytes; NVSHMEM_SYMMETRIC_SIZE sets its size"
                   : "";
  }
  MPI_Comm_group(communicator.data(), &world.ranks_);
  started = true;
  return "";
}

std::vector<int> World::peers(Communicator const& communicator) const {
  if (!started) throw DefectError("NVSHMEM is used before it was asked for");
  std::vector<int> numbers = ranks_of(communicator, ranks_);
  if (std::find(numbers.begin(), numbers.end(), MPI_UNDEFINED) != numbers.end()) {
    throw InputOutputError("NVSHMEM was started for other ranks");
  }
  return numbers;
}

std::byte* World::allocate(Index bytes) {
  constexpr Index alignment = 256;
  if (used_ + bytes > nvshmem_arena_bytes) {
    throw InputOutputError("no more than " + std::to_string(nvshmem_arena_bytes) +
                           " bytes of messages fit into the symmetric heap of NVSHMEM");
  }
  std::byte* const memory = arena_ + used_;
  used_ += round_up(bytes, alignment);
  return memory;
}

}  // namespace halocline::nvshmem
