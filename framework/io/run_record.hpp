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
#include "framework/io/solve_list.hpp"
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

/// Measured times of an exchange of equal messages, for each transport that could be used.
struct TransportMeasurement {
  bool across_hosts = false;
  Index bytes = 0;                  ///< of a message
  std::vector<NamedValue> seconds;  ///< by transport
  std::string chosen;
};

/// How halos were exchanged.
struct HaloRecord {
  std::string transport;  ///< several are separated by commas; "none" if no rank has neighbours
  std::vector<TransportMeasurement> measured = {};
  std::vector<std::string> left_out = {};  ///< transports that could not be chosen, and why
};

/// The record of a file that a run reads, such as one with the values of a field.
struct FieldFileRecord {
  std::string option;
  std::string path;
  Index bytes = 0;
  std::string checksum;  ///< XXH3, 128 bits; empty for a file above `largest_hashed` bytes, which would take long
  static constexpr Index largest_hashed = Index{1} << 30;
};
/// The records as a JSON array. A checksum that is empty becomes null.
[[nodiscard]] std::string described_files(std::vector<FieldFileRecord> const& files);

/// Origin of a run: the information needed to repeat it.
struct Provenance {
  std::string command;  ///< as typed
  std::string deck_path;
  std::string deck_text;  ///< its checksum is recorded as well
  std::string deck;       ///< the validated deck with all defaults, as JSON; may be empty
  HaloRecord halo;
  std::vector<std::vector<std::string>> devices = {};  ///< by rank, for a backend with devices
  std::vector<FieldFileRecord> field_files = {};       ///< of initial values, coefficients, sources and bodies
  std::vector<FieldFileRecord> plugins = {};           ///< shared objects of the user
  int io_ranks = 0;                                    ///< number of I/O ranks, which are the last of all ranks
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();  ///< of the set-up
};

/// Drift of a quantity that should be constant.
struct ConservedQuantity {
  std::string name;
  double initial = 0;
  double final = 0;
  double largest_drift = 0;    ///< from the initial value in any recorded state, relative to the quantity's size
  double explained_drift = 0;  ///< due to rounding and the residuals of solves, also relative
};

/// The value that ended a run: in a field or computed from its state, it is NaN, infinite or meaningless.
struct NotFinite {
  /// Location of a value of a field.
  struct Point {
    std::string centring;  ///< "cell", …; "point" for points
    int component = 0;
    int components = 1;            ///< number of components of the field
    std::vector<Index> index;      ///< global, along each axis of the mesh
    std::vector<double> position;  ///< along each axis of the mesh; empty for points
    Index count = 1;               ///< number of values of the component that are NaN or infinite
  };
  std::string name;  ///< of the field; otherwise a description
  double value = 0;
  std::optional<Point> point = {};  ///< of the first value, by index; empty if all fields are finite
  Index step = 0;                   ///< the step after which it was detected; 0: in the initial state
  double time = 0;
  std::optional<Index> last_finite_step = {};  ///< the last step after which all fields were found finite
};

/// A kernel variant that sweeps used.
struct SweepForm {
  std::string functor;
  std::string points;  ///< of the range, along each axis; empty: any
  std::string form;    ///< "streaming, 256 x 2 threads, …", "vectorised rows"
  std::string tuning;  ///< origin of its tuning; empty if there is nothing to tune
};

/// Writes the output of a run besides its snapshots: `scalars.csv` (quantities by step), `residuals.csv` (the residual
/// of every measured iteration of every solve), `traces.csv` (values recorded at points, by time) and `summary.json`
/// (the end of the run, outcomes of its solves, last quantities, timings, kernel variants of its sweeps, provenance).
/// NaN and infinities are the texts "nan", "inf" and "-inf" in JSON, and the same without quotation marks in tables.
/// Only rank 0 writes. Write failures throw InputOutputError with the file and the reason.
class RunRecord {
 public:
  /// `folder` must exist. Writes a first `summary.json` with status "running", which remains if the run is killed.
  /// Reserves disk space for the last summary before that; if this fails and there is space for the first, the first
  /// records the error.
  ///
  /// \param continued result of `serialized` at the step from which the run continues; empty: a new run
  RunRecord(std::filesystem::path folder, Communicator const& communicator, Provenance provenance,
            std::string const& continued = "");

  ~RunRecord();
  RunRecord(RunRecord const&) = delete;
  RunRecord& operator=(RunRecord const&) = delete;

  /// The data of tables and summary that another run needs to continue from the present step, `step`, as JSON. Of
  /// tables, only flushed rows count.
  [[nodiscard]] std::string serialized(Index step) const;

  /// Collective. From here on every rank, not only the first, can write a `summary.json` if a signal ends the program,
  /// until the run has ended.
  void prepare_for_abrupt_end(Communicator const& communicator);

  /// Reports of a step's solves, if its state is not recorded.
  void add_solves(Index step, std::span<SolveReport const> solves);
  /// The residuals of a solve that did not finish.
  void add_residuals(Index step, Index solve, std::string const& method, std::span<Index const> iterations,
                     std::span<double const> residuals);
  /// The state after step `number`; 0 is the initial one. Quantities must have the same names each time.
  void add_step(Index number, double time, std::span<NamedValue const> quantities, std::span<SolveReport const> solves);
  /// Values recorded at points; `values` has point index fastest, then time. Names must be the same each time.
  void add_traces(std::span<std::string const> names, std::span<double const> times, std::span<double const> values);
  /// Records the size of a completed step, in the unit of time.
  void add_step_size(double size);
  /// The number of steps so far of a method with error control.
  void set_step_count(StepCount const& steps) { step_count_ = steps; }
  /// A named time in seconds for the list of timings: of the run, or of its ranks if those differ.
  void add_timing(std::string const& name, double seconds);
  void add_timing(std::string const& name, RankSeconds const& seconds);
  /// The result of region_times on all ranks. Without it the summary has the times of this rank, as after a failure of
  /// other ranks.
  void set_regions(std::vector<RegionTime> regions) { regions_ = std::move(regions); }
  /// The summary's data about conserved quantities.
  void set_conserved(std::vector<ConservedQuantity> conserved) { conserved_ = std::move(conserved); }
  /// The run ends `unsolved` because of this value; the summary has its details and the status "not a number".
  void set_not_finite(NotFinite const& bad) { not_finite_ = bad; }
  /// The kernel variants of this rank's sweeps.
  void set_sweeps(std::vector<SweepForm> sweeps) { sweeps_ = std::move(sweeps); }
  /// Replaces `summary.json`, at the run's end or after a failure, with its exit code and message. If the disk has no
  /// space for the list of solves, a failed run's list is left empty.
  void finish(ExitCode code, std::string const& message = "");

 private:
  void begin();
  void go_on_from(std::string const& continued);
  /// All tables up to their last flush.
  [[nodiscard]] std::vector<TableState> tables() const;
  void make_table(std::optional<TableWriter>& table, std::string const& name, std::vector<std::string> const& columns);
  void write_summary(ExitCode code, std::string const& message) const;
  void add_rows(Index step, Index solve, std::string const& method, std::span<Index const> iterations,
                std::span<double const> residuals);
  void record_failure(InputOutputError const& error);
  [[nodiscard]] std::string summary(std::optional<ExitCode> end, std::string const& message, bool with_solves) const;

  std::filesystem::path folder_;
  bool writes_;
  Provenance provenance_;
  int ranks_;
  int hosts_;
  std::string started_;  ///< date and time, UTC
  std::optional<TableWriter> scalars_;
  std::optional<TableWriter> residuals_;
  std::optional<TableWriter> traces_;
  Index steps_ = 0;
  double least_step_ = 0;  ///< 0: none
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
  SolveList solves_;
  std::string earlier_parts_ = "[]";  ///< of a continued run, in the format of the summary
  std::vector<TableState> earlier_tables_;
  std::optional<AbruptSummary> abrupt_;
};

/// The tables in what RunRecord::serialized returned. Throws an exception, with the reason, if that is not what it
/// could have returned: such as a table of another name than those of a run.
[[nodiscard]] std::vector<TableState> tables_of_record(std::string const& serialized);

/// Throws InputError if the run in `folder` has a table `scalars.csv` of other quantities, or `traces.csv` of other
/// traces, than one that continues it; `tables` are those that it continues.
void require_same_tables(std::filesystem::path const& folder, std::span<TableState const> tables,
                         std::span<std::string const> quantities, std::span<std::string const> traces);

/// Collective, together with RunRecord::prepare_for_abrupt_end on other ranks: the same for a rank without a RunRecord.
[[nodiscard]] std::unique_ptr<AbruptSummary> join_abrupt_end(Communicator const& communicator,
                                                             std::filesystem::path const& folder);

/// For a process that outlives a run: adds to the `summary.json` in `folder` the end that the run could no longer
/// write. Does nothing if the file is missing, was written before `since` (by another run), or already has an end that
/// is not abrupt. Throws InputOutputError.
void close_summary(std::filesystem::path const& folder, std::filesystem::file_time_type since, ExitCode code,
                   std::string const& message);

/// For a run that continues in `folder`: removes the end from its `summary.json`. Does nothing if the file is missing
/// or is not a summary. Throws InputOutputError, with the file unchanged.
void reopen_summary(std::filesystem::path const& folder);

/// Describes the damage in the text of a summary; empty: it is intact, or a signal handler wrote it without a checksum.
[[nodiscard]] std::vector<std::string> damage_of_summary_text(std::string const& text);

/// "done", "wrong input", "unsolved", "input/output failed", "stopped" or "defect".
[[nodiscard]] char const* status_of(ExitCode code) noexcept;

/// XXH3 128-bit checksum as 32 hexadecimal digits.
[[nodiscard]] std::string checksum(std::string const& text);

}  // namespace halocline
