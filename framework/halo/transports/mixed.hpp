#pragma once

#include <functional>

#include "framework/halo/transport.hpp"

namespace halocline {

/// Selects a transport for each neighbour.
class MixedTransport final : public Transport {
 public:
  /// Index of the transport for messages between this rank and `rank`; `bytes` is the size of the larger one. Both
  /// ranks must get the same index.
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
