#include "solvers/time/time_integrator.hpp"

#include <atomic>
#include <utility>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/validation.hpp"
#include "framework/operator/state_archive.hpp"
#include "solvers/time/embedded_runge_kutta.hpp"
#include "solvers/time/explicit_runge_kutta.hpp"
#include "solvers/time/imex_runge_kutta.hpp"
#include "solvers/time/implicit_methods.hpp"
#include "solvers/time/integrators_made.hpp"
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

// Sources that are compiled for devices call this instead of reading the registry, on whose map clang 15 crashes there.
IntegratorEntry const* chosen_integrator(Options const& time, std::string const& fallback) {
  std::string const method = integrator_of(time, fallback);
  return integrators().contains(method) ? &integrators().find(method) : nullptr;
}

namespace {

std::atomic<std::size_t> made = 0;

}  // namespace

std::size_t integrators_made() { return made; }

std::unique_ptr<TimeIntegrator> make_time_integrator(Options const& time, std::string const& fallback) {
  ++made;
  std::string const method = integrator_of(time, fallback);
  return integrators().find(method).create(time.declares(method) ? time.section(method) : time);
}

std::optional<StepCount> chosen_steps(TimeIntegrator const& integrator) {
  return integrator.controls_error() ? std::optional(integrator.steps()) : std::nullopt;
}

bool serves(IntegratorEntry const& integrator, RateParts const& parts) {
  if (integrator.is_for_real_eigenvalues && parts.has_waves) return false;
  switch (integrator.treatment) {
    case Treatment::implicit:
      return parts.implicit_part && !parts.explicit_part;
    case Treatment::imex:
      return parts.implicit_part;
    case Treatment::explicit_:
      break;
  }
  return true;
}

void validate_integrator(Options const& time, RateParts const& parts, Mistakes& mistakes) {
  if (!time.has("method")) return;
  IntegratorEntry const& chosen = integrators().find(time.choice("method"));
  if (serves(chosen, parts)) return;
  std::string allowed;
  for (std::string const& name : integrators().names()) {
    if (serves(integrators().find(name), parts)) allowed += (allowed.empty() ? "" : ", ") + name;
  }
  bool const is_for_diffusion = chosen.is_for_real_eigenvalues && parts.has_waves;
  std::string const reason =
      is_for_diffusion      ? "is stable for diffusion, but not for waves"
      : parts.implicit_part ? "solves for the whole rate of change, but the physics has a part that must be explicit"
                            : "solves linear systems, and the physics declares none (`rate_parts`)";
  add_mistake(time, "method", chosen.name + " " + reason, mistakes, "use one of " + allowed + ", or leave it out");
}

void serialize(StepCount& steps, StateArchive& archive, std::string const& group) {
  archive.count(group + "/steps_taken", steps.taken);
  archive.count(group + "/steps_rejected", steps.rejected);
}

}  // namespace halocline
