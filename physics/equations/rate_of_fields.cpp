#include "physics/equations/rate_of_fields.hpp"

#include <algorithm>
#include <utility>

#include "framework/runtime/error.hpp"
#include "physics/equations/closed_walls.hpp"

namespace halocline {

template <class Real>
bool ImplicitRate<Real>::evaluate(RatePart, double, FieldVector<Real> const&, FieldVector<Real>&) {
  throw DefectError("a rate that sweeps evaluate was asked to do so by operators");
}

template <class Real>
double ImplicitRate<Real>::euler_rate() {
  throw DefectError("a rate that sweeps evaluate was asked for the stable step of its operators");
}

template <class Real>
RateOfField<Real>::RateOfField(std::shared_ptr<StructuredMesh const> mesh, std::unique_ptr<LinearTerms<Real>> terms,
                               std::unique_ptr<LinearTerms<Real>> rest, std::shared_ptr<FieldVector<Real> const> volume,
                               std::unique_ptr<LinearSolver> solver)
    : mesh_(std::move(mesh)),
      solved_{std::move(terms)},
      explicit_{std::move(rest)},
      volume_(std::move(volume)),
      solver_(std::move(solver)) {}

template <class Real>
void RateOfField<Real>::prepare(double scale) {
  if (operator_ != nullptr && scale == scale_) return;
  scale_ = scale;
  operator_ = solved_.terms->make_operator(1, scale);
  solver_->prepare(*operator_);
  if (b_ == nullptr) b_ = operator_->create_vector();
}

template <class Real>
SolveReport RateOfField<Real>::solve(double time, double scale, FieldVector<Real> const& right,
                                     FieldVector<Real>& out) {
  prepare(scale);
  b_->multiply(*volume_, right);
  solved_.terms->add_walls(time, scale, *b_);
  if (out.field().ghosts() == 1) {
    if (!zero_walls_) zero_walls_.emplace(out.field(), walls_of_kind(BoundaryKind::zero, *mesh_));
    zero_walls_->fill(out.field(), time);
    return solver_->solve(*operator_, *b_, out);
  }
  if (x_ == nullptr) x_ = operator_->create_vector();
  x_->copy(out);
  SolveReport report = solver_->solve(*operator_, *b_, *x_);
  out.copy(*x_);
  return report;
}

template <class Real>
void RateOfField<Real>::find_stiffness(Part& part) {
  if (part.stiffness == nullptr) part.stiffness = part.terms->make_operator(0, 1);
  if (minus_inverse_volume_ != nullptr) return;
  minus_inverse_volume_ = volume_->create();
  minus_inverse_volume_->copy(*volume_);
  minus_inverse_volume_->invert();
  minus_inverse_volume_->scale(-1);
}

template <class Real>
void RateOfField<Real>::subtract(Part& part, double time, FieldVector<Real> const& y, Vector& out) {
  find_stiffness(part);
  if (y.field().ghosts() == 1) {
    part.stiffness->apply(y, out);
  } else {
    if (x_ == nullptr) x_ = part.stiffness->create_vector();
    x_->copy(y);
    part.stiffness->apply(*x_, out);
  }
  part.terms->add_walls(time, -1, out);
}

template <class Real>
bool RateOfField<Real>::evaluate(RatePart part, double time, FieldVector<Real> const& y, FieldVector<Real>& out) {
  bool const has_rest = explicit_.terms != nullptr;
  if (part == RatePart::explicit_ && !has_rest) return false;
  subtract(part == RatePart::explicit_ ? explicit_ : solved_, time, y, out);
  if (part == RatePart::whole && has_rest) {
    if (sum_ == nullptr) sum_ = volume_->create();
    subtract(explicit_, time, y, *sum_);
    out.add(1, *sum_);
  }
  out.multiply(*minus_inverse_volume_, out);
  return true;
}

/// By Gershgorin's circles, for diffusion: the diagonal is the sum of a cell's face coefficients and at least the sum
/// of its neighbours' entries.
template <class Real>
double RateOfField<Real>::euler_rate(Part& part) {
  if (std::optional<double> const known = part.terms->euler_rate()) return *known;
  find_stiffness(part);
  auto const diagonal = volume_->create();
  if (!part.stiffness->diagonal(*diagonal)) throw DefectError("the operator of diffusion has no diagonal");
  diagonal->multiply(*minus_inverse_volume_, *diagonal);
  return diagonal->maximum();  // of magnitudes
}

template <class Real>
double RateOfField<Real>::euler_rate() {
  if (solver_ == nullptr) return euler_rate(solved_);
  return explicit_.terms != nullptr ? euler_rate(explicit_) : 0;
}

template <class Real>
void RateOfField<Real>::serialize(StateArchive& state, std::string const& group) {
  serialize_prepared(state, group, scale_, solver_.get(), [this](double scale) { prepare(scale); });
}

template <class Real>
void RateOfFields<Real>::add(std::string group, std::optional<RateOfField<Real>> rate) {
  of_fields_.push_back({std::move(group), std::move(rate)});
}

template <class Real>
std::vector<SolveReport> RateOfFields<Real>::solve(double time, double scale, FieldVector<Real> const& right,
                                                   FieldVector<Real>& out) {
  if (of_fields_.empty()) throw DefectError("a rate without an implicit part was asked to solve for it");
  if (of_fields_.size() == 1 && of_fields_[0].rate) return {of_fields_[0].rate->solve(time, scale, right, out)};
  std::vector<SolveReport> reports;
  for (std::size_t n = 0; n < of_fields_.size(); ++n) {
    FieldVector<Real> const from = right.of_field(n);
    FieldVector<Real> to = out.of_field(n);
    if (of_fields_[n].rate) {
      reports.push_back(of_fields_[n].rate->solve(time, scale, from, to));
    } else {
      to.copy(from);
    }
  }
  return reports;
}

template <class Real>
bool RateOfFields<Real>::evaluate(RatePart part, double time, FieldVector<Real> const& y, FieldVector<Real>& out) {
  bool is_any = false;
  std::vector<std::size_t> zero;
  for (std::size_t n = 0; n < of_fields_.size(); ++n) {
    FieldVector<Real> to = out.of_field(n);
    if (of_fields_[n].rate && of_fields_[n].rate->evaluate(part, time, y.of_field(n), to)) {
      is_any = true;
    } else {
      zero.push_back(n);
    }
  }
  if (!is_any) return false;
  for (std::size_t const n : zero) out.of_field(n).fill(0);
  return true;
}

template <class Real>
double RateOfFields<Real>::euler_rate() {
  double largest = 0;
  for (OfField& each : of_fields_) {
    if (each.rate) largest = std::max(largest, each.rate->euler_rate());
  }
  return largest;
}

template <class Real>
void RateOfFields<Real>::serialize(StateArchive& state) {
  for (OfField& each : of_fields_) {
    if (each.rate) each.rate->serialize(state, each.group);
  }
}

template class ImplicitRate<float>;
template class ImplicitRate<double>;
template class RateOfField<float>;
template class RateOfField<double>;
template class RateOfFields<float>;
template class RateOfFields<double>;

}  // namespace halocline
