#pragma once

#include <memory>
#include <span>
#include <utility>

namespace halocline {

/// Sums over the ranks that go on while the caller works, see Communicator::start_sum. MPI gets on with them whenever
/// it is called: an exchange of halos on the way is enough.
class PendingSum {
 public:
  /// One that was never finished leaves its memory to MPI, which may still touch it.
  PendingSum(PendingSum&&) noexcept = default;
  PendingSum& operator=(PendingSum&&) noexcept = default;

  /// Waits, polling as all waits do: throws RemoteError when a rank has failed. The sums stay there as long as this.
  [[nodiscard]] std::span<double const> finish();

 private:
  friend class Communicator;
  struct State;
  explicit PendingSum(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

}  // namespace halocline
