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

template <class Interaction>
void sum_pairs(Execution const& execution, Interaction const& interaction, Form form) {
  CurrentDevice const current(device_of(execution));
#if defined(KOKKOS_ENABLE_CUDA)
  if (form == Form::cuda) return cuda::sum_pairs(execution, interaction);
#endif
  if constexpr (on_host) {
    if (form == Form::vectorised) return vectorised::sum_pairs(execution, interaction);
  }
  if (form != Form::portable) throw DefectError("this build has no " + to_string(form) + " form of attractions");
  portable::sum_pairs(execution, interaction);
}

template void sum_pairs(Execution const&, Attraction<float> const&, Form);
template void sum_pairs(Execution const&, Attraction<double> const&, Form);
template void sum_pairs(Execution const&, Potential<float> const&, Form);
template void sum_pairs(Execution const&, Potential<double> const&, Form);

}  // namespace halocline::nbody
