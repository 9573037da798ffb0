#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <vector>

#include "framework/field/boundary.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/kernel/stencil.hpp"

namespace halocline {

/// Takes a sweep over the unknowns of an operator while the ghosts that it reads are on their way.
class StencilHalo {
 public:
  /// For vectors like `like`. With `boundary`, the ghosts beyond the physical faces follow the linear part of the
  /// conditions; without, they are left alone. Collective. Throws DefectError if `like` has fewer ghost layers than the
  /// shape's radius.
  StencilHalo(FieldBase const& like, std::vector<IndexRange> const& unknowns, Shape shape,
              std::optional<BoundaryConditions> const& boundary, std::shared_ptr<Transport> transport);
  ~StencilHalo();

  /// Number of boxes that `over` visits.
  [[nodiscard]] std::size_t boxes() const { return boxes_; }
  /// Calls `sweep(block, box, n)` for the n-th box, so that all unknowns are covered once: boxes whose stencils read no
  /// entry of another block first, the rest when the ghosts of `field` are there.
  template <class Sweep>
  void over(FieldBase& field, Sweep const& sweep) const {
    std::size_t n = 0;
    start(field);
    for (std::size_t at = 0; at < parts_.size(); ++at) sweep(field.mesh().blocks()[at], parts_[at].interior, n++);
    finish(field);
    for (std::size_t at = 0; at < parts_.size(); ++at) {
      for (IndexRange const& box : parts_[at].shell) sweep(field.mesh().blocks()[at], box, n++);
    }
  }

 private:
  struct Parts {
    IndexRange interior;
    std::vector<IndexRange> shell;
  };
  void start(FieldBase& field) const;
  void finish(FieldBase& field) const;

  std::vector<Parts> parts_;
  std::size_t boxes_ = 0;
  bool corners_;
  std::unique_ptr<Exchange> exchange_;  ///< null where no block has a neighbour
  std::unique_ptr<BoundaryFill> boundary_;
};

}  // namespace halocline
