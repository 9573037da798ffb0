#pragma once

#include <functional>
#include <optional>
#include <string>

#include "drivers/halocline/wall_limit.hpp"
#include "framework/io/snapshot_sender.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/pending_sum.hpp"

namespace halocline {

/// Reasons to stop a run before its end.
enum class StopReason { none, wall_limit, signal };

/// Why a run should stop, by what this rank knows.
class Stops {
 public:
  /// \param sender to an I/O rank, which may have received a signal; null: there is none
  Stops(double wall_limit, SnapshotSender* sender);

  /// \param needed seconds of work until the run could stop again
  [[nodiscard]] StopReason reason(double needed) const;
  /// "stopped by a signal", "stopped at the wall limit of 90 s".
  [[nodiscard]] std::string text(StopReason reason) const;

 private:
  WallLimit limit_;
  SnapshotSender* sender_;
};

/// Lets the ranks of a long solve exchange requests without waiting: a request made in one iteration is known to all
/// ranks a few iterations later, in the same iteration on each.
class SolveWatch {
 public:
  struct Said {
    StopReason stop = StopReason::none;  ///< the largest
    bool checkpoint = false;             ///< is due by the clock of rank 0
    bool busy = false;                   ///< some rank is writing a checkpoint
  };
  explicit SolveWatch(Communicator const& communicator) : communicator_(communicator) {}

  /// Collective, after each measured iteration: the requests of all ranks, if they are known by now. `mine` is called
  /// about every tenth of a second.
  [[nodiscard]] std::optional<Said> add(std::function<Said()> const& mine);
  /// Collective. Waits for pending sums.
  void finish();
  /// Estimated time until a request made now is known to all and handled.
  [[nodiscard]] double seconds_ahead() const { return 2 * static_cast<double>(interval_) * seconds_each_; }

 private:
  void start(Said const& mine);
  [[nodiscard]] Said take();

  Communicator const& communicator_;
  std::optional<PendingSum> sums_;
  Index left_ = 0;      ///< iterations until the sums are read
  Index counted_ = 1;   ///< iterations of the present interval
  Index interval_ = 1;  ///< iterations between reductions
  double started_ = 0;
  double seconds_each_ = 0;  ///< of a recent iteration
};

}  // namespace halocline
