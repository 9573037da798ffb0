#pragma once

#include <Kokkos_Core.hpp>

#include "framework/runtime/cuda_stream.hpp"

namespace halocline::kernel::cuda {

/// An instance of Kokkos' for work beside that of others, with its stream. One for a process, until Kokkos ends.
class SideInstance {
 public:
  [[nodiscard]] static SideInstance const& get();
  [[nodiscard]] halocline::cuda::StreamBeside const& stream() const { return stream_; }
  [[nodiscard]] Kokkos::Cuda const& execution() const { return execution_; }

 private:
  SideInstance() : stream_(0), execution_(stream_.stream()) {}

  halocline::cuda::StreamBeside stream_;
  Kokkos::Cuda execution_;
};

}  // namespace halocline::kernel::cuda
