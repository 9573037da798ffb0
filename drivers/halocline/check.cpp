#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "drivers/halocline/commands.hpp"
#include "drivers/halocline/declaration.hpp"
#include "drivers/halocline/device_validation.hpp"
#include "drivers/halocline/io_validation.hpp"
#include "drivers/halocline/memory_need.hpp"
#include "drivers/halocline/output.hpp"
#include "drivers/halocline/rehearsal.hpp"
#include "drivers/halocline/schedule.hpp"
#include "drivers/halocline/standard_output.hpp"
#include "framework/deck/deck.hpp"
#include "framework/deck/validation.hpp"
#include "framework/io/field_file_validation.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/device.hpp"
#include "framework/runtime/launcher.hpp"
#include "framework/runtime/shown_text.hpp"

namespace halocline {
namespace {

std::string domain_line(PhysicsEntry const& entry, Options const& deck) {
  if (entry.points) return fmt::format("points   {}\n", entry.points(deck));
  std::vector<std::int64_t> const cells = deck.section("mesh").integers("cells");
  // A validated mesh has fewer than 2^63 cells.
  std::int64_t const all = product(cells).value();
  double const bytes = static_cast<double>(all) * (precision_of(deck) == Precision::single ? 4 : 8);
  return fmt::format("mesh     {} cells ({}), {} a field\n", fmt::join(cells, " x "), all, readable_bytes(bytes));
}

/// \param failure why the need is unknown, if it is
std::string memory_line(std::optional<double> need, std::string const& failure, MemoryBudget const& budget) {
  if (!need) return "memory   unknown" + (failure.empty() ? "" : ": a trial on a small mesh failed: " + failure) + "\n";
  std::string ranks = budget.ranks == 1 ? "one rank" : fmt::format("{} ranks", budget.ranks);
  if (budget.io_ranks > 0)
    ranks += fmt::format(" beside {} I/O rank{}", budget.io_ranks, budget.io_ranks == 1 ? "" : "s");
  std::string const of_what = budget.bytes ? fmt::format("{} free", readable_bytes(*budget.bytes))
                                           : "of device memory; `run` checks that it is free";
  return fmt::format("memory   about {} on {}, {}\n", readable_bytes(*need), ranks, of_what);
}

std::string solver_line(Options const& deck) {
  Options const solver = deck.section("solver");
  std::string const method = solver.choice("method");
  Options const chosen = solver.section(method);
  std::string line = "solver   " + method;
  if (chosen.declares("preconditioner")) line += ", preconditioner " + chosen.choice("preconditioner");
  if (chosen.declares("relative_tolerance"))
    line += fmt::format(", relative tolerance {:g}", chosen.real("relative_tolerance"));
  if (chosen.declares("iterations")) line += fmt::format(", at most {} iterations", chosen.integer("iterations"));
  return line + "\n";
}

/// If steps are chosen during the run, only its end is known.
std::string steps_text(Schedule const& schedule) {
  if (schedule.steps()) return fmt::format("{} steps", *schedule.steps());
  return fmt::format("steps to {:g}", *schedule.end());
}

int ranks_of(CheckCommand const& command) {
  if (command.ranks > 0) return command.ranks;
  std::optional<LauncherPlace> const place = launcher_place();
  return place ? std::max(1, place->size) : 1;
}

/// Whether a run solves linear systems.
bool solves(PhysicsEntry const& entry, Options const& options) {
  if (entry.steps_by_itself) return false;
  if (!evolves(entry, options)) return true;
  IntegratorEntry const* const integrator = integrator_of(entry, options);
  return integrator == nullptr || integrator->treatment != Treatment::explicit_;
}

/// Throws InputError for errors that a run would find during set-up or before its first step. Whether these could be
/// looked for.
bool validate_first_step(Deck const& deck, Registry<PhysicsEntry> const& physics, Options const& options,
                         PhysicsEntry const& entry) {
  auto const limits = limits_at_start(deck, physics);
  if (!limits) return false;
  Schedule const schedule = Schedule::evolving(options.section("time"), output_times(options.section("output")));
  if (std::string const obstacle = obstacle_at_start(schedule, *limits, entry.name); !obstacle.empty())
    throw InputError(obstacle);
  return true;
}

/// Why the first step of an evolving physics has not been validated.
std::string why_unvalidated(PhysicsEntry const& entry, Options const& options) {
  if (uses_device_memory()) return "`check` sets up nothing on devices";
  if (entry.points) return "`check` sets up no points";
  auto const cells = product(options.section("mesh").integers("cells"));
  if (!cells || *cells > most_cells_for_limits)
    return fmt::format("the mesh has more than {} cells", most_cells_for_limits);
  return "the set-up failed or took too long";
}

}  // namespace

Deck deck_of(std::string const& path, std::optional<std::string> const& text, std::vector<Override> const& overrides,
             Communicator const& communicator, std::vector<DeckFormat> const& formats) {
  if (text) return {path, *text, overrides, formats};
  return Deck::load(path, overrides, communicator, formats);
}

ExitCode check(CheckCommand const& command) {
  Registry<PhysicsEntry> const physics = load_physics(command.plugins);
  Deck const deck = deck_of(command.deck, command.deck_text, overrides_of(command.set, command.devices),
                            Communicator::alone(), deck_formats(physics));
  int const ranks = ranks_of(command);
  MemoryBudget const budget = foretold_memory_budget(ranks, io_ranks(deck, ranks));
  Options const options = deck.read(declare_deck(physics, budget));
  PhysicsEntry const& entry = physics.find(options.choice("physics"));
  if (!entry.points && command.contents)
    validate_field_contents(options.section(entry.name), field_shape(entry, options), precision_of(options));
  // On devices only `run` determines the need.
  bool const is_rehearsed = !uses_device_memory() && !entry.points;
  Rehearsal const rehearsal = is_rehearsed ? rehearse(deck, physics) : Rehearsal{};
  Mistakes mistakes;
  if (!entry.points) validate_memory(options, entry, rehearsal.forecast, budget, mistakes);
  mistakes.report();
  bool const is_validated = is_rehearsed && command.contents && validate_first_step(deck, physics, options, entry);
  if (command.quiet) return ExitCode::done;
  say(fmt::format("{}: no mistakes\n", shown(deck.name())));
  say(fmt::format("physics  {}: {}\n", entry.name, entry.sentence));
  say(domain_line(entry, options));
  say(memory_line(memory_need(options, entry, rehearsal.forecast, budget), rehearsal.failure, budget));
  if (evolves(entry, options)) {
    Schedule const schedule = Schedule::evolving(options.section("time"));
    IntegratorEntry const* const integrator = integrator_of(entry, options);
    say(fmt::format("time     {}{}{}\n", steps_text(schedule), integrator == nullptr ? "" : " by " + integrator->name,
                    schedule.by_courant() ? ", sized by the stability limit" : ""));
    // Points whose steps cannot be a fraction of a limit have none.
    bool const may_have_limit = !entry.points || entry.takes_courant;
    if (!is_validated && may_have_limit)
      say(fmt::format("limit    of the first step not checked, as {}; `run` checks it\n",
                      why_unvalidated(entry, options)));
  }
  if (solves(entry, options)) say(solver_line(options));
  return ExitCode::done;
}

}  // namespace halocline
