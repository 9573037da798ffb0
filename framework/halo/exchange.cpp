#include "framework/halo/exchange.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "framework/halo/exchange_plan.hpp"
#include "framework/halo/settings.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/region.hpp"
#include "framework/runtime/throw_site.hpp"
#include "framework/runtime/trace.hpp"

namespace halocline {

/// A field as far as a plan depends on it.
struct FieldShape {
  FieldDescription description;
  Precision precision;

  [[nodiscard]] bool fits(FieldBase const& field) const {
    return field.centring() == description.centring && field.components() == description.components &&
           field.ghosts() == description.ghosts && field.precision() == precision;
  }
};

class Exchange::Implementation {
 public:
  Implementation(std::vector<FieldBase const*> const& like, ExchangeOptions const& options) {
    for (FieldBase const* field : like) shapes_.push_back({field->description(), field->precision()});
    ExchangePlan const plan = plan_exchange(like, options.corners, options.width);
    idle_ = plan.pack.empty() && plan.local.empty();
    if (idle_) return;
    mesh_ = like.front()->shared_mesh();
    execution_ = execution(mesh_->blocks().front());
    std::vector<BoxCopy> outgoing = plan.pack;
    outgoing.insert(outgoing.end(), plan.local.begin(), plan.local.end());
    outgoing_ = BoxCopies(outgoing);
    incoming_ = BoxCopies(plan.unpack);
    slots_ = BoxSlots(plan.slots());
    if (plan.sends.empty()) return;
    first_send_slot_ = plan.first_send_slot;
    first_receive_slot_ = plan.first_receive_slot;
    messages_ = plan.sends.size();
    auto const transport = options.transport != nullptr ? options.transport : halo_settings().transport;
    far_ = std::any_of(plan.sends.begin(), plan.sends.end(), [&](Message const& message) {
      return mesh_->communicator().host_of(message.rank) != mesh_->communicator().host();
    });
    channel_ = transport->open(mesh_->communicator(), plan.sends, plan.receives);
  }

  void start(std::span<FieldBase* const> fields) {
    if (under_way_) throw DefectError("an exchange is started twice without an end between");
    require_like(fields);
    if (idle_) return;
    set_memory(fields);
    throw_site(ThrowSite::pack);
    under_way_ = true;
    if (channel_ == nullptr) return outgoing_.run(execution_, slots_);
    channel_->expect();
    for (std::size_t n = 0; n < messages_; ++n) {
      slots_.set(first_send_slot_ + n, channel_->send_memory(n));
      slots_.set(first_receive_slot_ + n, channel_->receive_memory(n));
    }
    {
      ScopedRegion const region("halo: pack");
      outgoing_.run(execution_, slots_);
    }
    ScopedRegion const region("halo: send");
    channel_->send();
    sent_ = trace::Clock::now();
    arrived_ = false;
  }

  bool progress() {
    if (!under_way_ || channel_ == nullptr || arrived_) return true;
    if (channel_->progress()) note_arrival();
    return arrived_;
  }

  void finish() {
    if (!under_way_) return;
    if (channel_ != nullptr) {
      {
        ScopedRegion const region("halo: wait");
        channel_->receive();
      }
      if (!arrived_) note_arrival();
      ScopedRegion const region("halo: unpack");
      incoming_.run(execution_, slots_);
    }
    under_way_ = false;
  }

  [[nodiscard]] Index test_points() const {
    constexpr bool on_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible;
    return on_host && far_ && under_way_ ? 3 : 0;
  }
  [[nodiscard]] bool overlaps() const { return overlaps_; }
  [[nodiscard]] bool under_way() const { return under_way_; }

 private:
  void note_arrival() {
    arrived_ = true;
    trace::add_message("messages of a halo", sent_, trace::Clock::now());
  }

  void require_like(std::span<FieldBase* const> fields) const {
    bool alike = fields.size() == shapes_.size();
    for (std::size_t f = 0; alike && f < fields.size(); ++f) {
      alike = shapes_[f].fits(*fields[f]) && (idle_ || &fields[f]->mesh() == mesh_.get());
    }
    if (alike) return;
    std::string names;
    for (FieldShape const& shape : shapes_) names += (names.empty() ? "`" : ", `") + shape.description.name + "`";
    throw DefectError("an exchange made for fields like " + names + " is given others");
  }

  void set_memory(std::span<FieldBase* const> fields) {
    auto const blocks = mesh_->blocks();
    for (std::size_t f = 0; f < fields.size(); ++f) {
      for (Block const& block : blocks) {
        slots_.set(static_cast<std::size_t>(slot_of(f, block.local, blocks.size())), fields[f]->data(block));
      }
    }
  }

  std::vector<FieldShape> shapes_;
  std::shared_ptr<Mesh const> mesh_;
  Execution execution_{};  ///< that of the first block
  BoxSlots slots_;
  BoxCopies outgoing_;  ///< into messages, and between blocks of this rank
  BoxCopies incoming_;
  std::unique_ptr<Channel> channel_;  ///< null without neighbouring ranks
  std::size_t messages_ = 0;          ///< sent, and as many received: neighbours send both ways
  std::size_t first_send_slot_ = 0;
  std::size_t first_receive_slot_ = 0;
  bool idle_ = true;  ///< nothing to exchange at all
  bool overlaps_ = halo_settings().overlap;
  bool under_way_ = false;
  bool far_ = false;      ///< some messages go to another host
  bool arrived_ = false;  ///< all messages of the exchange under way
  trace::Clock::time_point sent_;
};

Exchange::Exchange(std::vector<FieldBase const*> const& like, ExchangeOptions const& options)
    : implementation_(std::make_unique<Implementation>(like, options)) {}
Exchange::~Exchange() = default;
Exchange::Exchange(Exchange&&) noexcept = default;
Exchange& Exchange::operator=(Exchange&&) noexcept = default;

void Exchange::start(std::span<FieldBase* const> fields) { implementation_->start(fields); }
void Exchange::finish() { implementation_->finish(); }
bool Exchange::progress() { return implementation_->progress(); }
Index Exchange::test_points() const { return implementation_->test_points(); }
bool Exchange::overlaps() const { return implementation_->overlaps(); }
bool Exchange::under_way() const { return implementation_->under_way(); }

}  // namespace halocline
