#pragma once

#include <string>
#include <vector>

#include "drivers/halocline/commands.hpp"
#include "drivers/halocline/sweep_values.hpp"
#include "framework/runtime/descriptor.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

class FolderClaim;
class HeldSignals;

/// How a sweep ended.
struct SweepEnd {
  ExitCode code = ExitCode::done;
  std::string message;  ///< of one that has not done all that it should
};

/// `halocline run --sweep`: one run after the other, each of this program in a process of its own.
class Sweep {
 public:
  /// \param command of which each run is, but for its own folder inside `command.output`
  /// \param ranks   of each run; 0: not given
  /// Throws InputError for what is wrong with `command.sweep`.
  Sweep(RunCommand command, int ranks);

  /// Judges the decks of all runs as `check` does, and finds out what the swept options are called in full. For a
  /// process of its own, which hands that to the one that made this object. Throws one InputError that tells each
  /// mistake once, and of which runs it is.
  ExitCode judge() const;

  /// For the process that made this object, once the judge has ended well. Runs them all, those behind one that fails
  /// too, and after each writes `sweep.csv` anew. A signal that stops a run stops the one under way and begins no
  /// further one. Throws InputError where the folder of a run cannot be used, before the first has begun.
  /// \param claim takes the folder of the sweep
  [[nodiscard]] SweepEnd run(ClaimFolder const& claim, HeldSignals const& signals) const;

 private:
  [[nodiscard]] std::vector<std::vector<std::string>> judged_changes() const;
  [[nodiscard]] std::vector<std::string> words_of(SweptRun const& run, std::vector<std::string> const& changes) const;

  RunCommand command_;
  int ranks_;
  std::vector<SweptOption> options_;
  std::vector<SweptRun> runs_;
  Descriptor judged_;  ///< a file in memory: what the judge hands over
};

}  // namespace halocline
