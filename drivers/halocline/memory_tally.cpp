#include "drivers/halocline/memory_tally.hpp"

#include <malloc.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "framework/runtime/backend.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/allocator_interface.h>
#endif

namespace halocline {
namespace {

/// Allocated by Kokkos on devices since the process started.
double device_bytes = 0;
double first = 0;
double most = 0;

double heap_bytes() {
#if defined(__SANITIZE_ADDRESS__)
  // The sanitizer's allocator replaces the system's.
  return static_cast<double>(__sanitizer_get_current_allocated_bytes());
#else
  struct mallinfo2 const heap = mallinfo2();
  return static_cast<double>(heap.uordblks + heap.hblkhd);
#endif
}

double held() { return memory_on_host ? heap_bytes() : device_bytes; }

void update_most() { most = std::max(most, held()); }

bool counts = false;

bool is_of_device(Kokkos_Profiling_SpaceHandle const& space) { return std::string_view(space.name) == Memory::name(); }

void see_allocation(Kokkos_Profiling_SpaceHandle space, char const*, void const*, std::uint64_t size) {
  if (is_of_device(space)) device_bytes += static_cast<double>(size);
  update_most();
}

/// Called before the memory is freed.
void see_end(Kokkos_Profiling_SpaceHandle space, char const*, void const*, std::uint64_t size) {
  update_most();
  if (is_of_device(space)) device_bytes -= static_cast<double>(size);
}

}  // namespace

void see_list(std::size_t bytes) {
  constexpr std::size_t least = 1024;
  if (counts && bytes >= least) update_most();
}

void start_kokkos_for_tally() {
  for (char const* const variable : {"KOKKOS_TOOLS_LIBS", "KOKKOS_PROFILE_LIBRARY"}) unsetenv(variable);
  Kokkos::initialize(Kokkos::InitializationSettings().set_num_threads(1).set_disable_warnings(true));
}

MemoryTally::MemoryTally() {
  first = most = held();
  counts = memory_on_host;
  Kokkos::Tools::Experimental::set_allocate_data_callback(see_allocation);
  Kokkos::Tools::Experimental::set_deallocate_data_callback(see_end);
}

MemoryTally::~MemoryTally() {
  counts = false;
  Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
  Kokkos::Tools::Experimental::set_deallocate_data_callback(nullptr);
}

double MemoryTally::bytes() const {
  update_most();
  return held() - first;
}

double MemoryTally::peak() const {
  update_most();
  return most - first;
}

}  // namespace halocline
