#include "framework/halo/exchange.hpp"

#include <string>
#include <utility>

#include "framework/halo/exchange_plan.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/throw_site.hpp"

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
    slots_ = BoxSlots(2 + like.size() * mesh_->blocks().size());
    if (plan.sends.empty()) return;
    auto const transport = options.transport != nullptr ? options.transport : host_staged_transport();
    channel_ = transport->open(mesh_->communicator(), plan.sends, plan.receives);
    slots_.set(0, channel_->send_buffer());
    slots_.set(1, channel_->receive_buffer());
  }

  void start(std::span<FieldBase* const> fields) {
    if (under_way_) throw DefectError("an exchange is started twice without an end between");
    require_like(fields);
    if (idle_) return;
    set_memory(fields);
    throw_site(ThrowSite::pack);
    under_way_ = true;
    if (channel_ != nullptr) channel_->expect();
    outgoing_.run(execution_, slots_);
    if (channel_ != nullptr) channel_->send();
  }

  void finish() {
    if (!under_way_) return;
    if (channel_ != nullptr) {
      channel_->receive();
      incoming_.run(execution_, slots_);
    }
    under_way_ = false;
  }

  [[nodiscard]] bool under_way() const { return under_way_; }

 private:
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
  BoxCopies outgoing_;  ///< into the send buffer, and between blocks of this rank
  BoxCopies incoming_;
  std::unique_ptr<Channel> channel_;  ///< null without neighbouring ranks
  bool idle_ = true;                  ///< nothing to exchange at all
  bool under_way_ = false;
};

Exchange::Exchange(std::vector<FieldBase const*> const& like, ExchangeOptions options)
    : implementation_(std::make_unique<Implementation>(like, options)) {}
Exchange::~Exchange() = default;
Exchange::Exchange(Exchange&&) noexcept = default;
Exchange& Exchange::operator=(Exchange&&) noexcept = default;

void Exchange::start(std::span<FieldBase* const> fields) { implementation_->start(fields); }
void Exchange::finish() { implementation_->finish(); }
bool Exchange::under_way() const { return implementation_->under_way(); }

}  // namespace halocline
