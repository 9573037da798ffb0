#include "drivers/halocline/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>
#include <utility>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/validation.hpp"
#include "framework/io/checkpoint_writer.hpp"
#include "framework/io/json_number.hpp"
#include "framework/io/snapshot_name.hpp"
#include "framework/kernel/tune/tuning.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/first_rank.hpp"
#include "framework/runtime/log.hpp"
#include "framework/runtime/region_times.hpp"
#include "framework/runtime/shortest_text.hpp"

namespace halocline {
namespace {

using Json = nlohmann::ordered_json;

void add_time_interval(Section& section, std::string const& sentence) {
  section
      .real(
          "time_interval",
          sentence + " between outputs, counted from `time.start`; steps are shortened to end exactly at these times.")
      .above(0)
      .optional();
}

double time_interval(Options const& section) {
  return section.has("time_interval") ? section.real("time_interval") : 0;
}

/// Whether step `number` is a multiple of `interval`; never for 0.
bool is_due(Index number, Index interval) { return interval > 0 && number % interval == 0; }

/// A part of what `Output::serialized` returned; empty if that is.
std::string part_of(std::string const& serialized, char const* name) {
  return serialized.empty() ? "" : Json::parse(serialized).at(name).dump();
}

/// What Output keeps of the run that it continues, beside its record.
struct EarlierOutput {
  std::vector<WrittenSnapshot> snapshots;
  Index recorded = -1;
  SolveTotals solves;
  Conservation::State conservation;
};

EarlierOutput earlier_output(std::string const& serialized) {
  Json const json = Json::parse(serialized);
  EarlierOutput earlier;
  for (Json const& one : json.at("snapshots"))
    earlier.snapshots.push_back({count_of(one.at(0)), finite_number_of(one.at(1))});
  // None before the first row.
  if (json.at("recorded") != -1) earlier.recorded = count_of(json.at("recorded"));
  Json const& totals = json.at("solves");
  for (auto const& [outcome, count] : totals.at("outcomes").items()) earlier.solves.outcomes[outcome] = count_of(count);
  earlier.solves.iterations = count_of(totals.at("iterations"));
  earlier.solves.seconds = totals.at("seconds");
  for (Json const& one : json.at("conservation")) {
    earlier.conservation.watched.push_back({one.at("name"), number_of(one.at("initial")), number_of(one.at("final")),
                                            number_of(one.at("largest_drift")), number_of(one.at("explained_drift"))});
    earlier.conservation.magnitudes.push_back(number_of(one.at("magnitude")));
  }
  return earlier;
}

void log_regions(std::vector<RegionTime> const& regions) {
  if (!logs(LogLevel::debug)) return;
  log_debug("seconds in regions (minimum, mean and maximum over ranks), and mean number of calls:");
  for (RegionTime const& region : regions) {
    auto const& [least, mean, most] = region.seconds;
    log_debug(fmt::format("{:12.6f} {:12.6f} {:12.6f} {:10} {}", least, mean, most, region.calls, region.name));
  }
}

}  // namespace

Section output_section() {
  Section output("output", "Output of a run, in addition to summary.json and residuals.csv.");
  Section& snapshots = output.section("snapshots",
                                      "Snapshots of the fields for viewers: VTK files (.vti, .vtr or .vtkhdf, all of "
                                      "them HDF5) and one XDMF series of them.");
  snapshots
      .integer("interval", "Number of steps between snapshots; 0: none. If not given, only the last state is written.")
      .at_least(0)
      .optional();
  add_time_interval(snapshots, "Time");
  Section& scalars = output.section("scalars", "Table of the quantities by step, scalars.csv.");
  scalars
      .integer("interval",
               "Number of steps between rows; 0: only the first and the last row, also the default if `time_interval` "
               "is given.")
      .at_least(0)
      .defaults_to(std::int64_t{1});
  add_time_interval(scalars, "Time");
  return output;
}

OutputTimes output_times(Options const& output) {
  return {time_interval(output.section("snapshots")), time_interval(output.section("scalars"))};
}

void validate_output_times(Options const& output, Options const& time, Mistakes& mistakes) {
  constexpr double most = 9007199254740992;  // 2^53: beyond it doubles skip integers
  double const start = time.real("start");
  for (char const* const name : {"snapshots", "scalars"}) {
    Options const section = output.section(name);
    if (!section.has("time_interval")) continue;
    double const interval = section.real("time_interval");
    bool const countless = time.has("end") && (time.real("end") - start) / interval >= most;
    if (countless || start + interval == start) {
      add_mistake(section, "time_interval",
                  shortest_text(interval) + " is too short: consecutive output times would be equal", mistakes);
    }
  }
}

Output::Output(std::filesystem::path folder, Options const& output, std::shared_ptr<Mesh const> mesh,
               Precision precision, Communicator const& all, Provenance provenance, bool last_snapshot,
               StateGuard& guard, FolderClaim const* claim, SnapshotSender* sender, std::string const& continued)
    : folder_(std::move(folder)),
      mesh_(std::move(mesh)),
      precision_(precision),
      record_(folder_, all, std::move(provenance), part_of(continued, "record")),
      guard_(guard),
      claim_(claim),
      sender_(sender) {
  Options const scalars = output.section("scalars");
  scalar_interval_ = scalars.has("time_interval") && !scalars.given("interval") ? 0 : scalars.integer("interval");
  Options const snapshots = output.section("snapshots");
  snapshot_interval_ = snapshots.has("interval") ? snapshots.integer("interval") : 0;
  last_snapshot_ = last_snapshot || snapshot_interval_ > 0 || !snapshots.has("interval");
  if (continued.empty()) return;
  EarlierOutput earlier = earlier_output(continued);
  earlier_ = written_ = std::move(earlier.snapshots);
  if (!written_.empty()) newest_snapshot_ = written_.back().step;
  recorded_ = earlier.recorded;
  earlier_conservation_ = std::move(earlier.conservation);
  solves_ = std::move(earlier.solves);
}

std::string Output::serialized(Index step, Physics& physics) {
  on_first_rank(mesh_->communicator(), [&] {
    if (claim_ != nullptr) claim_->require_there();
  });
  take_traces(physics);
  Json json;
  json["record"] = Json::parse(record_.serialized(step));
  json["recorded"] = recorded_;
  json["snapshots"] = Json::array();
  for (WrittenSnapshot const& one : written_) json["snapshots"].push_back({one.step, one.time});
  json["solves"] = {{"outcomes", solves_.outcomes}, {"iterations", solves_.iterations}, {"seconds", solves_.seconds}};
  Conservation::State const state = conservation_->state();
  json["conservation"] = Json::array();
  for (std::size_t n = 0; n < state.watched.size(); ++n) {
    ConservedQuantity const& one = state.watched[n];
    json["conservation"].push_back({{"name", one.name},
                                    {"initial", json_number(one.initial)},
                                    {"final", json_number(one.final)},
                                    {"largest_drift", json_number(one.largest_drift)},
                                    {"explained_drift", json_number(one.explained_drift)},
                                    {"magnitude", json_number(state.magnitudes[n])}});
  }
  return json.dump();
}

std::vector<TableState> tables_of(std::string const& serialized) {
  return tables_of_record(part_of(serialized, "record"));
}

std::vector<WrittenSnapshot> snapshots_of(std::string const& serialized) {
  return earlier_output(serialized).snapshots;
}

void require_serialized(std::string const& serialized) {
  static_cast<void>(tables_of(serialized));
  static_cast<void>(earlier_output(serialized));
}

bool Output::snapshots_are_written() const {
  if (sender_ == nullptr || newest_snapshot_ < 0 || mesh_->communicator().rank() != 0) return true;
  // I/O ranks write snapshots in order, so that the newest is the last.
  std::error_code missing;
  return std::filesystem::exists(folder_ / snapshot_name(*mesh_, newest_snapshot_), missing);
}

void Output::wait_for_snapshots() const {
  // This wait also receives messages and failures of other ranks.
  mesh_->communicator().wait_until([this] {
    if (snapshots_are_written()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return false;
  });
}

void Output::measure(Schedule const& schedule, Physics const& physics) {
  bool const due = is_due(schedule.taken(), scalar_interval_) || schedule.scalars_are_due();
  if (due) take_quantities(schedule.taken(), physics);
}

void Output::take_quantities(Index number, Physics const& physics) {
  if (measured_at_ == number) return;
  measured_ = physics.quantities();
  measured_at_ = number;
  guard_.see(measured_);
  quantities_.clear();
  for (Quantity const& quantity : measured_) quantities_.push_back({quantity.name, quantity.value});
}

void Output::add(Schedule const& schedule, Physics& physics, std::vector<SolveReport> const& solves, bool suspect) {
  Index const number = schedule.taken();
  double const time = schedule.time();
  record_.add_solves(number, solves);
  for (SolveReport const& report : solves) {
    ++solves_.outcomes[to_string(report.outcome)];
    solves_.iterations += report.iterations;
    solves_.seconds += report.seconds;
  }
  if (conservation_) conservation_->add_step(solves);
  if (number == 0 || is_due(number, scalar_interval_) || schedule.scalars_are_due()) {
    record_state(number, time, physics);
    take_traces(physics);
  }
  bool const snapshot = is_due(number, snapshot_interval_) || schedule.snapshot_is_due();
  if (number == 0 || suspect || snapshot || guard_.is_due(number)) check_and_write(number, time, physics);
  if (snapshot) write_snapshot(number, time, physics.fields());
}

void Output::add_last(Schedule const& schedule, Physics& physics) {
  Index const number = schedule.taken();
  if (recorded_ != number) record_state(number, schedule.time(), physics);
  take_traces(physics);
  check_and_write(number, schedule.time(), physics);
  if (last_snapshot_ && newest_snapshot_ != number) write_snapshot(number, schedule.time(), physics.fields());
}

void Output::go_on(Schedule const& schedule, Physics const& physics) {
  take_quantities(schedule.taken(), physics);
  begin_conservation(physics);
  set_totals(physics);
  go_on_with_snapshots(physics);
  check_and_write(schedule.taken(), schedule.time(), physics);
}

void Output::go_on_with_snapshots(Physics const& physics) {
  if (earlier_.empty()) return;
  if (mesh_->communicator().rank() == 0) {
    for (WrittenSnapshot const& one : earlier_) {
      std::string const name = snapshot_name(*mesh_, one.step);
      std::error_code missing;
      if (!std::filesystem::exists(folder_ / name, missing))
        log_warning(name + ", which the run has written, is missing");
    }
  }
  // I/O ranks write the series with the next snapshot.
  if (sender_ != nullptr) return;
  snapshots_.emplace(folder_, mesh_, earlier_);
  snapshots_->go_on(physics.fields());
}

void Output::take_traces(Physics& physics) {
  Traces const traces = physics.take_traces();
  record_.add_traces(traces.names, traces.times, traces.values);
}

void Output::check_and_write(Index number, double time, Physics const& physics) {
  std::optional<NotFinite> const bad = guard_.check(number, time);
  if (!bad) return;
  record_.set_not_finite(*bad);
  if (recorded_ != number) record_state(number, time, physics);
  write_kept_state();
  throw NotANumberError(guard_.message(*bad));
}

void Output::record_state(Index number, double time, Physics const& physics) {
  take_quantities(number, physics);
  recorded_ = number;
  record_.add_step(number, time, quantities_, {});
  if (conservation_) {
    conservation_->add_state(measured_);
  } else {
    begin_conservation(physics);
  }
  set_totals(physics);
}

void Output::set_totals(Physics const& physics) {
  record_.set_conserved(conservation_->quantities());
  step_count_ = physics.step_count();
  if (step_count_) record_.set_step_count(*step_count_);
}

void Output::begin_conservation(Physics const& physics) {
  Extents const cells = mesh_->extents(Centring::cell);
  conservation_.emplace(physics.conserved(), measured_, cells[0] * cells[1] * cells[2], precision_);
  conservation_->go_on_from(earlier_conservation_);
}

void Output::write_snapshot(Index number, double time, std::span<FieldBase const* const> fields) {
  if (claim_ != nullptr) claim_->require_there();
  if (sender_ != nullptr) {
    sender_->write(number, time, fields);
  } else {
    if (!snapshots_) snapshots_.emplace(folder_, mesh_, earlier_);
    snapshots_->write(number, time, fields);
  }
  newest_snapshot_ = number;
  written_.push_back({number, time});
}

void Output::finish_snapshots() {
  if (sender_ == nullptr || snapshots_ended_) return;
  snapshots_ended_ = true;
  snapshot_messages::Report const report = sender_->finish();
  add_timing("writing_snapshots", report.writing);
}

void Output::add_regions(Communicator const& ranks) {
  std::vector<RegionTime> regions = region_times(ranks);
  if (sender_ != nullptr) {
    record_.add_timing("waiting_for_buffers", seconds_of(regions, SnapshotSender::waiting_region));
  }
  if (std::ranges::find(regions, CheckpointWriter::copying_region, &RegionTime::name) != regions.end()) {
    record_.add_timing("copying_checkpoints", seconds_of(regions, CheckpointWriter::copying_region));
    record_.add_timing("waiting_for_checkpoints", seconds_of(regions, CheckpointWriter::waiting_region));
  }
  log_regions(regions);
  record_.set_regions(std::move(regions));
}

void Output::write_kept_state() {
  // No snapshot is newer than the last state that was checked to be finite.
  std::optional<StateGuard::KeptState> const kept = guard_.kept();
  if (kept && kept->number > newest_snapshot_) write_snapshot(kept->number, kept->time, kept->fields);
}

void Output::finish(ExitCode code, std::string const& message) {
  if (claim_ != nullptr) claim_->require_there();
  std::vector<SweepForm> sweeps;
  for (kernel::SweepPath const& path : kernel::tuner::paths()) {
    sweeps.push_back({path.functor, path.points, path.form, path.source});
  }
  record_.set_sweeps(std::move(sweeps));
  record_.finish(code, message);
}

}  // namespace halocline
