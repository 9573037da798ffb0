#include "physics/equations/transport/terms.hpp"

#include <utility>

namespace halocline::transport {
namespace {

/// The same discretisation with a part of its terms.
Discretisation part_of(Discretisation const& whole, Terms terms) {
  Description description = whole.description();
  description.terms = terms;
  return Discretisation(std::move(description));
}

}  // namespace

template <class Real>
TransportTerms<Real>::TransportTerms(Discretisation discretisation)
    : discretisation_(std::move(discretisation)),
      rows_(assemble<Real>(discretisation_)),
      walls_(wall_source<Real>(discretisation_)),
      peclet_(rows_->peclet),
      rate_(rows_->rate),
      is_solenoidal_(rows_->is_solenoidal) {}

template <class Real>
std::unique_ptr<Operator> TransportTerms<Real>::make_operator(double mass, double scale) {
  std::optional<Rows<Real>> const first = std::exchange(rows_, std::nullopt);
  if (mass == 0 && scale == 1)
    return transport::make_operator<Real>(discretisation_, first ? *first : assemble<Real>(discretisation_));
  Description description = discretisation_.description();
  description.mass = mass;
  description.scale = scale;
  Discretisation const scaled(std::move(description));
  return transport::make_operator<Real>(scaled, assemble<Real>(scaled));
}

template <class Real>
Carried<Real> carried(Discretisation const& discretisation, bool is_split,
                      std::shared_ptr<FieldVector<Real> const> volume, std::unique_ptr<LinearSolver> solver) {
  using AllTerms = TransportTerms<Real>;
  auto whole = std::make_unique<AllTerms>(discretisation);
  double const peclet = whole->peclet();
  bool const is_solenoidal = whole->is_solenoidal();
  std::unique_ptr<AllTerms> solved = std::move(whole);
  std::unique_ptr<AllTerms> rest;
  if (is_split) {
    // A step that is stable for all terms is also stable where diffusion is solved for.
    double const rate = *solved->euler_rate();
    solved = std::make_unique<AllTerms>(part_of(discretisation, Terms::diffusion));
    rest = std::make_unique<AllTerms>(part_of(discretisation, Terms::transport));
    if (*rest->euler_rate() == 0) rest.reset();
    if (rest != nullptr) rest->limit_euler_rate(rate);
  }
  return {RateOfField<Real>(discretisation.description().mesh, std::move(solved), std::move(rest), std::move(volume),
                            std::move(solver)),
          peclet, is_solenoidal};
}

template class TransportTerms<float>;
template class TransportTerms<double>;
template Carried<float> carried(Discretisation const&, bool, std::shared_ptr<FieldVector<float> const>,
                                std::unique_ptr<LinearSolver>);
template Carried<double> carried(Discretisation const&, bool, std::shared_ptr<FieldVector<double> const>,
                                 std::unique_ptr<LinearSolver>);

}  // namespace halocline::transport
