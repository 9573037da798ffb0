#pragma once

#include <mpi.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/runtime/index.hpp"
#include "framework/runtime/pending_sum.hpp"

namespace halocline {

class ControlChannel;

/// A group of ranks that work together; all waits between ranks go through it. Created from the caller's MPI_Comm,
/// which is duplicated and otherwise not used.
///
/// Every wait polls a control channel that all communicators of one family (a communicator and what was split from it)
/// share: when any rank of the family fails, the wait ends with RemoteError. Methods named "collective" must be called
/// by all ranks of the communicator in the same order. An MPI call that fails throws StoppedError.
class Communicator {
 public:
  /// Collective over `parent`. `hosts`, if not empty, gives the host of each rank and overrides what MPI detects: for
  /// tests of placement on one machine. Throws DefectError if its size is not that of `parent`.
  explicit Communicator(MPI_Comm parent, std::span<int const> hosts = {});
  /// This process alone, where MPI has not started: it cannot exchange messages and cannot be split.
  [[nodiscard]] static Communicator alone();
  Communicator(Communicator&&) noexcept = default;
  Communicator& operator=(Communicator&&) noexcept = default;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }

  /// Hosts are numbered from 0 in the order of their lowest rank.
  [[nodiscard]] int host() const { return hosts_[static_cast<std::size_t>(rank_)]; }
  [[nodiscard]] int host_of(int rank) const { return hosts_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] int hosts() const { return host_count_; }
  /// Of each rank.
  [[nodiscard]] std::vector<int> const& hosts_of_ranks() const { return hosts_; }
  /// Position of this rank among the ranks of its host, and their number.
  [[nodiscard]] int local_rank() const { return local_rank_; }
  [[nodiscard]] int local_size() const { return local_size_; }

  /// For messages between ranks (tags 0 .. last_tag) whose requests are then passed to the waits below. Collectives of
  /// MPI or of other libraries on it are not polled: call `barrier` before each, so that no rank enters one while
  /// another has failed.
  [[nodiscard]] MPI_Comm data() const { return data_ != nullptr ? *data_ : MPI_COMM_NULL; }
  static constexpr int last_tag = 29999;

  /// Persistent requests for messages of any size; start them with MPI_Start or MPI_Startall.
  [[nodiscard]] MPI_Request send_init(void const* data, Index bytes, int to, int tag) const;
  [[nodiscard]] MPI_Request receive_init(void* data, Index bytes, int from, int tag) const;
  /// Messages of any size that start at once.
  [[nodiscard]] MPI_Request send(void const* data, Index bytes, int to, int tag) const;
  [[nodiscard]] MPI_Request receive(void* data, Index bytes, int from, int tag) const;
  /// Completes only when the other rank receives it: MPI keeps no copy, however small the message is (synchronous
  /// send).
  [[nodiscard]] MPI_Request send_to_receiver(void const* data, Index bytes, int to, int tag) const;

  /// Returns when all requests are complete. On RemoteError they stay pending: pass them to `abandon`.
  void wait_all(std::span<MPI_Request> requests) const;
  void wait(MPI_Request& request) const { wait_all({&request, 1}); }
  /// The same for requests whose memory `owner` holds: if the wait ends in an exception, they are abandoned.
  void complete(std::vector<MPI_Request> requests, std::shared_ptr<void const> owner) const;
  /// Sends a text of any length, and returns when it has left this rank.
  void send_text(std::string const& text, int to, int tag) const;
  /// The next text from a rank, if one has arrived. Throws RemoteError as waits do.
  [[nodiscard]] std::optional<std::string> take_text(int from, int tag) const;
  /// Calls `done` repeatedly and returns when it yields true.
  void wait_until(std::function<bool()> const& done) const;
  /// Progresses messages and returns whether all requests are complete. Throws RemoteError as waits do.
  [[nodiscard]] bool test_all(std::span<MPI_Request> requests) const;
  /// Cancels and frees requests, including persistent and incomplete ones; for destructors and unwinding. `memory` owns
  /// the buffers: if a message cannot be cancelled, it is kept until the program ends, since MPI may still access it.
  static void abandon(std::span<MPI_Request> requests, std::shared_ptr<void const> memory) noexcept;

  /// Collective. Each entry becomes its sum (maximum, minimum) over the ranks, in an order that depends only on the
  /// number of ranks; all ranks get the same bits. The result is NaN if any rank has a NaN.
  void sum(std::span<double> values) const;
  void sum(std::span<float> values) const;
  void sum(std::span<Index> values) const;
  void max(std::span<double> values) const;
  void max(std::span<Index> values) const;
  void min(std::span<double> values) const;
  void min(std::span<Index> values) const;
  /// Collective. The same as `sum`, to the bit, in two halves; other messages and collectives may occur in between.
  /// `values` are copied.
  [[nodiscard]] PendingSum start_sum(std::span<double const> values) const;
  [[nodiscard]] double sum(double value) const { return sum({&value, 1}), value; }
  [[nodiscard]] Index sum(Index value) const { return sum({&value, 1}), value; }
  [[nodiscard]] double max(double value) const { return max({&value, 1}), value; }
  [[nodiscard]] Index max(Index value) const { return max({&value, 1}), value; }
  [[nodiscard]] double min(double value) const { return min({&value, 1}), value; }
  [[nodiscard]] Index min(Index value) const { return min({&value, 1}), value; }
  /// Collective. Whether `mine` is true on all ranks, on any rank.
  [[nodiscard]] bool all(bool mine) const;
  [[nodiscard]] bool any(bool mine) const;

  /// Collective. Sum of `value` over the ranks below this one; 0 on rank 0.
  [[nodiscard]] Index exscan(Index value) const;
  /// Collective. Returns when all ranks have entered it.
  void barrier() const;
  /// Collective. All ranks get root's bytes; the spans have the same size everywhere.
  void broadcast(std::span<std::byte> bytes, int root) const;
  /// Collective. All ranks get root's text, of any length.
  void broadcast(std::string& text, int root) const;
  /// Collective. The texts (or bytes) of all ranks in their order, on `root`; empty elsewhere.
  [[nodiscard]] std::vector<std::string> gather(std::string const& mine, int root = 0) const;
  /// Collective. The numbers of all ranks in their order, `mine.size()` (the same everywhere) each, on all ranks.
  [[nodiscard]] std::vector<Index> all_gather(std::span<Index const> mine) const;
  [[nodiscard]] std::vector<double> all_gather(std::span<double const> mine) const;

  /// Collective, after work that may have failed on some ranks only. Returns if no rank has an exception; otherwise the
  /// lowest rank that has one rethrows it and the others throw RemoteError with its message.
  void agree(std::exception_ptr const& mine) const;

  /// Collective. Ranks of equal `colour` form a communicator of the same family, ordered by `key`, then rank; null
  /// where `colour` is negative.
  [[nodiscard]] std::unique_ptr<Communicator> split(int colour, int key = 0) const;

  /// The family's control channel, which run_guarded uses.
  [[nodiscard]] ControlChannel& control() const { return *control_; }
  /// Throws RemoteError if another rank has reported a failure; for long loops without a wait.
  void poll() const;

 private:
  explicit Communicator(std::shared_ptr<ControlChannel> control);
  Communicator(MPI_Comm data, std::shared_ptr<ControlChannel> control, std::span<int const> hosts);
  void find_hosts(std::span<int const> hosts);
  void reduce(void* values, std::size_t count, MPI_Datatype type, MPI_Op operation) const;

  std::shared_ptr<ControlChannel> control_;
  std::shared_ptr<MPI_Comm> data_;  ///< null: MPI has not started
  int rank_ = 0;
  int size_ = 1;
  std::vector<int> hosts_;
  int host_count_ = 1;
  int local_rank_ = 0;
  int local_size_ = 1;
};

}  // namespace halocline
