#include "framework/halo/transports/mixed.hpp"

#include <algorithm>
#include <utility>

namespace halocline {
namespace {

/// Channels of several transports, each with some of the messages.
class MixedChannel final : public Channel {
 public:
  /// The channel of a message, and its number there.
  struct Place {
    std::size_t channel;
    std::size_t message;
  };
  MixedChannel(std::vector<std::unique_ptr<Channel>> channels, std::vector<Place> sends, std::vector<Place> receives)
      : channels_(std::move(channels)), sends_(std::move(sends)), receives_(std::move(receives)) {}

  std::byte* send_memory(std::size_t n) override {
    return channels_[sends_[n].channel]->send_memory(sends_[n].message);
  }
  std::byte* receive_memory(std::size_t n) override {
    return channels_[receives_[n].channel]->receive_memory(receives_[n].message);
  }
  PartFlags send_flags(std::size_t n) override { return channels_[sends_[n].channel]->send_flags(sends_[n].message); }
  PartFlags receive_flags(std::size_t n) override {
    return channels_[receives_[n].channel]->receive_flags(receives_[n].message);
  }
  cuda::PartLauncher const* launcher() const override {
    cuda::PartLauncher const* found = nullptr;
    for (auto const& channel : channels_) {
      if (channel->launcher() != nullptr) found = channel->launcher();
    }
    return found;
  }
  void expect() override {
    for (auto const& channel : channels_) channel->expect();
  }
  void send() override {
    for (auto const& channel : channels_) channel->send();
  }
  bool progress() override {
    bool all = true;
    for (auto const& channel : channels_) all = channel->progress() && all;
    return all;
  }
  void receive() override {
    for (auto const& channel : channels_) channel->receive();
  }

 private:
  std::vector<std::unique_ptr<Channel>> channels_;
  std::vector<Place> sends_;
  std::vector<Place> receives_;
};

/// The messages of one transport.
struct Share {
  std::vector<Message> sends;
  std::vector<Message> receives;
};

Index bytes_with(std::vector<Message> const& messages, int rank) {
  auto const found = std::find_if(messages.begin(), messages.end(), [&](Message const& m) { return m.rank == rank; });
  return found == messages.end() ? 0 : found->bytes;
}

}  // namespace

MixedTransport::MixedTransport(std::vector<std::shared_ptr<Transport const>> transports, Choice choice)
    : transports_(std::move(transports)), choice_(std::move(choice)) {}

std::string MixedTransport::name() const {
  std::string names;
  for (auto const& transport : transports_) names += (names.empty() ? "" : ", ") + transport->name();
  return names;
}

std::unique_ptr<Channel> MixedTransport::open(Communicator const& communicator, std::vector<Message> const& sends,
                                              std::vector<Message> const& receives) const {
  std::vector<Share> shares(transports_.size());
  auto const place = [&](std::vector<Message> const& messages, std::vector<Message> Share::*part) {
    std::vector<MixedChannel::Place> places;
    for (Message const& message : messages) {
      // Both ranks know the larger of the two messages between them, and so make the same choice.
      Index const bytes = std::max(bytes_with(sends, message.rank), bytes_with(receives, message.rank));
      std::size_t const chosen = choice_(message.rank, bytes);
      places.push_back({chosen, (shares[chosen].*part).size()});
      (shares[chosen].*part).push_back(message);
    }
    return places;
  };
  std::vector<MixedChannel::Place> places_of_sends = place(sends, &Share::sends);
  std::vector<MixedChannel::Place> places_of_receives = place(receives, &Share::receives);

  std::vector<std::unique_ptr<Channel>> channels;
  std::vector<std::size_t> channel_of(shares.size());
  for (std::size_t n = 0; n < shares.size(); ++n) {
    channel_of[n] = channels.size();
    if (shares[n].sends.empty() && shares[n].receives.empty()) continue;
    channels.push_back(transports_[n]->open(communicator, shares[n].sends, shares[n].receives));
  }
  if (channels.size() == 1) return std::move(channels.front());
  for (auto* const places : {&places_of_sends, &places_of_receives}) {
    for (MixedChannel::Place& at : *places) at.channel = channel_of[at.channel];
  }
  return std::make_unique<MixedChannel>(std::move(channels), std::move(places_of_sends), std::move(places_of_receives));
}

}  // namespace halocline
