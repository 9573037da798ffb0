#include "drivers/halocline/output.hpp"

#include <utility>

#include "framework/kernel/tune/tuning.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

/// Whether step `number` is one of every `interval`; never for 0.
bool is_due(Index number, Index interval) { return interval > 0 && number % interval == 0; }

}  // namespace

Section output_section() {
  Section output("output", "What a run writes, beside summary.json and residuals.csv.");
  Section& snapshots = output.section("snapshots", "Fields for viewers: VTKHDF files and one XDMF series of them.");
  snapshots.integer("interval", "Steps from one to the next; 0: none. Without it, the last state alone is written.")
      .at_least(0)
      .optional();
  Section& scalars = output.section("scalars", "Quantities by step: scalars.csv.");
  scalars.integer("interval", "Steps from one line to the next; 0: the first and the last alone.")
      .at_least(0)
      .defaults_to(std::int64_t{1});
  return output;
}

Output::Output(std::filesystem::path folder, Options const& output, std::shared_ptr<Mesh const> mesh,
               Precision precision, Communicator const& all, Provenance provenance, bool last_snapshot,
               StateGuard& guard, FolderClaim const* claim, SnapshotSender* sender)
    : folder_(std::move(folder)),
      mesh_(std::move(mesh)),
      precision_(precision),
      record_(folder_, all, std::move(provenance)),
      guard_(guard),
      claim_(claim),
      sender_(sender),
      scalar_interval_(output.section("scalars").integer("interval")) {
  Options const snapshots = output.section("snapshots");
  snapshot_interval_ = snapshots.has("interval") ? snapshots.integer("interval") : 0;
  last_snapshot_ = last_snapshot || snapshot_interval_ > 0 || !snapshots.has("interval");
}

void Output::measure(Index number, Physics const& physics) {
  if (is_due(number, scalar_interval_)) take_quantities(number, physics);
}

void Output::take_quantities(Index number, Physics const& physics) {
  if (measured_at_ == number) return;
  measured_ = physics.quantities();
  measured_at_ = number;
  guard_.see(measured_);
}

void Output::add(Index number, double time, Physics& physics, std::vector<SolveReport> const& solves, bool last,
                 bool suspect) {
  record_.add_solves(number, solves);
  for (SolveReport const& report : solves) {
    ++solves_.outcomes[to_string(report.outcome)];
    solves_.iterations += report.iterations;
    solves_.seconds += report.seconds;
  }
  if (conservation_) conservation_->add_step(solves);
  if (number == 0 || last || is_due(number, scalar_interval_)) {
    record_state(number, time, physics);
    Traces const traces = physics.take_traces();
    record_.add_traces(traces.names, traces.times, traces.values);
  }
  bool const snapshot = is_due(number, snapshot_interval_) || (last && last_snapshot_);
  if (number == 0 || last || suspect || snapshot || guard_.is_due(number)) look(number, time, physics);
  if (snapshot) write_snapshot(number, time, physics.fields());
}

void Output::look(Index number, double time, Physics const& physics) {
  std::optional<NotFinite> const bad = guard_.look(number, time);
  if (!bad) return;
  record_.set_not_finite(*bad);
  if (recorded_ != number) record_state(number, time, physics);
  write_kept_state();
  throw NotANumberError(guard_.message(*bad));
}

void Output::record_state(Index number, double time, Physics const& physics) {
  take_quantities(number, physics);
  quantities_.clear();
  for (Quantity const& quantity : measured_) quantities_.push_back({quantity.name, quantity.value});
  recorded_ = number;
  record_.add_step(number, time, quantities_, {});
  if (conservation_) {
    conservation_->add_state(measured_);
  } else {
    Extents const cells = mesh_->extents(Centring::cell);
    conservation_.emplace(physics.conserved(), measured_, cells[0] * cells[1] * cells[2], precision_);
  }
  record_.set_conserved(conservation_->quantities());
}

void Output::write_snapshot(Index number, double time, std::span<FieldBase const* const> fields) {
  if (claim_ != nullptr) claim_->require_there();
  if (sender_ != nullptr) {
    sender_->write(number, time, fields);
  } else {
    if (!snapshots_) snapshots_.emplace(folder_, mesh_);
    snapshots_->write(number, time, fields);
  }
  newest_snapshot_ = number;
}

void Output::finish_snapshots() {
  if (sender_ == nullptr || snapshots_ended_) return;
  snapshots_ended_ = true;
  snapshot_messages::Report const report = sender_->finish();
  add_timing("writing_snapshots", report.writing);
  add_timing("waiting_for_buffers", report.waited);
}

void Output::write_kept_state() {
  // No snapshot is newer than the last state that was found finite.
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
