#include "framework/multigrid/field_coarsening.hpp"

#include <utility>

#include "framework/operator/field_vector.hpp"

namespace halocline {

template <class Transfers>
FieldCoarsening<Transfers>::FieldCoarsening(Transfers transfers, Operator const& fine, std::unique_ptr<Operator> coarse)
    : transfers_(std::move(transfers)), fine_(fine), coarse_(std::move(coarse)), residual_(fine.create_vector()) {}

template <class Transfers>
void FieldCoarsening<Transfers>::residual_restrict(Vector const& b, Vector const& x, Vector& coarse_b) const {
  fine_.subtract_product(b, x, *residual_);
  restrict_to(*residual_, coarse_b);
}

template <class Transfers>
void FieldCoarsening<Transfers>::restrict_to(Vector const& fine, Vector& coarse) const {
  using Real = typename Transfers::Real;
  transfers_.restrict_to(*as_field_vector<Real>(fine).fields().front(),
                         *as_field_vector<Real>(coarse).fields().front());
}

template <class Transfers>
void FieldCoarsening<Transfers>::prolong_add(Vector const& coarse_x, Vector& x) const {
  using Real = typename Transfers::Real;
  transfers_.prolong_add(*as_field_vector<Real>(coarse_x).fields().front(), *as_field_vector<Real>(x).fields().front());
}

template class FieldCoarsening<NodalTransfers<float>>;
template class FieldCoarsening<NodalTransfers<double>>;
template class FieldCoarsening<CellTransfers<float>>;
template class FieldCoarsening<CellTransfers<double>>;

}  // namespace halocline
