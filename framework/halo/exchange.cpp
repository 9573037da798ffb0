#include "framework/halo/exchange.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "framework/halo/box_messages.hpp"
#include "framework/halo/exchange_plan.hpp"
#include "framework/halo/settings.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/throw_site.hpp"

namespace halocline {

/// Properties of a field that a plan depends on.
struct FieldShape {
  FieldDescription description;
  Precision precision;

  [[nodiscard]] bool fits(FieldBase const& field) const {
    return field.centring() == description.centring && field.components() == description.components &&
           field.ghosts() == description.ghosts && field.precision() == precision;
  }
};

class Exchange::Implementation final : public GhostsInFlight {
 public:
  Implementation(std::vector<FieldBase const*> const& like, ExchangeOptions const& options) {
    corners_ = options.corners;
    width_ = options.width;
    for (FieldBase const* field : like) shapes_.push_back({field->description(), field->precision()});
    ExchangePlan const plan = plan_exchange(like, options.corners, options.width);
    idle_ = plan.pack.empty() && plan.local.empty();
    if (idle_) return;
    mesh_ = like.front()->shared_mesh();
    execution_ = execution(mesh_->blocks().front());
    BoxMessagesPlan boxes{.outgoing = plan.pack,
                          .incoming = plan.unpack,
                          .sends = plan.sends,
                          .receives = plan.receives,
                          .fields = static_cast<Index>(like.size()),
                          .buffers = plan.buffers(),
                          .first_send_buffer = plan.first_send_buffer,
                          .first_receive_buffer = plan.first_receive_buffer};
    boxes.outgoing.insert(boxes.outgoing.end(), plan.local.begin(), plan.local.end());
    std::unique_ptr<Channel> channel;
    if (!plan.sends.empty()) {
      auto const transport = options.transport != nullptr ? options.transport : halo_settings().transport;
      far_ = std::any_of(plan.sends.begin(), plan.sends.end(), [&](Message const& message) {
        return mesh_->communicator().host_of(message.rank) != mesh_->communicator().host();
      });
      channel = transport->open(mesh_->communicator(), plan.sends, plan.receives);
    }
    messages_ = BoxMessages(boxes, std::move(channel));
  }
  ~Implementation() { release(); }

  void start(std::span<FieldBase* const> fields) {
    if (begin(fields)) messages_.start(execution_);
  }

  bool progress() { return !under_way_ || messages_.progress(); }

  [[nodiscard]] bool is_needed(std::span<FieldBase* const> fields) const {
    if (idle_) return false;
    for (FieldBase const* const field : fields) {
      int const width = width_ > 0 ? width_ : field->ghosts();
      for (Block const& block : mesh_->blocks()) {
        for (int c = 0; c < field->components(); ++c) {
          GhostRecord const& record = field->ghost_record(block, c);
          if (!record.was_exchanged() || !record.has_exchanged(width, corners_)) return true;
        }
      }
    }
    return false;
  }

  void finish() override {
    if (!under_way_) return;
    if (abandoned_) throw DefectError("a field has ended while an exchange filled its ghosts");
    messages_.finish(execution_);
    end();
  }

  void abandon() noexcept override {
    abandoned_ = true;
    release();
  }

  void exchange(std::span<FieldBase* const> fields) {
    if (!begin(fields)) return;
    messages_.exchange(execution_);
    end();
  }

  [[nodiscard]] Index test_points() const { return memory_on_host && far_ && under_way_ ? 3 : 0; }
  [[nodiscard]] bool is_worth_hiding() const { return messages_.are_worth_hiding(); }
  [[nodiscard]] bool overlaps() const { return overlaps_ && messages_.may_be_hidden(); }
  [[nodiscard]] bool wants_shell_first() const { return overlaps() && !messages_.are_over_nvlink(); }
  [[nodiscard]] bool under_way() const { return under_way_; }
  [[nodiscard]] std::optional<int> buffer_index() const {
    if (idle_) return 0;
    return under_way_ ? std::nullopt : messages_.buffer_index();
  }
  void replayed() {
    if (!idle_) messages_.replayed();
  }

 private:
  /// Returns whether there is something to exchange; if so, an exchange is now under way.
  [[nodiscard]] bool begin(std::span<FieldBase* const> fields) {
    if (under_way_) throw DefectError("an exchange is started again before it has finished");
    require_like(fields);
    if (idle_) return false;
    auto const blocks = mesh_->blocks();
    for (std::size_t f = 0; f < fields.size(); ++f) {
      for (Block const& block : blocks) {
        auto const buffer = static_cast<std::size_t>(buffer_of(f, block.local, blocks.size()));
        messages_.buffers().set(buffer, fields[f]->data(block));
      }
    }
    throw_site(ThrowSite::pack);
    under_way_ = true;
    notify_start(fields);
    return true;
  }

  /// Marks ghosts as in flight. Keeps the ghost records, which belong to memory: fields may be swapped until `end`.
  void notify_start(std::span<FieldBase* const> fields) {
    for (FieldBase* const field : fields) {
      int const width = width_ > 0 ? width_ : field->ghosts();
      for (Block const& block : mesh_->blocks()) {
        for (int c = 0; c < field->components(); ++c) ghosts_.push_back({&field->ghost_record(block, c), width});
      }
    }
    for (auto const& [record, width] : ghosts_) {
      notify({.kind = GhostEvent::Kind::start_exchange, .record = record, .width = width});
      record->set_in_flight(this);
    }
  }

  void end() {
    under_way_ = false;
    for (auto const& [record, width] : ghosts_) {
      notify({.kind = GhostEvent::Kind::finish_exchange, .record = record, .width = width, .corners = corners_});
    }
    release();
  }

  /// Lets go of the ghosts in flight.
  void release() noexcept {
    for (auto const& [record, width] : ghosts_) record->set_in_flight(nullptr);
    ghosts_.clear();
  }

  void require_like(std::span<FieldBase* const> fields) const {
    bool alike = fields.size() == shapes_.size();
    for (std::size_t f = 0; alike && f < fields.size(); ++f) {
      alike = shapes_[f].fits(*fields[f]) && (idle_ || &fields[f]->mesh() == mesh_.get());
    }
    if (alike) return;
    std::string names;
    for (FieldShape const& shape : shapes_) names += (names.empty() ? "`" : ", `") + shape.description.name + "`";
    throw DefectError("an exchange planned for fields like " + names + " is given other fields");
  }

  /// One component of a field on one block, whose ghosts are in flight.
  struct Arriving {
    GhostRecord* record;
    int width;
  };

  std::vector<FieldShape> shapes_;
  std::vector<Arriving> ghosts_;
  int width_ = 0;  ///< 0: all layers that a field has
  bool corners_ = false;
  std::shared_ptr<Mesh const> mesh_;
  Execution execution_{};  ///< that of the first block
  BoxMessages messages_;
  bool idle_ = true;                         ///< there is nothing to exchange
  bool overlaps_ = halo_settings().overlap;  ///< where it pays off
  bool under_way_ = false;
  bool abandoned_ = false;  ///< what is under way cannot be finished
  bool far_ = false;        ///< some messages go to another host
};

Exchange::Exchange(std::vector<FieldBase const*> const& like, ExchangeOptions const& options)
    : implementation_(std::make_unique<Implementation>(like, options)) {}
Exchange::~Exchange() = default;
Exchange::Exchange(Exchange&&) noexcept = default;
Exchange& Exchange::operator=(Exchange&&) noexcept = default;

void Exchange::start(std::span<FieldBase* const> fields) { implementation_->start(fields); }
void Exchange::exchange(std::span<FieldBase* const> fields) { implementation_->exchange(fields); }
void Exchange::finish() { implementation_->finish(); }
bool Exchange::is_needed(std::span<FieldBase* const> fields) const { return implementation_->is_needed(fields); }
bool Exchange::progress() { return implementation_->progress(); }
Index Exchange::test_points() const { return implementation_->test_points(); }
bool Exchange::is_worth_hiding() const { return implementation_->is_worth_hiding(); }
bool Exchange::overlaps() const { return implementation_->overlaps(); }
bool Exchange::wants_shell_first() const { return implementation_->wants_shell_first(); }
bool Exchange::under_way() const { return implementation_->under_way(); }
std::optional<int> Exchange::buffer_index() const { return implementation_->buffer_index(); }
void Exchange::replayed() { implementation_->replayed(); }

}  // namespace halocline
