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

/// What all solves of a run did.
struct SolveTotals {
  std::map<std::string, Index> outcomes;  ///< number of solves by how they ended
  Index iterations = 0;
  double seconds = 0;
};

/// The section `output` of a deck.
[[nodiscard]] Section output_section();
/// The times that a judged `output` section asks for.
[[nodiscard]] OutputTimes output_times(Options const& output);
/// Adds a mistake for times that follow one another so closely that they cannot be counted.
void judge_output_times(Options const& output, Options const& time, Mistakes& mistakes);

/// The tables, as far as they had come, in what Output::carried gave.
[[nodiscard]] std::vector<TableState> tables_of(std::string const& carried);
/// The snapshots that are written, in what Output::carried gave.
[[nodiscard]] std::vector<WrittenSnapshot> snapshots_of(std::string const& carried);

/// Everything that a run writes, as its deck asks for it.
class Output {
 public:
  /// Collective over the compute ranks; `folder` exists.
  /// \param all the ranks of the run
  /// \param last_snapshot whether the last state is written even if the deck asks for no snapshots
  /// \param guard of the states that are to be written; it outlives the output
  /// \param claim of the folder, which is asked before anything is written anew; null on ranks other than 0
  /// \param sender hands snapshots over to I/O ranks; null where this rank writes itself. It outlives the output.
  /// \param continued what `carried` gave at the step that the run goes on from; empty: it begins
  Output(std::filesystem::path folder, Options const& output, std::shared_ptr<Mesh const> mesh, Precision precision,
         Communicator const& all, Provenance provenance, bool last_snapshot, StateGuard& guard,
         FolderClaim const* claim, SnapshotSender* sender, std::string const& continued = "");

  /// Collective over all ranks of the run. From here on a signal that ends the program leaves a summary.
  void prepare_for_abrupt_end(Communicator const& all) { record_.prepare_for_abrupt_end(all); }
  /// Takes the quantities of the state that the schedule has come to, if they become a row of the tables in any case,
  /// and shows them to the guard: what it wants then is asked of all ranks before the state is added. Collective.
  void measure(Schedule const& schedule, Physics const& physics);
  /// The state that the schedule has come to (after step 0: the initial one) and how it came about. Collective.
  /// \param suspect some rank's guard wants to look at it
  /// Throws NotANumberError if the state is looked at (as the first, the last, suspect ones, those of snapshots and
  /// every so many-th are) and something is not finite. It then becomes part of the tables and of no snapshot; the last
  /// finite state is written if it was kept.
  void add(Schedule const& schedule, Physics& physics, std::vector<SolveReport> const& solves, bool suspect);
  /// The run ends with the state that was added last: it becomes part of the tables and, if the last one does, of a
  /// snapshot. Collective. Throws as `add`.
  void add_last(Schedule const& schedule, Physics& physics);
  /// Looks at the state that the run goes on from. Collective. Throws as `add`.
  void go_on(Schedule const& schedule, Physics const& physics);
  /// All that tables, series and summary need where another run goes on from the present state, as JSON. Collective.
  /// Throws InputOutputError where the folder is not the run's any more.
  [[nodiscard]] std::string carried(Index step, Physics& physics);
  /// Whether all snapshots that were handed over are on the disk, on rank 0.
  [[nodiscard]] bool snapshots_are_written() const;
  /// Returns when they are.
  void wait_for_snapshots() const;
  /// Returns when all snapshots that were handed over to I/O ranks are written; there are no more. Does nothing where
  /// there are no I/O ranks.
  void finish_snapshots();
  /// The residuals of the one solve of a stationary run that did not come to its end. On rank 0, alone.
  void add_unfinished_solve(std::string const& method, std::span<Index const> iterations,
                            std::span<double const> residuals) {
    record_.add_residuals(1, 1, method, iterations, residuals);
  }
  /// Writes the summary: how the run ended. On rank 0, alone: ranks that failed cannot work together.
  void finish(ExitCode code, std::string const& message);

  void add_step_size(double size) { record_.add_step_size(size); }
  void add_timing(std::string const& name, double seconds) { record_.add_timing(name, seconds); }
  /// Collective over the compute ranks, at the end of the run: what its regions took on all of them.
  void add_regions(Communicator const& ranks);
  /// Of the state added last.
  [[nodiscard]] std::vector<NamedValue> const& quantities() const { return quantities_; }
  [[nodiscard]] SolveTotals const& solves() const { return solves_; }
  /// Physics::step_count of that state.
  [[nodiscard]] std::optional<StepCount> const& step_count() const { return step_count_; }
  /// How well the run kept what its physics declares conserved; empty before the initial state is added.
  [[nodiscard]] std::optional<Conservation> const& conservation() const { return conservation_; }

 private:
  void take_quantities(Index number, Physics const& physics);
  /// Makes good what is missing beside the snapshots that the run goes on from.
  void go_on_with_snapshots(Physics const& physics);
  void take_traces(Physics& physics);
  void record_state(Index number, double time, Physics const& physics);
  void look(Index number, double time, Physics const& physics);
  /// What the summary says of the present state beside its quantities.
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
  Index snapshot_interval_;  ///< 0: none but those by time and the last, if that
  Index scalar_interval_;    ///< 0: none but the first, the last and those by time
  bool last_snapshot_;
  std::optional<SnapshotWriter> snapshots_;  ///< made with the first one: it writes the mesh
  bool snapshots_ended_ = false;
  Index newest_snapshot_ = -1;            ///< the step that it is of
  Index recorded_ = -1;                   ///< the step that the newest row of scalars.csv is of
  std::vector<WrittenSnapshot> written_;  ///< all snapshots, of earlier parts of the run too
  std::vector<WrittenSnapshot> earlier_;
  std::string carried_conservation_;  ///< of the part that this one goes on from; empty: none
  std::vector<Quantity> measured_;
  Index measured_at_ = -1;  ///< the step that they are of
  std::vector<NamedValue> quantities_;
  SolveTotals solves_;
  std::optional<StepCount> step_count_;
  std::optional<Conservation> conservation_;
};

}  // namespace halocline
