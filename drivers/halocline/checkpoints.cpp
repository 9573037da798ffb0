#include "drivers/halocline/checkpoints.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "drivers/halocline/output.hpp"
#include "framework/deck/mistakes.hpp"
#include "framework/deck/validation.hpp"
#include "framework/field/field_base.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/shown_text.hpp"

namespace halocline {
namespace {

using Json = nlohmann::ordered_json;

/// Counts the bytes that a physics serializes, without copying them.
class Counting final : public StateArchive {
 public:
  void field(std::string const&, FieldBase& values) override {
    for (Block const& block : values.mesh().blocks()) {
      bytes += static_cast<double>(values.owned(block).size()) * values.components() *
               static_cast<double>(values.bytes_per_entry());
    }
  }
  void number(std::string const&, double&) override {}
  void count(std::string const&, std::int64_t&) override {}
  [[nodiscard]] bool restores() const override { return false; }
  [[nodiscard]] bool has(std::string const&) const override { return true; }

  double bytes = 0;
};

Json described(ScheduleState const& state) {
  return {{"start", state.start},
          {"time", state.time},
          {"taken", state.taken},
          {"size", state.size},
          {"anchor", state.anchor},
          {"anchor_taken", state.anchor_taken},
          {"outputs", {state.outputs.snapshots, state.outputs.scalars}},
          {"next_outputs", state.next_outputs}};
}

}  // namespace

Section checkpoint_section() {
  Section checkpoint(
      "checkpoint",
      "Checkpoints, from which `halocline restart` and `run --continue` resume a run with bitwise the same results.");
  Section& every = checkpoint.section(
      "every",
      "Intervals between checkpoints; if none is given, a checkpoint is written only when the run is stopped.");
  every.integer("steps", "Number of steps between checkpoints.").above(0).optional();
  every
      .real("time",
            "Time between checkpoints, counted from `time.start`; each is written after the first step that reaches "
            "its time.")
      .above(0)
      .optional();
  every.real("wall", "Wall-clock seconds between checkpoints.").above(0).optional();
  checkpoint.integer("keep", "Number of checkpoints that are kept, the newest ones.")
      .at_least(1)
      .defaults_to(std::int64_t{2});
  checkpoint.boolean("at_stop", "Whether a checkpoint is written when a signal or the wall limit stops the run.")
      .defaults_to(true);
  return checkpoint;
}

void validate_checkpoints(Options const& checkpoint, bool evolves, Mistakes& mistakes) {
  if (evolves) return;
  Options const every = checkpoint.section("every");
  for (char const* const name : {"steps", "time"}) {
    if (every.has(name))
      add_mistake(every, name, "does not apply to a stationary run", mistakes, "give `every.wall`, in seconds");
  }
}

bool has_checkpoints(Options const& deck) {
  Options const every = deck.section("checkpoint").section("every");
  return every.has("steps") || every.has("time") || every.has("wall");
}

std::optional<double> checkpoint_bytes(Physics& physics) {
  Counting counting;
  return physics.serialize(counting) ? std::optional(counting.bytes) : std::nullopt;
}

Checkpoints::Checkpoints(Options const& checkpoint, std::filesystem::path folder, std::shared_ptr<Mesh const> mesh,
                         Physics& physics, std::string const& physics_name, bool evolves, std::string run,
                         Index numbered, double time)
    : evolves_(evolves),
      folder_(folder),
      physics_(physics),
      run_(std::move(run)),
      numbered_(numbered),
      writer_(std::move(folder), std::move(mesh), checkpoint.integer("keep")),
      time_of_last_(time) {
  std::optional<double> const bytes = checkpoint_bytes(physics);
  bool const is_serialized = bytes.has_value();
  bytes_ = bytes.value_or(0);
  Options const every = checkpoint.section("every");
  bool const asked = every.has("steps") || every.has("time") || every.has("wall");
  if (!is_serialized && (asked || checkpoint.given("at_stop"))) {
    throw InputError(
        "`checkpoint`: " + physics_name +
        ", or its integrator, does not implement `serialize`, so its runs have no checkpoints; leave the section out");
  }
  if (!is_serialized) return;
  at_stop_ = checkpoint.boolean("at_stop");
  if (every.has("steps")) steps_ = every.integer("steps");
  if (every.has("time")) time_ = every.real("time");
  if (every.has("wall")) wall_ = every.real("wall");
  if (asked) writer_.reserve([&](StateArchive& state) { static_cast<void>(physics_.serialize(state)); });
}

bool Checkpoints::is_busy(Output const& output) const {
  return writer_.is_under_way() && (writer_.is_busy() || !output.snapshots_are_written());
}

bool Checkpoints::is_due_by_clock() const {
  std::chrono::duration<double> const since = std::chrono::steady_clock::now() - begun_;
  return wall_ > 0 && !writer_.is_under_way() && since.count() >= wall_;
}

bool Checkpoints::is_due(Schedule const& schedule) const {
  if (steps_ > 0 && schedule.taken() % steps_ == 0) return true;
  if (time_ == 0) return false;
  auto const number = [&](double time) { return std::floor((time - schedule.start()) / time_ * (1 + 1e-12)); };
  return number(schedule.time()) > number(time_of_last_);
}

void Checkpoints::add(Schedule const& schedule, Output& output, Agreed const& agreed) {
  if (writer_.is_under_way() && !agreed.busy) writer_.proceed();
  bool const ends = schedule.ended() && (steps_ > 0 || time_ > 0 || wall_ > 0);
  bool const is_wanted = is_due(schedule) || agreed.due || ends || (agreed.stops && at_stop_);
  if (time_ > 0) time_of_last_ = schedule.time();
  if (is_wanted) begin(schedule.taken(), schedule.time(), schedule, output);
}

void Checkpoints::add_iterate(Index iterations, Output& output, Agreed const& agreed) {
  if (writer_.is_under_way() && !agreed.busy) writer_.proceed();
  if (agreed.due || (agreed.stops && at_stop_)) begin(numbered_ + iterations, 0, Schedule::stationary(), output);
}

void Checkpoints::begin(Index number, double time, Schedule const& schedule, Output& output) {
  if (writer_.is_under_way()) output.wait_for_snapshots();
  writer_.finish();
  begun_ = std::chrono::steady_clock::now();
  std::string const serialized = output.serialized(evolves_ ? number : 0, physics_);
  std::string kept;
  std::vector<std::string> tables;
  if (writer_.is_first_rank()) {
    Json json;
    json["start"] = Json::parse(run_);
    json["output"] = Json::parse(serialized);
    json["schedule"] = described(schedule.state());
    kept = json.dump();
    for (TableState const& table : tables_of(serialized)) tables.push_back(table.name);
  }
  writer_.begin(
      number, time, [&](StateArchive& state) { static_cast<void>(physics_.serialize(state)); }, kept, tables);
}

void Checkpoints::finish() { writer_.finish(); }

double Checkpoints::expected_seconds() const {
  constexpr double slow_disk = 100e6;  // bytes per second and rank
  return std::max(writer_.seconds(), at_stop_ ? bytes_ / slow_disk : 0.0);
}

std::string Checkpoints::advice() const {
  return at_stop_ ? "; `halocline restart " + shown(folder_.string()) + "` continues it" : "";
}

}  // namespace halocline
