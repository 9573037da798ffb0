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

#include "drivers/halocline/checkpoints.hpp"
#include "drivers/halocline/commands.hpp"
#include "drivers/halocline/continuation.hpp"
#include "drivers/halocline/declaration.hpp"
#include "drivers/halocline/device_validation.hpp"
#include "drivers/halocline/input_files.hpp"
#include "drivers/halocline/io_rank.hpp"
#include "drivers/halocline/io_validation.hpp"
#include "drivers/halocline/launch.hpp"
#include "drivers/halocline/output.hpp"
#include "drivers/halocline/plot.hpp"
#include "drivers/halocline/progress.hpp"
#include "drivers/halocline/rehearsal.hpp"
#include "drivers/halocline/result.hpp"
#include "drivers/halocline/run_steps.hpp"
#include "drivers/halocline/same_ranks.hpp"
#include "drivers/halocline/schedule.hpp"
#include "drivers/halocline/set_up_log.hpp"
#include "drivers/halocline/solve_observer.hpp"
#include "drivers/halocline/standard_output.hpp"
#include "drivers/halocline/state_guard.hpp"
#include "drivers/halocline/stops.hpp"
#include "drivers/halocline/tuning_cache.hpp"
#include "drivers/halocline/underflow.hpp"
#include "framework/deck/deck.hpp"
#include "framework/halo/settings.hpp"
#include "framework/io/output_folder.hpp"
#include "framework/io/served_initial_data.hpp"
#include "framework/io/snapshot_name.hpp"
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
#include "framework/runtime/shown_text.hpp"
#include "framework/runtime/stop.hpp"
#include "framework/runtime/trace.hpp"

namespace halocline {
namespace {

using Clock = std::chrono::steady_clock;
using Snapshots = std::vector<WrittenSnapshot>;
double seconds_after(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

/// Everything about a run whose deck has been validated.
struct Case {
  PhysicsEntry const& entry;
  CodeOwner owner;  ///< the physics, for messages about a crash in it
  Options deck;
  Schedule schedule;
  std::filesystem::path folder;
  FolderClaim* claim;                ///< of the folder; null on ranks other than 0
  std::optional<Continuation> from;  ///< checkpoint from which it continues
};

/// One rank rehearses and broadcasts the forecast.
std::optional<MemoryForecast> rehearse_on_first_rank(Deck const& deck, Registry<PhysicsEntry> const& physics,
                                                     Communicator const& communicator) {
  struct {
    MemoryForecast forecast;
    bool is_known = false;
  } found;
  on_first_rank(communicator, [&] {
    // A device's memory is unknown before Kokkos starts; no device for computing has less than this.
    double const free = uses_device_memory() ? 4.0 * (1 << 30) : static_cast<double>(free_host_memory());
    if (auto const forecast = rehearse(deck, physics, free).forecast) found = {*forecast, true};
  });
  communicator.broadcast(std::as_writable_bytes(std::span(&found, 1)), 0);
  return found.is_known ? std::optional(found.forecast) : std::nullopt;
}

/// Validates the deck, then claims the folder.
Case validated(RunCommand const& command, ClaimFolder const& claim, Registry<PhysicsEntry> const& physics,
               Deck const& deck, std::optional<MemoryForecast> const& forecast, RankRoles const& roles) {
  MemoryBudget const budget = memory_budget(roles);
  Options const options = deck.read(declare_deck(physics, budget));
  require_same_deck(roles.all(), options.json());
  PhysicsEntry const& entry = physics.find(options.choice("physics"));
  Mistakes mistakes;
  if (!entry.points) validate_memory(options, entry, forecast, budget, mistakes);
  mistakes.report();
  Schedule const schedule = evolves(entry, options)
                                ? Schedule::evolving(options.section("time"), output_times(options.section("output")))
                                : Schedule::stationary();
  FolderClaim* folder = nullptr;
  on_first_rank(roles.all(), [&] { folder = &claim(); });
  return {entry, {"physics `" + entry.name + "`"}, options, schedule, command.output, folder, std::nullopt};
}

/// Whether nothing is left for `--continue`. One rank checks and broadcasts.
bool is_done(RunCommand const& command, Case const& run, Communicator const& all) {
  if (!command.continues || command.restarts) return false;
  Index done = 0;
  on_first_rank(all, [&] {
    if (!holds_a_done_run(run.folder)) return;
    InputFiles const files = record_input_files(run.entry, run.deck, command.plugins);
    done = is_done_already(run.folder, run.deck.json(), files) ? 1 : 0;
  });
  return all.max(done) != 0;
}

/// Finds the checkpoint to continue from, and sets the schedule to it.
void find_start(RunCommand const& command, Case& run, Communicator const& all) {
  if (!command.continues) return;
  run.from = find_continuation(run.folder, all);
  on_first_rank(all, [&] {
    if (!run.from && holds_a_done_run(run.folder)) {
      throw InputError(shown(run.folder.string()) +
                       " holds a finished run of another deck or with other options, and no " +
                       "checkpoint to continue from; --overwrite replaces it");
    }
  });
  if (!run.from) return;
  Continuation const& from = *run.from;
  for (std::string const& skipped : from.skipped) log_warning("skipped an unusable checkpoint: " + skipped);
  if (from.physics != run.entry.name) {
    throw InputError("`physics`: " + shown(from.folder.string()) + " is a checkpoint of " + shown(from.physics) +
                     ", but the deck is of " + run.entry.name);
  }
  if (!run.entry.points) require_same_mesh(from, run.deck.section("mesh"));
  if (evolves(run.entry, run.deck)) run.schedule.go_on_from(from.schedule);
  log_info("continues from " + shown(from.folder.string()) + ", step " + std::to_string(run.schedule.taken()) +
           ", time " + shortest_text(run.schedule.time()));
}

/// Sets the state to that of the checkpoint from which the run continues. Collective.
void restore(Case const& run, Physics& physics, Communicator const& communicator) {
  if (!run.from) return;
  CheckpointReader state(run.from->folder, run.from->checkpoint);
  if (!physics.serialize(state)) {
    throw InputError(run.entry.name + " does not implement `serialize`, so its runs cannot continue from a checkpoint");
  }
  // Records of the initial state are in the tables already.
  Traces const traces = physics.take_traces();
  std::vector<std::string> quantities;
  for (Quantity const& quantity : physics.quantities()) quantities.push_back(quantity.name);
  on_first_rank(communicator,
                [&] { require_same_tables(run.folder, tables_of(run.from->output), quantities, traces.names); });
}

/// Empties the folder, or removes what was written after the checkpoint from which the run continues. Collective.
void prepare_folder(Case const& run, Mesh const& mesh) {
  if (!run.from) return clear_output_folder(mesh.communicator(), run.folder);
  on_first_rank(mesh.communicator(), [&] {
    std::vector<std::string> files{series_name, "mesh.h5", "summary.json"};
    for (TableState const& table : tables_of(run.from->output)) files.push_back(table.name);
    for (WrittenSnapshot const& one : snapshots_of(run.from->output)) files.push_back(snapshot_name(mesh, one.step));
    std::vector<std::filesystem::path> const later = later_files(run.folder, files);
    // Before anything is removed: if the disk is full, the run stays as it was.
    reopen_summary(run.folder);
    return_to_checkpoint(run.folder, run.from->checkpoint.step, later);
  });
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

/// An evolving run handles checkpoints and stops between steps, a stationary one at the iterations of its single solve.
IterationObserver observer_of(Case const& run, Progress& progress, SolveObserver& solve) {
  if (evolves(run.entry, run.deck)) {
    return [&progress](Index iteration, double residual) { progress.iteration(iteration, residual); };
  }
  return [&solve](Index iteration, double residual) { solve.see(iteration, residual); };
}

/// The domain of a run's fields: a mesh or points.
struct Domain {
  std::shared_ptr<StructuredMesh const> mesh;
  std::shared_ptr<PointSet const> points;

  [[nodiscard]] std::shared_ptr<Mesh const> any() const {
    if (points) return points;
    return mesh;
  }
};

/// One for each device of this rank. A single one keeps Kokkos' default instance.
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

/// How halos are exchanged; points have no halos.
HaloRecord begin_halos(Case const& run, Domain const& domain) {
  if (!domain.mesh) return {};
  HaloRecord halo = record_of(apply_halo_section(run.deck.section("halo"), *domain.mesh));
  log_transport(halo);
  return halo;
}

/// I/O ranks evaluate expressions and read files of the set-up for the ranks that they serve.
std::unique_ptr<Physics> set_up_physics(Case const& run, Domain const& domain, RankRoles const& roles,
                                        IterationObserver observer) {
  Doing const doing(run.owner, "the set-up");
  PhysicsContext const context{run.deck, domain.mesh, domain.points, precision_of(run.deck), std::move(observer)};
  if (roles.io_ranks() == 0 || !domain.mesh) return make_physics(run.entry, context);
  ServedInitialData initial_data(roles);
  InitialDataFrom const served(&initial_data);
  std::unique_ptr<Physics> physics = make_physics(run.entry, context);
  initial_data.finish();
  return physics;
}

void write_trace(Communicator const& communicator, std::filesystem::path const& path) {
  std::string const text = trace::merged(communicator);
  on_first_rank(communicator, [&] { write_whole_file(path, text); });
}

/// A failure to write the record must not replace the error that ended the run.
void attempt(std::function<void()> const& write) {
  try {
    write();
  } catch (InputOutputError const& error) {
    log_warning(error.what());
  }
}

void record_end(Output& output, Failure const& failure, Case const& run, SolveObserver const& solve) {
  bool const unfinished = output.solves().outcomes.empty() && !solve.residuals().empty();
  if (failure.code == ExitCode::stopped && unfinished) {
    std::string const method = run.deck.section("solver").choice("method");
    attempt([&] { output.add_unfinished_solve(method, solve.iterations(), solve.residuals()); });
  }
  attempt([&] { output.finish(failure.code, failure.message); });
}

/// The run of a compute rank, starting with the set-up of its physics.
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
  Stops const stops(command.wall_limit, sender.get());
  SolveObserver solve(*communicator, progress, stops);
  warn_of_underflow(run.deck, run.entry.name);
  auto const physics = set_up_physics(run, domain, roles, observer_of(run, progress, solve));
  if (run.deck.section("plot").has("fields")) require_plotted_fields(run.deck.section("plot"), physics->fields());
  restore(run, *physics, *communicator);
  StepLimits const limits = first_limits(run.owner, run.entry.name, *physics, run.schedule, *communicator);
  if (auto const reason = communicator->max(static_cast<Index>(stops.reason(0))); reason != 0) {
    throw StoppedError(stops.text(static_cast<StopReason>(reason)) + " before the run began");
  }
  StateGuard guard(run.deck.section("guard"), *physics, *communicator);
  guard.see_stable_step(limits.stable);
  guard.see_suggested_step(limits.suggested);

  InputFiles files;
  on_first_rank(*communicator, [&] {
    files = record_input_files(run.entry, run.deck, command.plugins);
    if (run.from) require_same_files(run.from->files, files);
  });

  Checkpoints checkpoints(
      run.deck.section("checkpoint"), run.folder, domain.any(), *physics, run.entry.name, evolves(run.entry, run.deck),
      described_start(command, deck.name(), deck.text(), run.entry.name,
                      run.entry.points ? std::string() : described_mesh(run.deck.section("mesh")), files),
      run.from ? run.from->checkpoint.step : 0, run.schedule.time());
  prepare_folder(run, *domain.any());
  log_debug("output goes to " + shown(std::filesystem::absolute(run.folder).string()));
  Output output(run.folder, run.deck.section("output"), domain.any(), precision_of(run.deck), roles.all(),
                {command.typed, deck.name(), deck.text(), run.deck.json(), halo, device_names_of_ranks(*communicator),
                 std::move(files.of_deck), std::move(files.plugins), roles.io_ranks(), start},
                command.plot, guard, run.claim, sender.get(), run.from ? run.from->output : "");
  solve.begin(output, checkpoints);
  try {
    output.prepare_for_abrupt_end(roles.all());
    output.add_timing("set_up", seconds_after(start));
    if (command.trace) trace::start();
    Clock::time_point const advancing = Clock::now();
    run_steps({run.owner, *physics, *communicator, progress, guard, stops, output, checkpoints}, run.schedule, limits,
              run.from.has_value());
    solve.finish();
    output.add_timing("advance", seconds_after(advancing));
    if (checkpoints.seconds_of_last() > 0) output.add_timing("writing_last_checkpoint", checkpoints.seconds_of_last());
    output.add_regions(*communicator);
    if (communicator->rank() == 0) keep_tunings();
    for (std::string const& warning : output.conservation()->warnings()) log_warning(warning);
    if (command.trace) write_trace(*communicator, run.folder / "trace.json");
    output.finish(ExitCode::done, "");
  } catch (...) {
    Failure const failure = describe(std::current_exception());
    progress.finish();
    // Tunings measured during the run are valid however it ended.
    if (communicator->rank() == 0 && failure.code != ExitCode::defect) keep_tunings();
    record_end(output, failure, run, solve);
    throw;
  }
  progress.finish();
  if (speaks) print_result(output, run.folder, seconds_after(start));
  return ExitCode::done;
}

}  // namespace

ExitCode run(RunCommand const& command, ClaimFolder const& claim, Environment& environment,
             std::shared_ptr<Communicator> const& communicator) {
  Clock::time_point const start = Clock::now();
  Registry<PhysicsEntry> const known = load_physics(command.plugins);
  Deck const deck = deck_of(command.deck, command.deck_text, overrides_of(command.set, command.devices), *communicator,
                            deck_formats(known));
  int const serving = io_ranks(deck, communicator->size());
  auto const forecast = rehearse_on_first_rank(deck, known, *communicator);
  environment.start_kokkos(device_choice(deck), serving);
  RankRoles const roles(communicator, serving);
  Case run = validated(command, claim, known, deck, forecast, roles);
  if (is_done(command, run, roles.all())) {
    if (roles.all().rank() == 0 && !command.quiet)
      say(shown(run.folder.string()) + " holds this run, already finished\n");
    return ExitCode::done;
  }
  find_start(command, run, roles.all());
  if (roles.is_io_rank()) {
    return serve(run.deck, run.entry, roles, run.folder, run.from ? snapshots_of(run.from->output) : Snapshots{});
  }
  return compute(command, run, deck, roles, start);
}

}  // namespace halocline
