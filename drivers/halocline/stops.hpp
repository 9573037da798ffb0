#pragma once

#include <functional>
#include <optional>
#include <string>

#include "drivers/halocline/wall_limit.hpp"
#include "framework/io/snapshot_sender.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/pending_sum.hpp"

namespace halocline {

/// What asks a run to stop before its end.
enum class StopReason { none, wall_limit, signal };

/// Why a run should stop, as far as this rank knows.
class Stops {
 public:
  /// \param sender to an I/O rank, which may have been asked; null: there is none
  Stops(double wall_limit, SnapshotSender* sender);

  /// \param needed seconds that the run has work for before it could stop again
  [[nodiscard]] StopReason reason(double needed) const;
  /// "stopped by a signal", "stopped at the wall limit of 90 s".
  [[nodiscard]] std::string text(StopReason reason) const;

 private:
  WallLimit limit_;
  SnapshotSender* sender_;
};

/// What the ranks of one long solve tell each other on the way, without waiting for it: what each says in an iteration
/// is known to all some iterations later, in the same one everywhere.
class SolveWatch {
 public:
  struct Said {
    StopReason stop = StopReason::none;  ///< the largest
    bool checkpoint = false;             ///< is due by the clock of rank 0
    bool busy = false;                   ///< any rank, with a checkpoint
  };
  explicit SolveWatch(Communicator const& communicator) : communicator_(communicator) {}

  /// Collective, after each measured iteration: what all have said, where that is known by now. `mine` is asked now and
  /// then, for a tenth of a second's iterations or so.
  [[nodiscard]] std::optional<Said> add(std::function<Said()> const& mine);
  /// Collective. Waits for what is on its way.
  void finish();
  /// About how long it takes until what is said now is known and acted on.
  [[nodiscard]] double seconds_ahead() const { return 2 * static_cast<double>(interval_) * seconds_each_; }

 private:
  void start(Said const& mine);
  [[nodiscard]] Said take();

  Communicator const& communicator_;
  std::optional<PendingSum> sums_;
  Index left_ = 0;      ///< iterations until the sums are taken
  Index counted_ = 1;   ///< of the present interval
  Index interval_ = 1;  ///< iterations from one to the next
  double started_ = 0;
  double seconds_each_ = 0;  ///< of an iteration lately
};

}  // namespace halocline
