#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "framework/field/ghost_events.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/kernel/stencil.hpp"
#include "framework/runtime/region.hpp"

namespace halocline {

/// Takes a sweep over the unknowns of an operator while the ghosts that it reads are on their way.
class StencilHalo {
 public:
  /// For sweeps that read the neighbours of `fields` vectors like `like`, whose ghosts beyond the physical faces are
  /// left alone. Collective. Throws DefectError if `like` has fewer ghost layers than the shape's radius.
  StencilHalo(FieldBase const& like, std::vector<IndexRange> const& unknowns, Shape shape,
              std::shared_ptr<Transport const> transport, std::size_t fields = 1);
  ~StencilHalo();

  /// See Exchange.
  [[nodiscard]] std::optional<int> turn() const;
  void replayed() const;
  /// Number of boxes that `over` visits.
  [[nodiscard]] std::size_t boxes() const { return boxes_; }
  /// Calls `sweep(block, box, n)` for the n-th box, so that all unknowns are covered once: boxes whose stencils read no
  /// entry of another block first, the rest when the ghosts of the fields are there.
  template <class Sweep>
  void over(std::initializer_list<FieldBase*> fields, Sweep const& sweep) const {
    std::span<Block const> const blocks = (*fields.begin())->mesh().blocks();
    std::size_t n = 0;
    OnePass const pass;
    start(fields);
    if (!split_) finish();
    // Regions tell what ran under messages: without any they would only cost time, on coarse levels as much as a sweep.
    std::optional<ScopedRegion> region;
    if (exchange_) region.emplace(split_ ? "interior" : "sweep");
    for (std::size_t at = 0; at < parts_.size(); ++at) sweep(blocks[at], parts_[at].interior, n++);
    region.reset();
    if (!split_) return;
    finish();
    region.emplace("shell");
    for (std::size_t at = 0; at < parts_.size(); ++at) {
      for (IndexRange const& box : parts_[at].shell) sweep(blocks[at], box, n++);
    }
  }

 private:
  struct Parts {
    IndexRange interior;
    std::vector<IndexRange> shell;
  };
  using Fields = std::initializer_list<FieldBase*>;
  void start(Fields fields) const;
  void finish() const;

  std::vector<Parts> parts_;
  std::size_t boxes_ = 0;
  bool split_ = false;                  ///< into what is swept while ghosts are on their way, and the rest
  std::unique_ptr<Exchange> exchange_;  ///< null where no block has a neighbour
};

}  // namespace halocline
