#include "framework/runtime/rank_roles.hpp"

#include <string>
#include <utility>

#include "framework/runtime/error.hpp"
#include "framework/runtime/even_share.hpp"

namespace halocline {

RankRoles::RankRoles(std::shared_ptr<Communicator> all, int io_ranks) : all_(std::move(all)), io_ranks_(io_ranks) {
  if (io_ranks < 0 || io_ranks > compute_ranks()) {
    throw DefectError(std::to_string(io_ranks) + " of " + std::to_string(all_->size()) + " ranks cannot be I/O ranks");
  }
  part_ = io_ranks == 0 ? all_ : all_->split(is_io_rank() ? 1 : 0);
}

int RankRoles::server_of(int rank) const {
  int server = 0;
  while (even_share_begin(compute_ranks(), io_ranks_, server + 1) <= rank) ++server;
  return server;
}

std::vector<int> RankRoles::servers() const {
  std::vector<int> servers;
  for (int rank = 0; rank < compute_ranks(); ++rank) servers.push_back(server_of(rank));
  return servers;
}

std::vector<int> RankRoles::hosts_of_compute_ranks() const {
  std::vector<int> hosts = all_->hosts_of_ranks();
  hosts.resize(static_cast<std::size_t>(compute_ranks()));
  return hosts;
}

std::vector<int> RankRoles::clients_of(int server) const {
  std::vector<int> clients;
  for (Index rank = even_share_begin(compute_ranks(), io_ranks_, server);
       rank < even_share_begin(compute_ranks(), io_ranks_, server + 1); ++rank) {
    clients.push_back(static_cast<int>(rank));
  }
  return clients;
}

}  // namespace halocline
