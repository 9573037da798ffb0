#include "framework/operator/cg_scalars.hpp"

namespace halocline {
namespace {

struct Begin {
  double* numbers;
  double square;
  KOKKOS_FUNCTION void operator()(int) const {
    numbers[0] = 0;
    numbers[1] = 0;
    numbers[2] = square;
  }
};

struct FindAlpha {
  double* numbers;
  PlainSum const* curvature;
  KOKKOS_FUNCTION void operator()(int) const {
    double const found = curvature->value();
    numbers[0] = found > 0 && Kokkos::isfinite(found) ? numbers[2] / found : 0;
  }
};

struct FindBeta {
  double* numbers;
  PlainSum const* square;
  KOKKOS_FUNCTION void operator()(int) const {
    // As whoever keeps the norm has it again.
    double const norm = Kokkos::sqrt(square->value());
    numbers[1] = norm * norm / numbers[2];
    numbers[2] = norm * norm;
  }
};

template <class Functor>
void enqueue(Execution const& execution, Functor const& functor) {
  Kokkos::parallel_for("scalars of conjugate gradients", Kokkos::RangePolicy<Execution, int>(execution, 0, 1), functor);
}

}  // namespace

CgScalars::CgScalars() : numbers_("scalars of conjugate gradients", 3) {}

void CgScalars::begin(Execution const& execution, double square) const {
  enqueue(execution, Begin{numbers_.data(), square});
}
void CgScalars::find_alpha(Execution const& execution, PlainSum const* curvature) const {
  enqueue(execution, FindAlpha{numbers_.data(), curvature});
}
void CgScalars::find_beta(Execution const& execution, PlainSum const* square) const {
  enqueue(execution, FindBeta{numbers_.data(), square});
}

}  // namespace halocline
