#include "solvers/time/time_integrator.hpp"

#include <utility>

#include "framework/deck/judgement.hpp"
#include "framework/deck/mistakes.hpp"
#include "solvers/time/embedded_runge_kutta.hpp"
#include "solvers/time/explicit_runge_kutta.hpp"
#include "solvers/time/imex_runge_kutta.hpp"
#include "solvers/time/implicit_methods.hpp"
#include "solvers/time/super_time_stepping.hpp"

namespace halocline {

Registry<IntegratorEntry>& integrators() {
  static Registry<IntegratorEntry> registry = [] {
    Registry<IntegratorEntry> built_in("integrator");
    for (IntegratorEntry& entry : explicit_runge_kutta_entries()) built_in.add(std::move(entry));
    for (IntegratorEntry& entry : embedded_runge_kutta_entries()) built_in.add(std::move(entry));
    built_in.add(rkl2_entry());
    for (IntegratorEntry& entry : implicit_entries()) built_in.add(std::move(entry));
    for (IntegratorEntry& entry : imex_entries()) built_in.add(std::move(entry));
    return built_in;
  }();
  return registry;
}

std::string integrator_of(Options const& time, std::string const& fallback) {
  return time.has("method") ? time.choice("method") : fallback;
}

IntegratorEntry const& integrator_entry_of(Options const& time, std::string const& fallback) {
  return integrators().find(integrator_of(time, fallback));
}

std::unique_ptr<TimeIntegrator> make_time_integrator(Options const& time, std::string const& fallback) {
  IntegratorEntry const& entry = integrator_entry_of(time, fallback);
  return entry.create(time.declares(entry.name) ? time.section(entry.name) : time);
}

bool serves(Treatment treatment, RateParts const& parts) {
  switch (treatment) {
    case Treatment::implicit:
      return parts.implicit_part && !parts.explicit_part;
    case Treatment::imex:
      return parts.implicit_part;
    case Treatment::explicit_:
      break;
  }
  return true;
}

void judge_integrator(Options const& time, RateParts const& parts, Mistakes& mistakes) {
  if (!time.has("method")) return;
  IntegratorEntry const& chosen = integrators().find(time.choice("method"));
  if (serves(chosen.treatment, parts)) return;
  std::string allowed;
  for (std::string const& name : integrators().names()) {
    if (serves(integrators().find(name).treatment, parts)) allowed += (allowed.empty() ? "" : ", ") + name;
  }
  std::string const reason = parts.implicit_part
                                 ? "solves for the whole rate of change, of which the physics has a part "
                                   "that must not be solved for"
                                 : "solves linear systems, which the physics does not have";
  add_mistake(time, "method", chosen.name + " " + reason, mistakes, "take one of " + allowed);
}

}  // namespace halocline
