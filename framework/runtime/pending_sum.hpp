#pragma once

#include <memory>
#include <span>
#include <utility>

namespace halocline {

/// Sums over the ranks that progress while the caller works, see Communicator::start_sum. MPI progresses them whenever
/// it is called, for example by a halo exchange.
class PendingSum {
 public:
  /// A sum that was never finished leaves its memory to MPI, which may still access it.
  PendingSum(PendingSum&&) noexcept = default;
  PendingSum& operator=(PendingSum&&) noexcept = default;

  /// Waits and polls: throws RemoteError when a rank has failed. The span is valid as long as this object lives.
  [[nodiscard]] std::span<double const> finish();

 private:
  friend class Communicator;
  struct State;
  explicit PendingSum(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

}  // namespace halocline
