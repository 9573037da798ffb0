#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "framework/field/field_base.hpp"
#include "framework/halo/transport.hpp"

namespace halocline {

struct ExchangeOptions {
  bool corners = false;  ///< also ghosts beyond edges and corners of a block (26 neighbours), as box stencils need
  int width = 0;         ///< ghost layers to exchange; 0: all that each field has
  std::shared_ptr<Transport const> transport = nullptr;  ///< null: that of the halo settings
};

/// Copies owned entries into the ghosts of neighbouring blocks, for a set of fields of any centrings, precisions, ghost
/// widths and components on one mesh: one message to each neighbouring rank, packed by one kernel. Made once, used for
/// any fields like those it was made from, thousands of times. All ranks make and start their exchanges in the same
/// order, and finish what they start: an exchange that is destroyed under way (by an error that unwinds) leaves its
/// communicator unfit for others. Ghosts beyond the end of the mesh are left alone.
///
/// Consume (fields that are ready):
///     exchange.start({&u}); sweep(interior); exchange.finish(); sweep(shell);
/// Produce (the sweep writes the field): see halo/orders.hpp.
class Exchange {
 public:
  /// Throws InputError when a block is thinner than the ghost layers its neighbour needs, naming the field.
  explicit Exchange(std::vector<FieldBase const*> const& like, ExchangeOptions const& options = {});
  ~Exchange();
  Exchange(Exchange&&) noexcept;
  Exchange& operator=(Exchange&&) noexcept;

  /// Packs and sends; returns at once. Sweeps enqueued before `finish` must leave alone what is packed, the outermost
  /// `width` layers of what is owned, and the ghosts: on a device both may happen meanwhile. The fields must stay alive
  /// until `finish`. Throws DefectError when they are not like those the exchange was made
  /// from, or when an exchange is under way.
  void start(std::span<FieldBase* const> fields);
  void start(std::initializer_list<FieldBase*> fields) { start(std::span(fields.begin(), fields.size())); }
  /// Waits for the messages and fills the ghosts; does nothing when no exchange is under way.
  void finish();
  /// start and finish: on devices that reach each other, one kernel.
  void exchange(std::span<FieldBase* const> fields);
  void exchange(std::initializer_list<FieldBase*> fields) { exchange(std::span(fields.begin(), fields.size())); }
  /// Lets messages go on: where the host sweeps, MPI does nothing in between. Worth a call now and then between
  /// `start` and `finish`. Whether there is no more to wait for.
  bool progress();
  /// At how many points of a sweep on the host `progress` is worth a call: some for messages to other hosts; none
  /// within a host, where messages are copies that take the same time whenever they are made, and a sweep cut in parts
  /// loses more.
  [[nodiscard]] Index test_points() const;
  /// Whether messages are so large that a sweep which makes sums is cut in parts, some of which go on meanwhile.
  /// Between devices small ones are not, though some transports take long for them: known from the bytes of a field
  /// alone, so that sums by parts depend neither on what carries messages nor on how many fields go together.
  [[nodiscard]] bool is_worth_hiding() const;
  /// Whether sweeps are to go on between `start` and `finish`, by HaloSettings::overlap: not where kernels alone
  /// exchange small messages, and are over before a second kernel has begun.
  [[nodiscard]] bool overlaps() const;
  [[nodiscard]] bool under_way() const;

  /// Where kernels alone exchange: a number that is the same whenever kernels that were enqueued from `start` to
  /// `finish` may be enqueued again, as a graph, in place of calls of those two. None where the host takes part.
  [[nodiscard]] std::optional<int> buffer_index() const;
  /// To be called each time that they were. Throws RemoteError when a rank has failed.
  void replayed();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace halocline
