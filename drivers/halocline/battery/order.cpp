#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "drivers/halocline/battery/check.hpp"
#include "drivers/halocline/battery/trial.hpp"
#include "drivers/halocline/declaration.hpp"
#include "framework/runtime/error.hpp"

namespace halocline::battery {
namespace {

constexpr int meshes = 3;
constexpr double slack = 0.3;       ///< tolerance of an order measured on meshes that are not fine
constexpr double rounding = 1e-12;  ///< smaller errors and differences, relative to the values, are rounding

int time_order(Subject const& subject) {
  if (!evolves(subject)) return 1;
  if (subject.entry.steps_by_itself) return subject.entry.promises.order_in_time;
  IntegratorEntry const* const integrator = integrator_of(subject.entry, subject.read());
  return integrator != nullptr ? integrator->order : 1;
}

/// A state on a mesh and the errors that the physics reports.
struct Level {
  std::vector<Values> state;
  std::vector<Quantity> errors;
};

std::vector<Quantity> errors_in(std::vector<Quantity> const& quantities) {
  std::vector<Quantity> errors;
  for (Quantity const& quantity : quantities) {
    if (quantity.name.starts_with("error_2")) errors.push_back(quantity);
  }
  return errors;
}

/// The value at `at` of the coarser mesh, from the finer one: for nodes the same value; for cells the mean or, for
/// orders above two, a cubic through four cells along each axis.
double coarser(Values const& fine, Extents const& at, bool is_cubic) {
  double sum = 0;
  std::array<std::array<double, 4>, 3> weights{};
  std::array<int, 3> begin{};
  std::array<int, 3> count{1, 1, 1};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    weights[axis] = {1, 0, 0, 0};
    if (fine.extents[axis] == 1 || fine.centring == Centring::node) continue;
    weights[axis] = is_cubic ? std::array{-1.0 / 16, 9.0 / 16, 9.0 / 16, -1.0 / 16} : std::array{0.5, 0.5, 0.0, 0.0};
    begin[axis] = is_cubic ? -1 : 0;
    count[axis] = is_cubic ? 4 : 2;
  }
  auto const place = [&](std::size_t axis, int step) {
    Index const first = fine.extents[axis] == 1 ? 0 : 2 * at[axis];
    return std::clamp<Index>(first + begin[axis] + step, 0, fine.extents[axis] - 1);
  };
  for (int k = 0; k < count[2]; ++k) {
    for (int j = 0; j < count[1]; ++j) {
      for (int i = 0; i < count[0]; ++i) {
        auto const weight = weights[0][static_cast<std::size_t>(i)] * weights[1][static_cast<std::size_t>(j)] *
                            weights[2][static_cast<std::size_t>(k)];
        Index const n = place(0, i) + fine.extents[0] * (place(1, j) + fine.extents[1] * place(2, k));
        sum += weight * fine.values[static_cast<std::size_t>(n)];
      }
    }
  }
  return sum;
}

/// The root mean square of the difference between the finer and the coarser state, relative to that of the coarser one.
double difference(Values const& fine, Values const& coarse, bool is_cubic) {
  double square = 0;
  double size = 0;
  for (Index k = 0; k < coarse.extents[2]; ++k) {
    for (Index j = 0; j < coarse.extents[1]; ++j) {
      for (Index i = 0; i < coarse.extents[0]; ++i) {
        Extents const at{i, j, k};
        bool is_inside = true;
        for (std::size_t axis = 0; axis < 3 && is_cubic; ++axis) {
          is_inside = is_inside && (coarse.extents[axis] == 1 || (at[axis] > 0 && at[axis] < coarse.extents[axis] - 1));
        }
        if (!is_inside) continue;
        double const value =
            coarse.values[static_cast<std::size_t>(i + coarse.extents[0] * (j + coarse.extents[1] * k))];
        square += std::pow(coarser(fine, at, is_cubic) - value, 2);
        size += value * value;
      }
    }
  }
  return size > 0 ? std::sqrt(square / size) : std::sqrt(square);
}

/// Compares the order shown by the errors (or differences) of meshes or steps, each half the one before, with the
/// expected one; `name` is for the text.
Finding compare_order(std::string const& name, std::vector<double> const& errors, int expected) {
  std::string numbers;
  for (double const error : errors) numbers += fmt::format("{}{:.2e}", numbers.empty() ? "" : ", ", error);
  bool const is_finite = std::all_of(errors.begin(), errors.end(), [](double e) { return std::isfinite(e); });
  if (!is_finite) return failed(fmt::format("{}: {}", name, numbers));
  if (errors.back() < rounding) return held(fmt::format("{}: {}, at rounding level", name, numbers));
  double const order = std::log2(errors[errors.size() - 2] / errors.back());
  std::string const text = fmt::format("{}: order {:.2f}, expected {} ({})", name, order, expected, numbers);
  return order >= expected - slack ? held(text) : failed(text);
}

Finding together(std::vector<Finding> const& findings) {
  Finding all = held("");
  for (Finding const& finding : findings) {
    if (finding.verdict == Finding::Verdict::failed) all.verdict = finding.verdict;
    all.text += (all.text.empty() ? "" : "; ") + finding.text;
  }
  return all;
}

/// Number of equal steps, at most `most` long, that make up `span`.
Index steps_for(double span, double most) {
  return std::max<Index>(1, static_cast<Index>(std::ceil(span / most * (1 - 1e-12))));
}

}  // namespace

Finding order_in_space(Subject const& subject) {
  if (subject.entry.points) return not_applicable("it has points and no mesh");
  int const order = subject.entry.promises.order;
  std::vector<std::string> const exact = exact_solves(subject);
  bool const is_space = subject.read().section("mesh").integers("cells").size() == 3;
  std::vector<Index> const coarsest = cells_of(subject, is_space || order > 4 ? 400 : evolves(subject) ? 1500 : 1100);
  // The errors of time must shrink as fast as those of space.
  double const shorter = std::pow(2.0, std::ceil(static_cast<double>(order) / time_order(subject)));
  std::vector<Level> levels;
  double step = 0;
  double span = 0;
  for (int level = 0; level < meshes; ++level) {
    Index const factor = Index{1} << level;
    Trial trial(subject, joined(exact, {cells_change(coarsest, factor)}));
    if (evolves(subject)) {
      std::optional<double> const stable = trial.stable_step();
      if (level == 0) {
        double const given = given_step(trial.deck());
        span = std::min(span_of(trial.deck()), 40 * (stable ? *stable : given));
        step = std::min(0.5 * (stable ? *stable : given), span);
      } else {
        step /= shorter;
      }
      Index const steps = steps_for(span, stable ? std::min(step, 0.9 * *stable) : step);
      trial.take(span / static_cast<double>(steps), steps);
    } else {
      trial.take(0, 1);
    }
    levels.push_back({trial.state(), errors_in(trial.quantities())});
  }
  std::vector<Finding> findings;
  for (std::size_t n = 0; n < levels[0].errors.size(); ++n) {
    std::vector<double> errors;
    for (Level const& level : levels) errors.push_back(level.errors[n].value);
    findings.push_back(compare_order(levels[0].errors[n].name, errors, order));
  }
  if (!findings.empty()) return together(findings);
  for (std::size_t n = 0; n < levels[0].state.size(); ++n) {
    Values const& field = levels[0].state[n];
    if (field.centring != Centring::cell && field.centring != Centring::node) continue;
    std::vector<double> differences;
    for (std::size_t level = 1; level < levels.size(); ++level) {
      differences.push_back(difference(levels[level].state[n], levels[level - 1].state[n], order > 2));
    }
    findings.push_back(compare_order(field.name + " between meshes", differences, order));
  }
  return together(findings);
}

Finding order_in_time(Subject const& subject) {
  if (!evolves(subject)) return not_applicable("it is stationary");
  int const order = time_order(subject);
  IntegratorEntry const* const integrator = integrator_of(subject.entry, subject.read());
  if (integrator != nullptr && integrator->controls_error)
    return not_applicable(integrator->name + " chooses its own steps");
  std::vector<std::string> changes = exact_solves(subject);
  if (!subject.entry.points) changes.push_back(cells_change(cells_of(subject, 300)));
  std::vector<std::vector<Values>> states;
  double step = 0;
  constexpr Index fewest = 8;
  for (Index level = 0; level < 4; ++level) {
    Trial trial(subject, changes);
    if (level == 0) {
      std::optional<double> const stable = trial.stable_step();
      double const given = given_step(trial.deck());
      step = std::min(stable ? 0.8 * *stable : given, span_of(trial.deck()) / static_cast<double>(fewest));
    }
    auto const parts = static_cast<double>(Index{1} << level);
    trial.take(step / parts, fewest << level);
    states.push_back(trial.state());
  }
  std::vector<Finding> findings;
  for (std::size_t n = 0; n < states[0].size(); ++n) {
    std::vector<double> differences;
    for (std::size_t level = 1; level < states.size(); ++level) {
      differences.push_back(largest_difference({states[level][n]}, {states[level - 1][n]}));
    }
    findings.push_back(compare_order(states[0][n].name, differences, order));
  }
  return together(findings);
}

}  // namespace halocline::battery
