#pragma once

#include <array>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "framework/mesh/axis.hpp"

namespace halocline {

/// Linear interpolation along one axis: (1 - weight) times entry `first` plus `weight` times the next one, which is not
/// read if the weight is 0. Entries of periodic axes repeat: `first` may be -1, and the next entry may be beyond the
/// last.
struct LinearStencil {
  Index first = 0;
  double weight = 0;
};

/// Positions of the entries of a file's grid along one axis.
class FileAxis {
 public:
  FileAxis() = default;
  /// \param axis     its cells; the entries are on their edges or in their centres
  /// \param entries  as many as the axis has cells, one more on non-periodic edges
  FileAxis(Axis axis, Index entries, bool on_edges, bool periodic)
      : axis_(std::move(axis)), entries_(entries), on_edges_(on_edges), periodic_(periodic) {}

  [[nodiscard]] Index entries() const { return entries_; }
  /// Linear interpolation; constant beyond the outermost entries of a non-periodic axis.
  [[nodiscard]] LinearStencil at(double position) const;

 private:
  [[nodiscard]] double position(Index entry) const { return on_edges_ ? axis_.edge(entry) : axis_.centre(entry); }

  Axis axis_;
  Index entries_ = 1;
  bool on_edges_ = false;
  bool periodic_ = false;
};

/// The stencils of targets along one axis, and the range of entries that they need together.
class InterpolatedLine {
 public:
  void add(LinearStencil const& stencil);
  [[nodiscard]] std::vector<LinearStencil> const& stencils() const { return stencils_; }
  [[nodiscard]] Index begin() const { return begin_; }
  [[nodiscard]] Index end() const { return end_; }

 private:
  std::vector<LinearStencil> stencils_;
  Index begin_ = std::numeric_limits<Index>::max();
  Index end_ = std::numeric_limits<Index>::min();
};

/// Computes the targets of three lines, x fastest, from the box of entries that they need, x fastest too. The bits of a
/// target do not depend on the other targets.
void interpolate(std::array<InterpolatedLine, 3> const& lines, std::span<double const> entries,
                 std::span<double> targets);

}  // namespace halocline
