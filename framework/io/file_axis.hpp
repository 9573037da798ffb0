#pragma once

#include <cmath>

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

}  // namespace halocline
