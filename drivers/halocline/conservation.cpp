#include "drivers/halocline/conservation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/runtime/error.hpp"
#include "framework/runtime/nan_aware.hpp"

namespace halocline {
namespace {

/// Size of a quantity relative to the largest watched one.
constexpr double negligible = 1e-10;

Quantity const& find(std::vector<Quantity> const& quantities, std::string const& name) {
  auto const found =
      std::find_if(quantities.begin(), quantities.end(), [&](Quantity const& one) { return one.name == name; });
  if (found == quantities.end())
    throw DefectError("the physics declares `" + name + "` conserved, but has no such quantity");
  return *found;
}

}  // namespace

Conservation::Conservation(std::vector<std::string> const& names, std::vector<Quantity> const& initial, Index entries,
                           Precision precision)
    : entries_(static_cast<double>(entries)),
      epsilon_(precision == Precision::single ? std::numeric_limits<float>::epsilon()
                                              : std::numeric_limits<double>::epsilon()) {
  for (std::string const& name : names) {
    Quantity const& quantity = find(initial, name);
    double const rounding = std::sqrt(entries_) * epsilon_;
    watched_.push_back({name, quantity.value, quantity.value, 0, rounding});
    magnitudes_.push_back(larger(std::abs(quantity.value), quantity.magnitude));
  }
}

void Conservation::go_on_from(State const& state) {
  for (std::size_t n = 0; n < watched_.size(); ++n) {
    for (std::size_t m = 0; m < state.watched.size(); ++m) {
      if (state.watched[m].name != watched_[n].name) continue;
      watched_[n] = state.watched[m];
      magnitudes_[n] = state.magnitudes[m];
    }
  }
}

void Conservation::add_step(std::vector<SolveReport> const& solves) {
  double residuals = 0;
  for (SolveReport const& solve : solves) residuals += solve.true_residual;
  double const missing = 2 * std::sqrt(entries_) * residuals;
  for (std::size_t n = 0; n < watched_.size(); ++n) {
    watched_[n].explained_drift += 8 * epsilon_ + (missing > 0 ? missing / magnitudes_[n] : 0);
  }
}

void Conservation::add_state(std::vector<Quantity> const& quantities) {
  double largest = 0;
  for (std::size_t n = 0; n < watched_.size(); ++n) {
    Quantity const& quantity = find(quantities, watched_[n].name);
    watched_[n].final = quantity.value;
    // A quantity that is zero at the start gets its magnitude later.
    magnitudes_[n] = larger(magnitudes_[n], quantity.magnitude);
    largest = larger(largest, magnitudes_[n]);
  }
  for (std::size_t n = 0; n < watched_.size(); ++n) {
    ConservedQuantity& watched = watched_[n];
    double const drift = std::abs(watched.final - watched.initial);
    // A momentum that is only rounding, compared with mass and energy, has no meaningful drift.
    if (magnitudes_[n] <= negligible * largest || drift == 0) continue;
    watched.largest_drift = larger(drift / magnitudes_[n], watched.largest_drift);
  }
}

std::vector<std::string> Conservation::warnings() const {
  std::vector<std::string> all;
  for (ConservedQuantity const& watched : watched_) {
    if (watched.largest_drift <= watched.explained_drift) continue;
    all.push_back(
        fmt::format("`{}` should be conserved, but drifted by {:.2g} of its size; rounding, (8 steps + sqrt(cells)) "
                    "epsilon, and solves, 2 sqrt(cells) residual, explain only {:.2g}",
                    watched.name, watched.largest_drift, watched.explained_drift));
  }
  return all;
}

}  // namespace halocline
