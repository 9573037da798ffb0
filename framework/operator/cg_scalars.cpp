#include "framework/operator/cg_scalars.hpp"

namespace halocline {
namespace {

struct Begin {
  CgRecurrence* recurrence;
  double product;
  KOKKOS_FUNCTION void operator()(int) const { *recurrence = {.product = product}; }
};

struct FindAlpha {
  CgRecurrence* recurrence;
  PlainSum const* curvature;
  KOKKOS_FUNCTION void operator()(int) const { recurrence->find_alpha(curvature->value()); }
};

struct FindBeta {
  CgRecurrence* recurrence;
  PlainSum const* sums;
  bool has_product;
  KOKKOS_FUNCTION void operator()(int) const {
    // Squares the norm as a host that stores the norm does, for the same bits.
    double const norm = Kokkos::sqrt(sums[0].value());
    recurrence->find_beta(has_product ? sums[1].value() : norm * norm);
  }
};

template <class Functor>
void enqueue(Execution const& execution, Functor const& functor) {
  Kokkos::parallel_for("scalars of conjugate gradients", Kokkos::RangePolicy<Execution, int>(execution, 0, 1), functor);
}

}  // namespace

CgScalars::CgScalars() : recurrence_("scalars of conjugate gradients") {}

void CgScalars::begin(Execution const& execution, double product) const {
  enqueue(execution, Begin{recurrence_.data(), product});
}
void CgScalars::find_alpha(Execution const& execution, PlainSum const* curvature) const {
  enqueue(execution, FindAlpha{recurrence_.data(), curvature});
}
void CgScalars::find_beta(Execution const& execution, PlainSum const* sums, bool has_product) const {
  enqueue(execution, FindBeta{recurrence_.data(), sums, has_product});
}

}  // namespace halocline
