#pragma once

#include <functional>

#include "framework/halo/transport.hpp"

namespace halocline {

/// Each neighbour by the transport that suits it.
class MixedTransport final : public Transport {
 public:
  /// Which of the transports carries what this rank and `rank` send each other, of which the larger message has
  /// `bytes`; both must come to the same answer.
  using Choice = std::function<std::size_t(int rank, Index bytes)>;
  MixedTransport(std::vector<std::shared_ptr<Transport const>> transports, Choice choice);

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::unique_ptr<Channel> open(Communicator const& communicator, std::vector<Message> const& sends,
                                              std::vector<Message> const& receives) const override;

 private:
  std::vector<std::shared_ptr<Transport const>> transports_;
  Choice choice_;
};

}  // namespace halocline
