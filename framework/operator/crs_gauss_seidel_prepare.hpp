#pragma once

#include <KokkosSparse_gauss_seidel.hpp>

#include "framework/operator/crs_gauss_seidel.hpp"

namespace halocline {

template <class Real>
void prepare_gauss_seidel(Execution const& where, GaussSeidelHandle<Real>& handle, CrsLocalRows<Real> const& local) {
  // A colouring by several threads depends on their timing, and so would the bits of results. The deterministic
  // colouring of Kokkos Kernels omits a row of the smallest matrices. So the colouring is serial.
  handle.create_gs_handle(where, 1, KokkosSparse::GS_DEFAULT, KokkosGraph::COLORING_SERIAL);
  auto const& [offsets, columns, values] = local.rows;
  KokkosSparse::Experimental::gauss_seidel_symbolic(where, &handle, local.size(), local.size(), offsets, columns,
                                                    false);
  KokkosSparse::Experimental::gauss_seidel_numeric(where, &handle, local.size(), local.size(), offsets, columns, values,
                                                   false);
}

}  // namespace halocline
