#pragma once

#include <memory>
#include <vector>

#include "framework/runtime/communicator.hpp"

namespace halocline {

/// How the ranks of a run divide its work: the first ranks compute; the last, its I/O ranks, read and write for them.
/// Each I/O rank serves an even share of consecutive compute ranks. Without I/O ranks all ranks compute, with the
/// original communicator.
class RankRoles {
 public:
  /// Collective over `all`. Throws DefectError unless `io_ranks` is between 0 and the number of the other ranks.
  RankRoles(std::shared_ptr<Communicator> all, int io_ranks);

  [[nodiscard]] Communicator& all() const { return *all_; }
  /// Of the compute ranks; null on I/O ranks.
  [[nodiscard]] std::shared_ptr<Communicator> const& computing() const { return is_io_rank() ? none_ : part_; }
  /// Of the I/O ranks; null on compute ranks.
  [[nodiscard]] std::shared_ptr<Communicator> const& serving() const { return is_io_rank() ? part_ : none_; }

  [[nodiscard]] int io_ranks() const { return io_ranks_; }
  [[nodiscard]] int compute_ranks() const { return all_->size() - io_ranks_; }
  [[nodiscard]] bool is_io_rank() const { return all_->rank() >= compute_ranks(); }
  /// The I/O rank, in `serving`, of compute rank `rank`. Its rank in `all` is `compute_ranks()` higher.
  [[nodiscard]] int server_of(int rank) const;
  /// server_of, and the host (Communicator::host_of), of each compute rank.
  [[nodiscard]] std::vector<int> servers() const;
  [[nodiscard]] std::vector<int> hosts_of_compute_ranks() const;
  /// The compute ranks, in `computing` and in `all`, that I/O rank `server` of `serving` serves.
  [[nodiscard]] std::vector<int> clients_of(int server) const;

 private:
  std::shared_ptr<Communicator> all_;
  int io_ranks_;
  std::shared_ptr<Communicator> part_;  ///< of the ranks with the same role as this one
  std::shared_ptr<Communicator> none_;
};

}  // namespace halocline
