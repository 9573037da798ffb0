#include "physics/nbody/attraction.hpp"

#include <algorithm>
#include <type_traits>

#include "framework/runtime/device_execution.hpp"
#include "framework/runtime/devices.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/stop.hpp"

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
  if (form != Form::portable)
    throw DefectError("this build has no " + to_string(form) + " form of the force computation");
  portable::sum_pairs(execution, interaction);
}

/// Targets per part: equally many for each thread, in whole registers.
template <class Interaction>
Index targets_of_part(Execution const& execution, Interaction const& interaction, Index pairs) {
  constexpr Index in_registers = 64;
  Index const of_thread = pairs / std::max<Index>(1, interaction.source_count) / in_registers;
  return std::max<Index>(1, of_thread) * in_registers * static_cast<Index>(execution.concurrency());
}

template <class Interaction>
void sum_pairs_until_stopped(Execution const& execution, Interaction const& interaction, Form form, Index pairs) {
  // Work enqueued on a device cannot be cancelled.
  if constexpr (!on_host) return sum_pairs(execution, interaction, form);
  Index const most = targets_of_part(execution, interaction, pairs);
  for (Index first = 0; first < interaction.target_count; first += most) {
    if (first > 0 && stop_signal() != 0)
      throw StoppedError("stopped by a signal during the force computation of a step");
    sum_pairs(execution, interaction.part(first, std::min(most, interaction.target_count - first)), form);
  }
}

template void sum_pairs(Execution const&, Attraction<float> const&, Form);
template void sum_pairs(Execution const&, Attraction<double> const&, Form);
template void sum_pairs(Execution const&, Potential<float> const&, Form);
template void sum_pairs(Execution const&, Potential<double> const&, Form);
template void sum_pairs_until_stopped(Execution const&, Attraction<float> const&, Form, Index);
template void sum_pairs_until_stopped(Execution const&, Attraction<double> const&, Form, Index);
template void sum_pairs_until_stopped(Execution const&, Potential<float> const&, Form, Index);
template void sum_pairs_until_stopped(Execution const&, Potential<double> const&, Form, Index);

}  // namespace halocline::nbody
