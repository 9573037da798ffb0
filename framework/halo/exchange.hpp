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
/// widths and components on one mesh: one message to each neighbouring rank, packed by one kernel. Make it once and use
/// it many times for any fields like those it was made from. All ranks must make and start their exchanges in the same
/// order, and finish those they start: an exchange that is destroyed while under way (when an error unwinds) leaves its
/// communicator unusable for others. Ghosts beyond the end of the mesh stay unchanged.
///
/// Consume (fields that are ready):
///     exchange.start({&u}); sweep(interior); exchange.finish(); sweep(shell);
/// Produce (the sweep writes the field): see halo/orders.hpp.
class Exchange {
 public:
  /// Throws InputError, naming the field, when a block is thinner than the ghost layers that its neighbour needs.
  explicit Exchange(std::vector<FieldBase const*> const& like, ExchangeOptions const& options = {});
  ~Exchange();
  Exchange(Exchange&&) noexcept;
  Exchange& operator=(Exchange&&) noexcept;

  /// Packs and sends; returns at once. On a device both may run later, so sweeps enqueued before `finish` must not
  /// write the packed entries (the outermost `width` layers of owned entries) and must not use the ghosts. The fields
  /// must stay alive until `finish`, which otherwise throws DefectError. Throws DefectError when they are not like
  /// those that the exchange was made from, or when an exchange is under way.
  void start(std::span<FieldBase* const> fields);
  void start(std::initializer_list<FieldBase*> fields) { start(std::span(fields.begin(), fields.size())); }
  /// Waits for the messages and fills the ghosts; does nothing when no exchange is under way.
  void finish();
  /// start and finish; one kernel on devices that can access each other's memory.
  void exchange(std::span<FieldBase* const> fields);
  void exchange(std::initializer_list<FieldBase*> fields) { exchange(std::span(fields.begin(), fields.size())); }
  /// Whether ghosts of these fields are not valid that an exchange fills, by the fields' records: the same on all ranks
  /// that write the same parts of them. True before their first exchange.
  [[nodiscard]] bool is_needed(std::span<FieldBase* const> fields) const;
  /// Advances messages: while the host sweeps, MPI does nothing by itself. Call it now and then between `start` and
  /// `finish`. Returns whether all messages have arrived.
  bool progress();
  /// At how many points of a sweep on the host `progress` should be called: some for messages to other hosts; none
  /// within a host, where messages are copies that always take the same time, and splitting the sweep costs more.
  [[nodiscard]] Index test_points() const;
  /// Whether messages are large enough to split a sweep with sums and overlap its parts with them. Small messages
  /// between devices are not, even on slow transports. It depends on the bytes of a field alone, so that the grouping
  /// of sums depends neither on the transport nor on how many fields are exchanged together.
  [[nodiscard]] bool is_worth_hiding() const;
  /// Whether sweeps should run between `start` and `finish`, by HaloSettings::overlap: not where kernels alone exchange
  /// small messages, in less time than a second kernel takes to start.
  [[nodiscard]] bool overlaps() const;
  /// Whether a sweep should write the shell first, so that its messages overlap with the interior: not over NVLink,
  /// where a whole exchange takes less time than thin sweeps, which read planes again (docs/designs-tried.md).
  [[nodiscard]] bool wants_shell_first() const;
  [[nodiscard]] bool under_way() const;

  /// Where kernels alone exchange: the buffer index of the next exchange. Kernels enqueued from `start` to `finish` may
  /// be enqueued again, as a graph in place of these calls, when the index is the same. None where the host takes part.
  [[nodiscard]] std::optional<int> buffer_index() const;
  /// Call it each time they were enqueued again. Throws RemoteError when a rank has failed.
  void replayed();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace halocline
