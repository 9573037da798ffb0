#include "physics/nbody/attraction.hpp"

#include <type_traits>

#include "framework/runtime/device_execution.hpp"
#include "framework/runtime/devices.hpp"
#include "framework/runtime/error.hpp"
#include "physics/nbody/portable.hpp"
#include "physics/nbody/vectorised.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "physics/nbody/cuda.hpp"
#endif

namespace halocline::nbody {
namespace {

constexpr bool on_host = std::is_same_v<Execution, HostExecution>;

}  // namespace

std::string to_string(Form form) {
  switch (form) {
    case Form::vectorised:
      return "vectorised";
    case Form::cuda:
      return "cuda";
    default:
      return "portable";
  }
}

std::vector<Form> forms() {
#if defined(KOKKOS_ENABLE_CUDA)
  return {Form::cuda, Form::portable};
#else
  if constexpr (on_host) return {Form::vectorised, Form::portable};
  return {Form::portable};
#endif
}

template <class Real>
void attract(Execution const& execution, Attraction<Real> const& attraction, Form form) {
  CurrentDevice const current(device_of(execution));
#if defined(KOKKOS_ENABLE_CUDA)
  if (form == Form::cuda) return cuda::attract(execution, attraction);
#endif
  if constexpr (on_host) {
    if (form == Form::vectorised) return vectorised::attract(execution, attraction);
  }
  if (form != Form::portable) throw DefectError("this build has no " + to_string(form) + " form of attractions");
  portable::attract(execution, attraction);
}

template void attract(Execution const&, Attraction<float> const&, Form);
template void attract(Execution const&, Attraction<double> const&, Form);

}  // namespace halocline::nbody
