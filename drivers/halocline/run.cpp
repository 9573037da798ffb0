#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <exception>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "drivers/halocline/commands.hpp"
#include "drivers/halocline/declaration.hpp"
#include "drivers/halocline/device_judgement.hpp"
#include "drivers/halocline/io_judgement.hpp"
#include "drivers/halocline/io_rank.hpp"
#include "drivers/halocline/launch.hpp"
#include "drivers/halocline/output.hpp"
#include "drivers/halocline/plot.hpp"
#include "drivers/halocline/progress.hpp"
#include "drivers/halocline/rehearsal.hpp"
#include "drivers/halocline/result.hpp"
#include "drivers/halocline/same_ranks.hpp"
#include "drivers/halocline/schedule.hpp"
#include "drivers/halocline/set_up_log.hpp"
#include "drivers/halocline/solve_warnings.hpp"
#include "drivers/halocline/state_guard.hpp"
#include "drivers/halocline/tuning_cache.hpp"
#include "drivers/halocline/underflow.hpp"
#include "framework/deck/deck.hpp"
#include "framework/halo/settings.hpp"
#include "framework/io/field_file_judgement.hpp"
#include "framework/io/output_folder.hpp"
#include "framework/io/served_initial_data.hpp"
#include "framework/io/snapshot_sender.hpp"
#include "framework/io/whole_file.hpp"
#include "framework/mesh/mesh_section.hpp"
#include "framework/mesh/point_set.hpp"
#include "framework/runtime/device.hpp"
#include "framework/runtime/doing.hpp"
#include "framework/runtime/environment.hpp"
#include "framework/runtime/first_rank.hpp"
#include "framework/runtime/guard.hpp"
#include "framework/runtime/log.hpp"
#include "framework/runtime/memory.hpp"
#include "framework/runtime/placement.hpp"
#include "framework/runtime/rank_roles.hpp"
#include "framework/runtime/region.hpp"
#include "framework/runtime/shortest_text.hpp"
#include "framework/runtime/stop.hpp"
#include "framework/runtime/trace.hpp"

namespace halocline {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

/// Everything that a run is, once its deck has been judged.
struct Case {
  PhysicsEntry const& entry;
  CodeOwner owner;  ///< the physics, as a crash in it names it
  Options deck;
  Schedule schedule;
  std::filesystem::path folder;
  FolderClaim* claim;  ///< of the folder; null on ranks other than 0
};

/// One rank knows it, and tells the others.
std::optional<MemoryForecast> rehearse_on_first_rank(Deck const& deck, Registry<PhysicsEntry> const& physics,
                                                     Communicator const& communicator) {
  struct {
    MemoryForecast forecast;
    bool is_known = false;
  } found;
  on_first_rank(communicator, [&] {
    // Of a device not even its memory is known before Kokkos starts: nobody computes on less than this.
    double const free = uses_device_memory() ? 4.0 * (1 << 30) : static_cast<double>(free_host_memory());
    if (auto const forecast = rehearse(deck, physics, free).forecast) found = {*forecast, true};
  });
  communicator.broadcast(std::as_writable_bytes(std::span(&found, 1)), 0);
  return found.is_known ? std::optional(found.forecast) : std::nullopt;
}

/// The folder is claimed once the deck has no mistakes.
Case judged(RunCommand const& command, ClaimFolder const& claim, Registry<PhysicsEntry> const& physics,
            Deck const& deck, std::optional<MemoryForecast> const& forecast, RankRoles const& roles) {
  MemoryBudget const budget = memory_budget(roles);
  Options const options = deck.read(declare_deck(physics, budget));
  require_same_deck(roles.all(), options.json());
  PhysicsEntry const& entry = physics.find(options.choice("physics"));
  Mistakes mistakes;
  if (!entry.points) judge_memory(options, entry, forecast, budget, mistakes);
  mistakes.report();
  Schedule const schedule = evolves(entry, options)
                                ? Schedule::evolving(options.section("time"), output_times(options.section("output")))
                                : Schedule::stationary();
  FolderClaim* folder = nullptr;
  on_first_rank(roles.all(), [&] { folder = &claim(); });
  return {entry, {"physics `" + entry.name + "`"}, options, schedule, command.output, folder};
}

HaloRecord record_of(TransportChoice const& choice) {
  HaloRecord record{.transport = choice.names, .measured = {}, .left_out = choice.left_out};
  for (TransportTimings const& timings : choice.timings) {
    TransportMeasurement measurement{.across_hosts = timings.across_hosts,
                                     .bytes = timings.bytes,
                                     .seconds = {},
                                     .chosen = choice.candidates[timings.chosen]};
    for (std::size_t n = 0; n < timings.seconds.size(); ++n) {
      if (std::isfinite(timings.seconds[n])) measurement.seconds.push_back({choice.candidates[n], timings.seconds[n]});
    }
    record.measured.push_back(std::move(measurement));
  }
  return record;
}

/// What the solves of a stationary physics have measured: on record also if a stop leaves them unfinished.
struct Measured {
  std::vector<Index> iterations;
  std::vector<double> residuals;
};

/// Whether this rank was asked to stop, or an I/O rank that tells it so.
bool is_asked_to_stop(SnapshotSender* sender) {
  return stop_signal() != 0 || (sender != nullptr && sender->stop_asked());
}

/// Between steps any rank may have been asked to stop; within the one solve of a stationary physics every rank asks
/// itself.
IterationObserver observer(Case const& run, Progress& progress, Measured& measured, SnapshotSender* sender) {
  if (evolves(run.entry, run.deck)) {
    return [&progress](Index iteration, double residual) { progress.iteration(iteration, residual); };
  }
  return [&progress, &measured, sender](Index iteration, double residual) {
    measured.iterations.push_back(iteration);
    measured.residuals.push_back(residual);
    if (is_asked_to_stop(sender)) throw StoppedError("stopped by a signal in iteration " + std::to_string(iteration));
    progress.iteration(iteration, residual);
  };
}

/// What the fields of a run live on: a mesh, or points.
struct Domain {
  std::shared_ptr<StructuredMesh const> mesh;
  std::shared_ptr<PointSet const> points;

  [[nodiscard]] std::shared_ptr<Mesh const> any() const {
    if (points) return points;
    return mesh;
  }
};

/// One for each device of this rank. A lone one keeps Kokkos' default instance.
std::vector<std::shared_ptr<BlockExecution const>> block_executions() {
  std::vector<int> const& devices = rank_devices().numbers;
  if (devices.size() < 2) return {default_block_execution()};
  std::vector<std::shared_ptr<BlockExecution const>> executions;
  for (int const device : devices) executions.push_back(execution_on(device));
  return executions;
}

Domain make_domain(Case const& run, std::shared_ptr<Communicator> const& communicator) {
  Domain domain;
  if (run.entry.points) {
    domain.points = std::make_shared<PointSet const>(run.entry.points(run.deck), communicator, block_executions());
  } else {
    domain.mesh = make_structured_mesh(run.deck.section("mesh"), communicator);
  }
  return domain;
}

/// How halos are exchanged; points have none.
HaloRecord begin_halos(Case const& run, Domain const& domain) {
  if (!domain.mesh) return {};
  HaloRecord halo = record_of(apply_halo_section(run.deck.section("halo"), *domain.mesh));
  log_transport(halo);
  return halo;
}

/// I/O ranks evaluate the expressions of the set-up and read its files for the ranks that they serve.
std::unique_ptr<Physics> make_physics(Case const& run, Domain const& domain, RankRoles const& roles,
                                      IterationObserver observer) {
  Doing const doing(run.owner, "the set-up");
  PhysicsContext const context{run.deck, domain.mesh, domain.points, precision_of(run.deck), std::move(observer)};
  if (roles.io_ranks() == 0 || !domain.mesh) return run.entry.create(context);
  ServedInitialData initial_data(roles);
  InitialDataFrom const served(&initial_data);
  std::unique_ptr<Physics> physics = run.entry.create(context);
  initial_data.finish();
  return physics;
}

/// What this rank says of the step after `taken` ones.
StepLimits step_limits(Case const& run, Physics const& physics, Index taken) {
  StepLimits limits;
  {
    Doing const doing(run.owner, "stable_step", taken + 1);
    limits.stable = physics.stable_step();
  }
  Doing const doing(run.owner, "suggested_step", taken + 1);
  limits.suggested = physics.suggested_step();
  return limits;
}

/// A deck whose first step is too long already is wrong. Returns what the initial state says of it.
StepLimits require_first_step(Case const& run, Physics const& physics, Communicator const& communicator) {
  if (run.schedule.ended()) return {};
  StepLimits const mine = step_limits(run, physics, 0);
  std::array<double, 2> least{mine.stable, mine.suggested};
  communicator.min(least);
  StepLimits const limits{least[0], least[1]};
  if (std::string const obstacle = obstacle_at_start(run.schedule, limits, run.entry.name); !obstacle.empty())
    throw InputError(obstacle);
  return limits;
}

/// What any rank asks for after a step, and what all of them say of the next.
struct Requests {
  bool look;  ///< at the state, in which something may not be finite
  bool stop;
  StepLimits limits;  ///< the least of all ranks: these choose the same step, to the bit
};

Requests requests_of_all_ranks(Communicator const& communicator, StateGuard const& guard, SnapshotSender* sender,
                               StepLimits const& mine) {
  std::array<double, 4> asked{guard.wants_look() ? 1.0 : 0.0, is_asked_to_stop(sender) ? 1.0 : 0.0, -mine.stable,
                              -mine.suggested};
  communicator.max(asked);
  return {asked[0] != 0, asked[1] != 0, {-asked[2], -asked[3]}};
}

/// How the first solve of `step` that failed did so; empty where none did.
std::string failure_in(Step const& step, std::vector<SolveReport> const& reports) {
  auto const failed =
      std::find_if(reports.begin(), reports.end(), [](SolveReport const& report) { return !reached(report.outcome); });
  return failed == reports.end() ? "" : failed_solve(step, *failed);
}

std::string of_all(Schedule const& schedule) {
  return schedule.steps() ? " of " + std::to_string(*schedule.steps()) : ", time " + shortest_text(schedule.time());
}

/// Why the run ends with `step`, which has been taken, though it is not the last.
std::optional<Error> early_end(Step const& step, std::vector<SolveReport> const& reports, Schedule const& schedule,
                               Requests const& requests) {
  if (std::string const failure = failure_in(step, reports); !failure.empty()) return SolveError(failure);
  if (schedule.ended()) return std::nullopt;
  if (requests.stop) {
    return StoppedError("stopped by a signal after step " + std::to_string(step.number) + of_all(schedule));
  }
  Step const next = schedule.next(requests.limits);
  std::string const obstacle = obstacle_to(next, schedule, requests.limits);
  if (obstacle.empty()) return std::nullopt;
  return SolveError("step " + std::to_string(next.number) + ", time " + shortest_text(next.time) + ": " + obstacle);
}

void write_trace(Communicator const& communicator, std::filesystem::path const& path) {
  std::string const text = trace::merged(communicator);
  on_first_rank(communicator, [&] { write_whole_file(path, text); });
}

/// What ended the run is what it tells, also where the record of that cannot be written.
void attempt(std::function<void()> const& write) {
  try {
    write();
  } catch (InputOutputError const& error) {
    log_warning(error.what());
  }
}

void record_end(Output& output, Failure const& failure, Case const& run, Measured const& measured) {
  bool const unfinished = output.solves().outcomes.empty() && !measured.residuals.empty();
  if (failure.code == ExitCode::stopped && unfinished) {
    std::string const method = run.deck.section("solver").choice("method");
    attempt([&] { output.add_unfinished_solve(method, measured.iterations, measured.residuals); });
  }
  attempt([&] { output.finish(failure.code, failure.message); });
}

/// The deck was right when the run began: what is wrong with it now (an expression of the time that has no value any
/// more) ends a run under way.
template <class Work>
auto during(Step const& step, Work const& work) {
  try {
    return work();
  } catch (InputError const& error) {
    throw SolveError("step " + std::to_string(step.number) + ", from time " + shortest_text(step.time) + ": " +
                     error.what());
  }
}

std::vector<SolveReport> advance(Case const& run, Physics& physics, Step const& step) {
  ScopedRegion const region("step");
  Doing const doing(run.owner, "advance", step.number);
  return during(step, [&] { return physics.advance(step); });
}

/// What the guard has to know of the state after `step`. Returns what this rank says of the next one.
StepLimits measure(Case const& run, Step const& step, Schedule const& schedule, Physics const& physics,
                   StateGuard& guard, Output& output) {
  {
    ScopedRegion const region("output");
    Doing const doing(run.owner, "the output", step.number);
    during(step, [&] { output.measure(schedule, physics); });
  }
  if (schedule.ended()) return {};
  StepLimits const limits = step_limits(run, physics, step.number);
  guard.see_stable_step(limits.stable);
  guard.see_suggested_step(limits.suggested);
  return limits;
}

/// Steps from the first, which `limits` choose, to the last; the state that the run ends with is written before the
/// error goes on.
void advance(Case const& run, Physics& physics, Communicator const& communicator, StepLimits limits, Progress& progress,
             StateGuard& guard, SnapshotSender* sender, Output& output) {
  Schedule schedule = run.schedule;
  {
    Doing const doing(run.owner, "the output");
    output.add(schedule, physics, {}, schedule.ended(), false);
  }
  SolveWarnings warnings;
  while (!schedule.ended()) {
    Step const step = schedule.next(limits);
    progress.begin_step(step, schedule);
    std::vector<SolveReport> const reports = advance(run, physics, step);
    schedule.take(step);
    output.add_step_size(step.size);
    StepLimits const mine = measure(run, step, schedule, physics, guard, output);
    Requests const requests = requests_of_all_ranks(communicator, guard, sender, mine);
    limits = requests.limits;
    std::optional<Error> const end = early_end(step, reports, schedule, requests);
    progress.end_step(step, schedule, reports.empty() ? 0 : reports.back().final_residual);
    warnings.add(reports);
    try {
      ScopedRegion const region("output");
      Doing const doing(run.owner, "the output", step.number);
      output.add(schedule, physics, reports, end || schedule.ended(), requests.look);
    } catch (NotANumberError const& bad) {
      // A solve that failed tells more of why than the state that it left.
      std::string const failure = failure_in(step, reports);
      if (failure.empty()) throw;
      throw SolveError(failure + "; " + bad.what());
    }
    if (end) throw *end;
  }
  warnings.finish();
}

/// What was handed over to I/O ranks is written, however the run ends by itself: at its last step, by a stop, or
/// without what the deck asks for. A rank that breaks ends it at once.
void finish_snapshots_of(Output& output, std::function<void()> const& work) {
  try {
    work();
  } catch (RemoteError const&) {
    throw;
  } catch (Error const& error) {
    if (error.exit_code() == ExitCode::stopped || error.exit_code() == ExitCode::unsolved) output.finish_snapshots();
    throw;
  }
  output.finish_snapshots();
}

/// The run of a rank that computes, from the set-up of its physics on.
ExitCode compute(RunCommand const& command, Case const& run, Deck const& deck, RankRoles const& roles,
                 Clock::time_point start) {
  std::shared_ptr<Communicator> const& communicator = roles.computing();
  bool const speaks = communicator->rank() == 0 && !command.quiet;
  Progress progress({.speaks = speaks && (is_watched() || iteration_lines(run.deck) > 0),
                     .columns = terminal_columns(),
                     .iteration_lines = iteration_lines(run.deck)});
  Domain const domain = make_domain(run, communicator);
  log_set_up(*domain.any());
  begin_tuning(run.deck.choice("tune"));
  HaloRecord const halo = begin_halos(run, domain);
  std::unique_ptr<SnapshotSender> sender;
  if (roles.io_ranks() > 0) {
    sender = std::make_unique<SnapshotSender>(roles, domain.any(), snapshot_buffers(run.deck));
  }
  Measured measured;
  warn_of_underflow(run.deck, run.entry.name);
  auto const physics = make_physics(run, domain, roles, observer(run, progress, measured, sender.get()));
  require_plotted_fields(run.deck.section("plot"), physics->fields());
  StepLimits const limits = require_first_step(run, *physics, *communicator);
  if (communicator->any(is_asked_to_stop(sender.get()))) {
    throw StoppedError("stopped by a signal before the run began");
  }
  StateGuard guard(run.deck.section("guard"), *physics, *communicator);
  guard.see_stable_step(limits.stable);
  guard.see_suggested_step(limits.suggested);

  std::vector<FieldFileRecord> field_files;
  on_first_rank(*communicator, [&] { field_files = record_field_files(run.deck.section(run.entry.name)); });

  clear_output_folder(*communicator, run.folder);
  log_debug("output goes to " + std::filesystem::absolute(run.folder).string());
  Output output(run.folder, run.deck.section("output"), domain.any(), precision_of(run.deck), roles.all(),
                {command.typed, deck.name(), deck.text(), run.deck.json(), halo, device_names_of_ranks(*communicator),
                 std::move(field_files), roles.io_ranks()},
                command.plot, guard, run.claim, sender.get());
  try {
    output.prepare_for_abrupt_end(roles.all());
    output.add_timing("set_up", seconds_since(start));
    if (command.trace) trace::start();
    Clock::time_point const advancing = Clock::now();
    finish_snapshots_of(output, [&] {
      advance(run, *physics, *communicator, limits, progress, guard, sender.get(), output);
      output.add_timing("advance", seconds_since(advancing));
    });
    if (communicator->rank() == 0) keep_tunings();
    for (std::string const& warning : output.conservation()->warnings()) log_warning(warning);
    if (command.trace) write_trace(*communicator, run.folder / "trace.json");
    output.finish(ExitCode::done, "");
  } catch (...) {
    Failure const failure = describe(std::current_exception());
    progress.finish();
    // What was measured on the way holds however the run ended.
    if (communicator->rank() == 0 && failure.code != ExitCode::defect) keep_tunings();
    record_end(output, failure, run, measured);
    throw;
  }
  progress.finish();
  if (speaks) print_result(output, run.folder, seconds_since(start));
  return ExitCode::done;
}

}  // namespace

ExitCode run(RunCommand const& command, ClaimFolder const& claim, Environment& environment,
             std::shared_ptr<Communicator> const& communicator) {
  Clock::time_point const start = Clock::now();
  Registry<PhysicsEntry> const known = load_physics(command.plugins);
  Deck const deck =
      Deck::load(command.deck, overrides_of(command.set, command.devices), *communicator, deck_formats(known));
  int const serving = io_ranks(deck, communicator->size());
  auto const forecast = rehearse_on_first_rank(deck, known, *communicator);
  environment.start_kokkos(device_choice(deck), serving);
  RankRoles const roles(communicator, serving);
  Case const run = judged(command, claim, known, deck, forecast, roles);
  if (roles.is_io_rank()) return serve(run.deck, run.entry, roles, run.folder);
  return compute(command, run, deck, roles, start);
}

}  // namespace halocline
