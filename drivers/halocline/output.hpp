#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "drivers/halocline/conservation.hpp"
#include "drivers/halocline/schedule.hpp"
#include "drivers/halocline/state_guard.hpp"
#include "framework/deck/options.hpp"
#include "framework/io/output_folder.hpp"
#include "framework/io/run_record.hpp"
#include "framework/io/snapshot_sender.hpp"
#include "framework/io/snapshot_writer.hpp"
#include "framework/plugin/physics.hpp"

namespace halocline {

class Mistakes;

/// Totals over all solves of a run.
struct SolveTotals {
  std::map<std::string, Index> outcomes;  ///< number of solves by how they ended
  Index iterations = 0;
  double seconds = 0;
};

/// The section `output` of a deck.
[[nodiscard]] Section output_section();
/// The times in a validated `output` section.
[[nodiscard]] OutputTimes output_times(Options const& output);
/// Adds a mistake for output times so dense that they cannot be counted.
void validate_output_times(Options const& output, Options const& time, Mistakes& mistakes);

/// Throws an exception, with the reason, for what Output::serialized cannot have returned: then nothing else that reads
/// it throws.
void require_serialized(std::string const& serialized);
/// The tables and their lengths, from what Output::serialized returned.
[[nodiscard]] std::vector<TableState> tables_of(std::string const& serialized);
/// The snapshots already written, from what Output::serialized returned.
[[nodiscard]] std::vector<WrittenSnapshot> snapshots_of(std::string const& serialized);

/// All output of a run, as its deck requests it.
class Output {
 public:
  /// Collective over the compute ranks; `folder` must exist.
  /// \param all all ranks of the run
  /// \param last_snapshot whether the last state is written even if the deck requests no snapshots
  /// \param guard checks states that are to be written; must outlive the output
  /// \param claim of the folder, checked before a new file is written; null on ranks other than 0
  /// \param sender sends snapshots to I/O ranks; null if this rank writes itself. Must outlive the output.
  /// \param continued what `serialized` returned at the step from which the run continues; empty: a new run
  Output(std::filesystem::path folder, Options const& output, std::shared_ptr<Mesh const> mesh, Precision precision,
         Communicator const& all, Provenance provenance, bool last_snapshot, StateGuard& guard,
         FolderClaim const* claim, SnapshotSender* sender, std::string const& continued = "");

  /// Collective over all ranks of the run. From now on a signal that ends the program leaves a summary.
  void prepare_for_abrupt_end(Communicator const& all) { record_.prepare_for_abrupt_end(all); }
  /// Computes the quantities of the state that the schedule has reached, if they certainly become a row of the tables,
  /// and passes them to the guard; whether it then wants a check is agreed by all ranks before the state is added.
  /// Collective.
  void measure(Schedule const& schedule, Physics const& physics);
  /// Adds the state that the schedule has reached (after step 0: the initial one) and the solves that led to it.
  /// Collective.
  /// \param suspect some rank's guard requests a check
  /// The first and the last state, suspect ones, those of snapshots and every n-th one are checked. Throws
  /// NotANumberError if something is not finite: the state then becomes part of the tables but of no snapshot, and the
  /// last finite state is written if it was kept.
  void add(Schedule const& schedule, Physics& physics, std::vector<SolveReport> const& solves, bool suspect);
  /// Ends the output with the state that was added last: adds it to the tables and, if the last state is requested,
  /// writes a snapshot. Collective. Throws as `add` does.
  void add_last(Schedule const& schedule, Physics& physics);
  /// Checks the state from which the run continues. Collective. Throws as `add` does.
  void go_on(Schedule const& schedule, Physics const& physics);
  /// All that tables, series and summary need if another run continues from the present state, as JSON. Collective.
  /// Throws InputOutputError if the folder no longer belongs to the run.
  [[nodiscard]] std::string serialized(Index step, Physics& physics);
  /// Whether all snapshots sent to I/O ranks are on disk, on rank 0.
  [[nodiscard]] bool snapshots_are_written() const;
  /// Waits until they are.
  void wait_for_snapshots() const;
  /// Waits until all snapshots sent to I/O ranks are written; no more may follow. Does nothing without I/O ranks.
  void finish_snapshots();
  /// The residuals of an unfinished solve of a stationary run. On rank 0 only.
  void add_unfinished_solve(std::string const& method, std::span<Index const> iterations,
                            std::span<double const> residuals) {
    record_.add_residuals(1, 1, method, iterations, residuals);
  }
  /// Writes the summary: how the run ended. On rank 0 only: after a failure ranks cannot communicate.
  void finish(ExitCode code, std::string const& message);

  void add_step_size(double size) { record_.add_step_size(size); }
  void add_timing(std::string const& name, double seconds) { record_.add_timing(name, seconds); }
  /// Collective over the compute ranks, at the end of the run: the times of its regions on all ranks.
  void add_regions(Communicator const& ranks);
  /// Quantities of the state added last.
  [[nodiscard]] std::vector<NamedValue> const& quantities() const { return quantities_; }
  [[nodiscard]] SolveTotals const& solves() const { return solves_; }
  /// Physics::step_count of that state.
  [[nodiscard]] std::optional<StepCount> const& step_count() const { return step_count_; }
  /// The drift of quantities that the physics declares conserved; empty before the initial state is added.
  [[nodiscard]] std::optional<Conservation> const& conservation() const { return conservation_; }

 private:
  void take_quantities(Index number, Physics const& physics);
  /// Restores files that are missing beside the snapshots from which the run continues.
  void go_on_with_snapshots(Physics const& physics);
  void take_traces(Physics& physics);
  void record_state(Index number, double time, Physics const& physics);
  void check_and_write(Index number, double time, Physics const& physics);
  /// Values of the present state in the summary besides the quantities.
  void set_totals(Physics const& physics);
  void begin_conservation(Physics const& physics);
  void write_snapshot(Index number, double time, std::span<FieldBase const* const> fields);
  void write_kept_state();

  std::filesystem::path folder_;
  std::shared_ptr<Mesh const> mesh_;
  Precision precision_;
  RunRecord record_;
  StateGuard& guard_;
  FolderClaim const* claim_;
  SnapshotSender* sender_;
  Index snapshot_interval_;  ///< 0: only those by time and, if requested, the last
  Index scalar_interval_;    ///< 0: only the first, the last and those by time
  bool last_snapshot_;
  std::optional<SnapshotWriter> snapshots_;  ///< created with the first snapshot, which writes the mesh
  bool snapshots_ended_ = false;
  Index newest_snapshot_ = -1;            ///< its step
  Index recorded_ = -1;                   ///< step of the newest row of scalars.csv
  std::vector<WrittenSnapshot> written_;  ///< all snapshots, including those of earlier parts of the run
  std::vector<WrittenSnapshot> earlier_;
  Conservation::State earlier_conservation_;  ///< of the part from which this one continues
  std::vector<Quantity> measured_;
  Index measured_at_ = -1;  ///< their step
  std::vector<NamedValue> quantities_;
  SolveTotals solves_;
  std::optional<StepCount> step_count_;
  std::optional<Conservation> conservation_;
};

}  // namespace halocline
