#include "solvers/time/super_time_stepping.hpp"

#include <algorithm>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/validation.hpp"

namespace halocline {
namespace {

constexpr int default_stages = 15;

/// b_j of the polynomial a_j + b_j P_j(1 + w1 z) of stage j; a_j = 1 - b_j.
double scale_of(int j) { return j < 2 ? 1.0 / 3 : (j * (j + 1.0) - 2) / (2 * j * (j + 1.0)); }

/// The stages for a polynomial of degree `count`, in the notation of the paper: mu, nu, and, with w1, mu~ and gamma~.
std::vector<ExplicitStage> stages_of(int count) {
  double const w1 = 4 / (count * (count + 1.0) - 2);
  std::vector<ExplicitStage> stages;
  double const first = scale_of(1) * w1;
  stages.push_back({.y = 0, .node = 0, .own = 1, .terms = {}, .rate = first, .out = 2, .slope = 1});
  double node_before = 0;
  double node = first;
  for (int j = 2; j <= count; ++j) {
    double const mu = (2.0 * j - 1) / j * scale_of(j) / scale_of(j - 1);
    double const nu = -(j - 1.0) / j * scale_of(j) / scale_of(j - 2);
    double const rate = mu * w1;
    double const slope = -(1 - scale_of(j - 1)) * rate;
    ExplicitStage stage{.y = j % 2 == 0 ? 2 : 3,
                        .node = node,
                        .own = mu,
                        .terms = {{0, 1 - mu - nu}},
                        .rate = rate,
                        .out = j % 2 == 0 ? 3 : 2,
                        .slopes = {{1, slope}}};
    // For the first of these stages, the stage before the last one is u itself.
    if (j == 2)
      stage.terms[0].weight += nu;
    else
      stage.terms.push_back({stage.out, nu});
    stages.push_back(stage);
    double const next = mu * node + nu * node_before + rate + slope;
    node_before = node;
    node = next;
  }
  return stages;
}

}  // namespace

int RungeKuttaLegendre::stages_for(double step) const {
  int stages = 3;
  // A step of exactly the longest stable length may be longer by a rounding error.
  while (stages < most_stages_ && !(step <= factor_of(stages) * euler_step_ * (1 + 1e-12))) stages += 2;
  return stages;
}

std::vector<SolveReport> RungeKuttaLegendre::advance(EvolvingSystem& system, double time, double step, Vector& u) {
  states_.make(system);
  std::vector<ExplicitStage> const stages = stages_of(stages_for(step));
  for (ExplicitStage const& stage : stages) take_stage(stage, system, time, step, u, states_);
  u.swap(states_[stages.back().out]);
  ++steps_.taken;
  return {};
}

IntegratorEntry rkl2_entry() {
  std::string const sentence = "Runge-Kutta-Legendre super-time-stepping of order 2: explicit, for diffusion.";
  auto const declare = [sentence] {
    Section section("rkl2", sentence);
    section
        .integer("stages",
                 "Largest number of stages s of a step, odd; each step uses only as many as it needs to be stable. The "
                 "longest stable step is (s^2 + s - 2) / 4 times that of explicit Euler.")
        .defaults_to(std::int64_t{default_stages})
        .at_least(3)
        .at_most(999);
    section.check([](Options const& given, Mistakes& mistakes) {
      if (given.integer("stages") % 2 == 0) add_mistake(given, "stages", "an even number", mistakes, "give an odd one");
    });
    return section;
  };
  auto const create = [](Options const& options) {
    return std::make_unique<RungeKuttaLegendre>(static_cast<int>(options.integer("stages")));
  };
  return {.name = "rkl2",
          .sentence = sentence,
          .declare = declare,
          .create = create,
          .treatment = Treatment::explicit_,
          .order = 2,
          .states = 3,
          .numbers_moved = numbers_moved(stages_of(default_stages)),
          .stable_factor = RungeKuttaLegendre::factor_of(default_stages),
          .is_for_real_eigenvalues = true,
          .notes = {.needs = "eigenvalues of the rate that are real and negative, or nearly so",
                    .use = "Diffusion for which a solve costs more than a few sweeps: the longest stable step grows "
                           "with the square of the number of stages, and no global reductions are needed.",
                    .reference = "Meyer, Balsara and Aslam, 2014, Journal of Computational Physics 257"}};
}

}  // namespace halocline
