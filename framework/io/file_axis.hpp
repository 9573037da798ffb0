#pragma once

#include <array>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "framework/mesh/axis.hpp"

namespace halocline {

/// What a value is made of along one axis: (1 - weight) times entry `first` and `weight` times the next one, which is
/// not looked at where the weight is 0. Entries of periodic axes repeat: `first` may be -1, and the next one beyond the
/// last.
struct LinearStencil {
  Index first = 0;
  double weight = 0;
};

/// Where the entries of a grid in a file lie along one axis.
class FileAxis {
 public:
  FileAxis() = default;
  /// \param axis     its cells; the entries lie on their edges or in their centres
  /// \param entries  as many as the axis has cells, one more on edges that are not periodic
  FileAxis(Axis axis, Index entries, bool on_edges, bool periodic)
      : axis_(std::move(axis)), entries_(entries), on_edges_(on_edges), periodic_(periodic) {}

  [[nodiscard]] Index entries() const { return entries_; }
  /// Linear interpolation; beyond the outermost entries of an axis that is not periodic, their values.
  [[nodiscard]] LinearStencil at(double position) const;

 private:
  [[nodiscard]] double position(Index entry) const { return on_edges_ ? axis_.edge(entry) : axis_.centre(entry); }

  Axis axis_;
  Index entries_ = 1;
  bool on_edges_ = false;
  bool periodic_ = false;
};

/// What targets along one axis are made of, and the range of entries that they take together.
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

/// The targets of three lines, x fastest, from the box of entries that these take, x fastest too. The bits of a target
/// do not depend on which others there are.
void interpolate(std::array<InterpolatedLine, 3> const& lines, std::span<double const> entries,
                 std::span<double> targets);

}  // namespace halocline
