#include "framework/runtime/region.hpp"

#include <Kokkos_Core.hpp>

#include "framework/runtime/region_counter.hpp"
#include "framework/runtime/trace.hpp"

namespace halocline {

ScopedRegion::ScopedRegion(char const* name)
    : name_(name), time_(region_counter::of(name)), outermost_(region_counter::start(time_)), traced_(trace::is_on()) {
  if (traced_) start_ = trace::Clock::now();
  if (Kokkos::Profiling::profileLibraryLoaded()) Kokkos::Profiling::pushRegion(name);
  trace::enter_on_device(name);
}

ScopedRegion::~ScopedRegion() {
  trace::leave_on_device();
  region_counter::stop(time_, outermost_);
  if (traced_) trace::add(name_, start_, trace::Clock::now());
  if (Kokkos::Profiling::profileLibraryLoaded()) Kokkos::Profiling::popRegion();
}

}  // namespace halocline
