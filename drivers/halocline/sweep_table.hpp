#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "drivers/halocline/sweep_values.hpp"
#include "framework/io/run_record.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

/// How a run of a sweep ended, and its results.
struct RunEnd {
  ExitCode code = ExitCode::done;
  std::string status;
  std::string message = {};  ///< of its summary
  std::vector<NamedValue> quantities = {};
};

/// The end of a run, from the summary in `folder` if it has written one since `start`.
[[nodiscard]] RunEnd read_end(std::filesystem::path const& folder, std::filesystem::file_time_type start,
                              ExitCode code);

/// One row per finished run, in their order.
class SweepTable {
 public:
  SweepTable(std::vector<SweptOption> const& options, std::vector<SweptRun> const& runs)
      : options_(options), runs_(runs) {}

  /// The end of the next run.
  void add(RunEnd end);
  /// As CSV. Values that a run does not have are left empty.
  [[nodiscard]] std::string csv() const;
  /// For people: in columns, with short numbers.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::vector<RunEnd> const& ends() const { return ends_; }

 private:
  std::vector<SweptOption> const& options_;
  std::vector<SweptRun> const& runs_;
  std::vector<RunEnd> ends_;
  std::vector<std::string> quantities_;  ///< in order of first appearance
};

}  // namespace halocline
