#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "framework/halo/orders.hpp"
#include "framework/kernel/stencil.hpp"

namespace halocline {

/// Runs a sweep over the unknowns of an operator while the ghosts that it reads are in flight.
class StencilHalo {
 public:
  /// For sweeps that read the neighbours of `fields` vectors like `like`. Ghosts beyond physical faces stay unchanged.
  /// Collective. Throws DefectError if `like` has fewer ghost layers than the shape's radius.
  StencilHalo(FieldBase const& like, std::vector<IndexRange> const& unknowns, Shape shape,
              std::shared_ptr<Transport const> transport, std::size_t fields = 1);
  ~StencilHalo();

  /// See Exchange.
  [[nodiscard]] std::optional<int> buffer_index() const;
  void replayed() const;
  /// Number of boxes that `over` visits.
  [[nodiscard]] std::size_t boxes() const { return boxes_; }
  /// Calls `sweep(block, box, n)` for each box n, so that all unknowns are covered once: first boxes whose stencils
  /// read no entry of another block, the others after the ghosts of the fields have arrived.
  template <class Sweep>
  void over(std::initializer_list<FieldBase*> fields, Sweep const& sweep) const {
    if (exchange_) return consume(*exchange_, fields, ranges_, sweep);
    OnePass const pass;
    std::span<Block const> const blocks = (*fields.begin())->mesh().blocks();
    for (Block const& block : blocks) sweep(block, ranges_[block.local].interior, block.local);
  }

 private:
  std::vector<SplitRange> ranges_;
  std::size_t boxes_ = 0;
  std::unique_ptr<Exchange> exchange_;  ///< null if no block has a neighbour
};

}  // namespace halocline
