#pragma once

#include <array>
#include <limits>
#include <span>
#include <vector>

#include "framework/io/file_axis.hpp"

namespace halocline {

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
