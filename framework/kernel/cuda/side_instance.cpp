#include "framework/kernel/cuda/side_instance.hpp"

#include <memory>

namespace halocline::kernel::cuda {

SideInstance const& SideInstance::get() {
  static std::unique_ptr<SideInstance> instance;
  if (instance == nullptr) {
    instance.reset(new SideInstance);
    Kokkos::push_finalize_hook([] { instance.reset(); });
  }
  return *instance;
}

}  // namespace halocline::kernel::cuda
