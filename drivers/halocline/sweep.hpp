#pragma once

#include <string>
#include <vector>

#include "drivers/halocline/commands.hpp"
#include "drivers/halocline/sweep_values.hpp"
#include "drivers/halocline/wall_limit.hpp"
#include "framework/runtime/descriptor.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

class FolderClaim;
class HeldSignals;

/// How a sweep ended.
struct SweepEnd {
  ExitCode code = ExitCode::done;
  std::string message;  ///< of a sweep that did not complete
};

/// `halocline run --sweep`: one run after the other, each in a separate process of this program.
class Sweep {
 public:
  /// \param command of each run, except for its folder inside `command.output`
  /// \param ranks   of each run; 0: not given
  /// Throws InputError if `command.sweep` is invalid.
  Sweep(RunCommand command, int ranks);

  /// Validates the decks of all runs as `check` does, and determines the full names of the swept options. Runs in a
  /// separate process, which passes the names to the process that made this object. Throws a single InputError with
  /// each mistake once, and the runs that it affects.
  ExitCode validate() const;

  /// Call it in the process that made this object, after `validate` has succeeded. Runs all, including those after a
  /// failure, and rewrites `sweep.csv` after each. A signal that stops a run stops the current one and starts no
  /// further one, and so does the wall limit, which is that of all runs together. Throws InputError, before the first
  /// run begins, if the folder of a run cannot be used. \param claim claims the folder of the sweep
  [[nodiscard]] SweepEnd run(ClaimFolder const& claim, HeldSignals const& signals) const;

 private:
  [[nodiscard]] std::vector<std::vector<std::string>> validated_changes() const;
  /// \param seconds_left until the wall limit
  [[nodiscard]] std::vector<std::string> words_of(SweptRun const& run, std::vector<std::string> const& changes,
                                                  double seconds_left) const;

  WallLimit::Clock::time_point start_ = WallLimit::Clock::now();
  RunCommand command_;
  int ranks_;
  std::vector<SweptOption> options_;
  std::vector<SweptRun> runs_;
  Descriptor validated_;  ///< a file in memory with the results of `validate`
};

}  // namespace halocline
