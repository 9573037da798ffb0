#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "drivers/halocline/battery/check.hpp"
#include "drivers/halocline/battery/short_run.hpp"
#include "framework/runtime/error.hpp"

namespace halocline::battery {
namespace {

constexpr Index compared_steps = 8;

/// The component that differs most between two states, and by how much relative to the largest value of the whole
/// state. A field that is small against the others is a difference of larger terms, and has their roundings.
struct Difference {
  std::string field;
  double part = 0;
};
Difference difference_in_scale(std::vector<Values> const& a, std::vector<Values> const& b) {
  double const scale = largest(b);
  Difference most;
  for (std::size_t field = 0; field < b.size(); ++field) {
    double difference = 0;
    for (std::size_t n = 0; n < b[field].values.size(); ++n)
      difference = std::max(difference, std::abs(a[field].values[n] - b[field].values[n]));
    double const part = scale > 0 ? difference / scale : difference;
    if (most.field.empty() || part > most.part) most = {b[field].name, part};
  }
  return most;
}

}  // namespace

Finding blocks(Subject const& subject) {
  if (subject.entry.points) return not_applicable("points have one block for each device");
  std::vector<std::string> const changes = joined(exact_solves(subject), {odd_cells(subject)});
  auto const alone = short_run(subject, joined(changes, {"mesh.blocks_per_rank=1"}), compared_steps)->state();
  std::string text;
  for (int const count : {2, 3, 4}) {
    std::unique_ptr<Trial> trial;
    try {
      trial = std::make_unique<Trial>(subject, joined(changes, {fmt::format("mesh.blocks_per_rank={}", count)}));
    } catch (InputError const&) {
      continue;  // too few cells
    }
    take_some(*trial, subject, compared_steps);
    std::vector<Values> const several = trial->state();
    if (is_explicit(subject)) {
      std::string const difference = first_difference(alone, several);
      if (!difference.empty()) return failed(fmt::format("on 1 block and on {}: {}", count, difference));
    } else if (double const difference = largest_difference(several, alone); !(difference < 1e-8)) {
      return failed(fmt::format("on {} blocks the solution differs by {:.1e}", count, difference));
    }
    text += fmt::format("{}{}", text.empty() ? "" : ", ", count);
  }
  if (text.empty()) return not_applicable("the mesh cannot be cut");
  return held(fmt::format("on 1 block and on {}: {}", text, is_explicit(subject) ? "the same bits" : "within 1e-8"));
}

Finding precisions(Subject const& subject) {
  auto const& known = subject.entry.precisions;
  if (known.size() < 2) return not_applicable("it has one precision");
  if (!subject.entry.points && !is_explicit(subject))
    return not_applicable("solutions are only as accurate as their tolerances");
  std::vector<std::string> changes;
  if (!subject.entry.points) changes.push_back(odd_cells(subject));
  // The same short steps in both, so that only rounding errors differ.
  auto single = std::make_unique<Trial>(subject, joined(changes, {"precision=single"}));
  auto double_ = std::make_unique<Trial>(subject, joined(changes, {"precision=double"}));
  std::optional<double> const stable = double_->stable_step();
  double const given = given_step(double_->deck());
  double const size = stable ? std::min(given, 0.5 * *stable) : given;
  single->take(size, compared_steps);
  double_->take(size, compared_steps);
  auto const [field, difference] = difference_in_scale(single->state(), double_->state());
  double const explained = 30.0 * static_cast<double>(compared_steps) * std::numeric_limits<float>::epsilon();
  std::string const text =
      fmt::format("{} steps differ by {:.1e} of the largest value, most in `{}`; rounding explains {:.1e}",
                  compared_steps, difference, field, explained);
  if (difference == 0) return failed("single and double precision give the same bits: `precision` has no effect");
  return difference < explained ? held(text) : failed(text);
}

}  // namespace halocline::battery
