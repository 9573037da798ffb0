#include "solvers/time/imex_runge_kutta.hpp"

#include <array>
#include <iterator>
#include <numbers>
#include <string>
#include <utility>

namespace halocline {
namespace {

using Reports = std::vector<SolveReport>;
using Terms = std::vector<WeightedVector>;

void append(Reports& reports, Reports more) {
  reports.insert(reports.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// The tableaus of ARK3(2)4L[2]SA by stages; the implicit one has gamma on its diagonal except in the first row. Its
/// last row equals the weights, which both parts share.
namespace ark3 {

constexpr int stages = 4;
constexpr double gamma = 1767732205903.0 / 4055673282236.0;
constexpr std::array<double, stages> nodes{0, 1767732205903.0 / 2027836641118.0, 3.0 / 5.0, 1};
constexpr std::array<std::array<double, 3>, stages> of_f{
    {{},
     {1767732205903.0 / 2027836641118.0},
     {5535828885825.0 / 10492691773637.0, 788022342437.0 / 10882634858940.0},
     {6485989280629.0 / 16251701735622.0, -4246266847089.0 / 9704473918619.0, 10755448449292.0 / 10357097424841.0}}};
constexpr std::array<double, 3> weights{1471266399579.0 / 7840856788654.0, -4482444167858.0 / 7529755066697.0,
                                        11266239266428.0 / 11593286722821.0};
constexpr std::array<std::array<double, 3>, stages> of_g{
    {{}, {gamma}, {2746238789719.0 / 10658868560708.0, -640167445237.0 / 6845629431997.0}, weights}};

}  // namespace ark3

/// An entry of a method without options.
template <class Method>
IntegratorEntry entry_of(std::string const& name, std::string const& sentence, int order, int states, double numbers,
                         double factor, MethodNotes const& notes) {
  auto const declare = [name, sentence] { return Section(name, sentence); };
  return {.name = name,
          .sentence = sentence,
          .declare = declare,
          .create = [](Options const&) { return std::make_unique<Method>(); },
          .treatment = Treatment::imex,
          .order = order,
          .states = states,
          .numbers_moved = numbers,
          .stable_factor = factor,
          .notes = notes};
}

}  // namespace

Reports ImexArs222::advance(EvolvingSystem& system, double time, double step, Vector& u) {
  constexpr double gamma = 1 - 1 / std::numbers::sqrt2;
  constexpr double delta = 1 - 1 / (2 * gamma);
  states_.make(system);
  Vector& right = states_[1];
  Vector& v = states_[2];

  system.evaluate(RatePart::explicit_, time, u, 1, {}, gamma * step, right, nullptr);
  v.copy(u);
  Reports reports = system.solve(time + gamma * step, gamma * step, right, v);
  // gamma h f(u) = right - u and gamma h g(v) = v - right replace stored slopes.
  Terms const terms{{1 - delta / gamma, &u}, {(delta - (1 - gamma)) / gamma, &right}};
  system.evaluate(RatePart::explicit_, time + gamma * step, v, (1 - gamma) / gamma, terms, (1 - delta) * step, right,
                  nullptr);
  append(reports, system.solve(time + step, gamma * step, right, v));
  u.swap(v);
  ++steps_.taken;
  return reports;
}

Reports ImexArk3::advance(EvolvingSystem& system, double time, double step, Vector& u) {
  using namespace ark3;
  states_.make(system);
  auto const f = [&](int stage) -> Vector& { return states_[stage]; };
  auto const g = [&](int stage) -> Vector& { return states_[3 + stage]; };
  Vector& right = states_[7];
  Vector& v = states_[8];
  // u and the slopes of the earlier stages, from 1 to 4, without the last stage's slope of f, which is evaluated next.
  auto const terms_of = [&](std::size_t stage, int slopes_of_f) {
    Terms terms{{1, &u}};
    for (int n = 1; n < static_cast<int>(stage); ++n) {
      auto const at = static_cast<std::size_t>(n) - 1;
      if (n <= slopes_of_f) terms.push_back({step * of_f[stage - 1][at], &f(n)});
      terms.push_back({step * of_g[stage - 1][at], &g(n)});
    }
    return terms;
  };
  auto const solve = [&](std::size_t stage) {
    return system.solve(time + nodes[stage - 1] * step, gamma * step, right, v);
  };

  system.evaluate(RatePart::explicit_, time, u, 0, {}, 1, f(1), nullptr);
  system.evaluate(RatePart::whole, time, u, 0, Terms{{-1, &f(1)}}, 1, g(1), nullptr);
  right.assign(terms_of(2, 1));
  v.copy(u);
  Reports reports = solve(2);
  for (std::size_t stage = 3; stage <= stages; ++stage) {
    int const last = static_cast<int>(stage) - 1;
    g(last).assign({{1 / (gamma * step), &v}, {-1 / (gamma * step), &right}});
    system.evaluate(RatePart::explicit_, time + nodes[stage - 2] * step, v, 0, terms_of(stage, last - 1),
                    step * of_f[stage - 1][stage - 2], right, &f(last));
    append(reports, solve(stage));
  }
  // Replaces the last stage's coefficients of f by the weights; those of g are equal already.
  Terms terms;
  for (std::size_t n = 0; n < weights.size(); ++n)
    terms.push_back({step * (weights[n] - of_f[stages - 1][n]), &f(static_cast<int>(n) + 1)});
  system.evaluate(RatePart::explicit_, time + step, v, 1, terms, step * gamma, u, nullptr);
  ++steps_.taken;
  return reports;
}

std::vector<IntegratorEntry> imex_entries() {
  std::vector<IntegratorEntry> entries;
  entries.push_back(entry_of<ImexArs222>(
      "imex_ars222", "Implicit-explicit Runge-Kutta of order 2 with two solves per step.", 2, 2, 8, 1,
      {.use =
           "Fast diffusion, or fast linear coupling of fields, with transport or reactions: only the first is treated "
           "implicitly, and it is damped at any step length.",
       .reference = "Ascher, Ruuth and Spiteri, 1997, Applied Numerical Mathematics 25, section 2.6"}));
  entries.push_back(entry_of<ImexArk3>(
      "imex_ark3", "Implicit-explicit Runge-Kutta of order 3 with three solves per step, ARK3(2)4L[2]SA.", 3, 8, 38,
      ImexArk3::factor,
      {.needs = "the whole rate of change, evaluated once per step",
       .use = "Fast diffusion with transport or reactions, in smooth solutions that are integrated accurately.",
       .reference = "Kennedy and Carpenter, 2003, Applied Numerical Mathematics 44"}));
  return entries;
}

}  // namespace halocline
