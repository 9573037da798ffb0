#include "framework/kernel/box_loops.hpp"

namespace halocline {

template <class To, class From>
Kokkos::View<To*, Memory> on_device(std::vector<From> const& values) {
  Kokkos::View<To*, Memory> view(Kokkos::view_alloc(Kokkos::WithoutInitializing, "numbers along an axis"),
                                 values.size());
  auto const host = Kokkos::create_mirror_view(view);
  for (std::size_t n = 0; n < values.size(); ++n) host(n) = static_cast<To>(values[n]);
  Kokkos::deep_copy(view, host);
  return view;
}

template Kokkos::View<float*, Memory> on_device<float>(std::vector<double> const&);
template Kokkos::View<double*, Memory> on_device<double>(std::vector<double> const&);
template Kokkos::View<Index*, Memory> on_device<Index>(std::vector<Index> const&);

}  // namespace halocline
