#include "physics/equations/weighted_integrals.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "framework/field/field.hpp"

namespace halocline {
namespace {

template <class Real>
auto named(Fields<Real> const& fields, std::string const& name) {
  return std::find_if(fields.begin(), fields.end(), [&](auto const& field) { return field->name() == name; });
}

/// An estimate of the sum of |u| volume, for a Quantity that is the integral of u. By Cauchy and Schwarz it is at most
/// the root of the sum of u^2 volume times the sum of all volumes.
double magnitude_of_integral(Vector const& u, Vector const& volume, double all_volume) {
  auto const terms = u.create();
  terms->multiply(volume, u);
  return std::sqrt(u.dot(*terms) * all_volume);
}

}  // namespace

template <class Real>
WeightedIntegrals<Real>::WeightedIntegrals(std::vector<WeightedIntegral> const& declared,
                                           FieldVector<Real> const& volume, Fields<Real> const& state,
                                           Fields<Real> const& weights) {
  auto const one = volume.create();
  one->fill(1);
  for (WeightedIntegral const& each : declared) {
    std::shared_ptr<Vector> factor = volume.create();
    factor->copy(volume);
    if (!each.weight.empty()) factor->multiply(volume, FieldVector<Real>(*named(weights, each.weight)));
    Quantity& quantity = quantities_.emplace_back(Quantity{each.name});
    if (each.field.empty()) {
      quantity.value = one->dot(*factor);
      continue;
    }
    auto const at = static_cast<std::size_t>(named(state, each.field) - state.begin());
    if (each.weight.empty()) {
      quantity.magnitude = magnitude_of_integral(FieldVector<Real>(state[at]), volume, one->dot(volume));
    }
    auto found = std::find_if(of_fields_.begin(), of_fields_.end(), [&](OfField const& of) { return of.field == at; });
    if (found == of_fields_.end()) found = of_fields_.insert(found, OfField{at, {}, {}});
    found->weights.push_back(std::move(factor));
    found->places.push_back(quantities_.size() - 1);
  }
}

template <class Real>
void WeightedIntegrals<Real>::add(FieldVector<Real> const& state, std::vector<Quantity>& all) const {
  auto const first = static_cast<std::ptrdiff_t>(all.size());
  all.insert(all.end(), quantities_.begin(), quantities_.end());
  for (OfField const& of : of_fields_) {
    std::vector<Vector const*> weights;
    for (auto const& weight : of.weights) weights.push_back(weight.get());
    std::vector<double> values(weights.size());
    state.of_field(of.field).dots(weights, values);
    for (std::size_t n = 0; n < values.size(); ++n) {
      all[static_cast<std::size_t>(first) + of.places[n]].value = values[n];
    }
  }
}

template class WeightedIntegrals<float>;
template class WeightedIntegrals<double>;

}  // namespace halocline
