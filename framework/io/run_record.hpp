#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "framework/io/abrupt_summary.hpp"
#include "framework/io/table_writer.hpp"
#include "framework/operator/evolving_system.hpp"
#include "framework/operator/solve_report.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/region_times.hpp"

namespace halocline {

/// A named number of a run.
struct NamedValue {
  std::string name;
  double value = 0;
};

/// What an exchange of equal messages took by each transport that could carry it.
struct TransportMeasurement {
  bool across_hosts = false;
  Index bytes = 0;                  ///< of a message
  std::vector<NamedValue> seconds;  ///< by transport
  std::string chosen;
};

/// How halos were exchanged.
struct HaloRecord {
  std::string transport;  ///< or several, with commas between; "none" where no rank has neighbours
  std::vector<TransportMeasurement> measured = {};
  std::vector<std::string> left_out = {};  ///< transports that could not be chosen, and why
};

/// A file that values of a field were read from, as the record of a run has it.
struct FieldFileRecord {
  std::string option;
  std::string path;
  Index bytes = 0;
  std::string checksum;  ///< XXH3, 128 bits; empty of a file of more than `largest_hashed` bytes, which would take long
  static constexpr Index largest_hashed = Index{1} << 30;
};

/// Where a run comes from: what it takes to repeat it.
struct Provenance {
  std::string command;  ///< as typed
  std::string deck_path;
  std::string deck_text;  ///< its checksum is recorded too
  std::string deck;       ///< the judged deck with all defaults, as JSON; may be empty
  HaloRecord halo;
  std::vector<std::vector<std::string>> devices = {};  ///< by rank, of a backend that has some
  std::vector<FieldFileRecord> field_files = {};       ///< that initial values, coefficients and sources are from
  int io_ranks = 0;                                    ///< of all ranks, the last so many
};

/// How well a run kept what should not change.
struct ConservedQuantity {
  std::string name;
  double initial = 0;
  double final = 0;
  double largest_drift = 0;    ///< from the initial value in any recorded state, relative to the size of the quantity
  double explained_drift = 0;  ///< what rounding and the residuals of solves account for, relative too
};

/// What ended a run: a value of a field, or a number made of its state, that is NaN or infinite or makes no sense.
struct NotFinite {
  /// Of a value of a field.
  struct Point {
    std::string centring;  ///< "cell", …; "point" of points
    int component = 0;
    int components = 1;            ///< that the field has
    std::vector<Index> index;      ///< global, along each axis of the mesh
    std::vector<double> position;  ///< likewise; empty of points
    Index count = 1;               ///< values of the component that are no finite numbers
  };
  std::string name;  ///< of the field; otherwise what it is
  double value = 0;
  std::optional<Point> point = {};  ///< of the first value, by index; empty where all fields are finite
  Index step = 0;                   ///< after which it was seen; 0: in the initial state
  double time = 0;
  std::optional<Index> last_finite_step = {};  ///< after which all fields were last found finite
};

/// A way that sweeps took through the kernels.
struct SweepForm {
  std::string functor;
  std::string points;  ///< of the range, along each axis; empty: any
  std::string form;    ///< "streaming, 256 x 2 threads, …", "vectorised rows"
  std::string tuning;  ///< where its tuning is from; empty where there is nothing to tune
};

/// What a run leaves beside its snapshots: `scalars.csv` (quantities by step), `residuals.csv` (the residual of every
/// measured iteration of every solve), `traces.csv` (what points recorded, by time) and `summary.json` (how it ended,
/// outcome of each solve, last quantities, timings, the forms of its sweeps, provenance). Numbers that JSON has none
/// for are the texts "nan", "inf" and "-inf" there, and the same without quotation marks in tables. Rank 0 writes; on
/// other ranks nothing happens. Failures to write throw InputOutputError naming the file and the reason.
class RunRecord {
 public:
  /// `folder` exists. Writes a first `summary.json`, of status "running": what is left of a run that nothing but a kill
  /// has ended. Room on the disk for the last one is taken before; a disk that has none of it is on record where it has
  /// room for the first.
  ///
  /// \param continued what `carried` gave at the step that the run goes on from; empty: the run begins
  RunRecord(std::filesystem::path folder, Communicator const& communicator, Provenance provenance,
            std::string const& continued = "");

  ~RunRecord();
  RunRecord(RunRecord const&) = delete;
  RunRecord& operator=(RunRecord const&) = delete;

  /// All that tables and summary need where another run goes on from the present step, `step`, as JSON. Tables are in
  /// the hands of the system up to here.
  [[nodiscard]] std::string carried(Index step) const;

  /// Collective. From here on every rank, and not the first alone, can write a `summary.json` of how the run ended
  /// while a signal ends the program, until it has an end.
  void prepare_for_abrupt_end(Communicator const& communicator);

  /// What the solves of a step did, where its state is not recorded.
  void add_solves(Index step, std::span<SolveReport const> solves);
  /// The residuals of a solve that did not come to its end.
  void add_residuals(Index step, Index solve, std::string const& method, std::span<Index const> iterations,
                     std::span<double const> residuals);
  /// The state after step `number`; 0 is the initial one. The names of the quantities are the same each time.
  void add_step(Index number, double time, std::span<NamedValue const> quantities, std::span<SolveReport const> solves);
  /// What points recorded at some times; `values` by time, then point. The names are the same each time.
  void add_traces(std::span<std::string const> names, std::span<double const> times, std::span<double const> values);
  /// A step of this length, in the unit of time, has been taken.
  void add_step_size(double size);
  /// The steps so far of a method that controls its own error.
  void set_step_count(StepCount const& steps) { step_count_ = steps; }
  /// A named time to be listed with the timings, in seconds: of the run, or of its ranks where those differ.
  void add_timing(std::string const& name, double seconds);
  void add_timing(std::string const& name, RankSeconds const& seconds);
  /// What region_times of all ranks gave. Without it the summary has those of this rank: what else is there where ranks
  /// failed.
  void set_regions(std::vector<RegionTime> regions) { regions_ = std::move(regions); }
  /// What the summary says of conserved quantities; nothing else does.
  void set_conserved(std::vector<ConservedQuantity> conserved) { conserved_ = std::move(conserved); }
  /// The run ends `unsolved` since a number is none: the summary tells which, and its status is "not a number".
  void set_not_finite(NotFinite const& bad) { not_finite_ = bad; }
  /// The forms that this rank's sweeps took.
  void set_sweeps(std::vector<SweepForm> sweeps) { sweeps_ = std::move(sweeps); }
  /// Replaces `summary.json`, at the end of the run or where it failed, with the code and message it ends with. Where
  /// the disk has no room for the list of solves, the one of a run that failed is left empty.
  void finish(ExitCode code, std::string const& message = "");

 private:
  void begin();
  void go_on_from(std::string const& continued);
  /// All tables as far as they are handed over.
  [[nodiscard]] std::vector<TableState> tables() const;
  void make_table(std::optional<TableWriter>& table, std::string const& name, std::vector<std::string> const& columns);
  void write_summary(ExitCode code, std::string const& message) const;
  void add_rows(Index step, Index solve, std::string const& method, std::span<Index const> iterations,
                std::span<double const> residuals);
  void record_failure(InputOutputError const& error);
  struct Solve {
    Index step;
    SolveReport report;  ///< without its history
  };

  [[nodiscard]] std::string summary(std::optional<ExitCode> end, std::string const& message, bool with_solves) const;

  std::filesystem::path folder_;
  bool writes_;
  Provenance provenance_;
  int ranks_;
  int hosts_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::string started_;  ///< date and time, UTC
  std::optional<TableWriter> scalars_;
  std::optional<TableWriter> residuals_;
  std::optional<TableWriter> traces_;
  Index steps_ = 0;
  double least_step_ = 0;  ///< 0: there was none
  double largest_step_ = 0;
  std::optional<StepCount> step_count_;
  double time_ = 0;
  std::vector<NamedValue> quantities_;
  std::vector<SweepForm> sweeps_;
  std::vector<ConservedQuantity> conserved_;
  std::optional<NotFinite> not_finite_;
  std::vector<NamedValue> timings_;
  std::vector<std::pair<std::string, RankSeconds>> rank_timings_;
  std::optional<std::vector<RegionTime>> regions_;
  std::vector<Solve> solves_;
  std::string earlier_solves_ = "[]";  ///< of the parts that this one goes on from, as the summary lists them
  std::string earlier_parts_ = "[]";   ///< likewise
  std::vector<TableState> earlier_tables_;
  std::optional<AbruptSummary> abrupt_;
};

/// Collective, with RunRecord::prepare_for_abrupt_end of other ranks: the same for a rank without a record of its own.
[[nodiscard]] std::unique_ptr<AbruptSummary> join_abrupt_end(Communicator const& communicator,
                                                             std::filesystem::path const& folder);

/// For a process that outlives a run: gives the `summary.json` in `folder` the end that the run could not write any
/// more. Leaves alone what is missing, was written before `since` (by another run), or tells of an end that was not
/// abrupt already. Throws InputOutputError.
void close_summary(std::filesystem::path const& folder, std::filesystem::file_time_type since, ExitCode code,
                   std::string const& message);

/// A run goes on in `folder`: what its `summary.json` says of an end holds no more. Leaves alone what is missing, or no
/// summary. Throws InputOutputError, and has changed nothing then.
void reopen_summary(std::filesystem::path const& folder);

/// What is wrong with the text of a summary, in words; empty: it is what was written, or a handler of signals wrote it.
[[nodiscard]] std::vector<std::string> damage_of_summary_text(std::string const& text);

/// "done", "wrong input", "unsolved", "input/output failed", "stopped" or "defect".
[[nodiscard]] char const* status_of(ExitCode code) noexcept;

/// XXH3 128-bit checksum as 32 hexadecimal digits.
[[nodiscard]] std::string checksum(std::string const& text);

}  // namespace halocline
