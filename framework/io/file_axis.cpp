#include "framework/io/file_axis.hpp"

#include <algorithm>
#include <cstddef>

namespace halocline {
namespace {

/// Interpolates between two numbers; does not evaluate the second one if its weight is 0.
template <class Second>
double between(double weight, double first, Second const& second) {
  return weight == 0 ? first : (1 - weight) * first + weight * second();
}

}  // namespace

LinearStencil FileAxis::at(double p) const {
  // The last entry that is not above p, or the first one.
  Index first = 0;
  for (Index above = entries_; above - first > 1;) {
    Index const middle = first + (above - first) / 2;
    (position(middle) <= p ? first : above) = middle;
  }
  Index const last = entries_ - 1;
  bool const is_below = p < position(first);
  if (!is_below && first < last) {
    double const here = position(first);
    return {first, (p - here) / (position(first + 1) - here)};
  }
  if (!periodic_ || entries_ == 1) return {first, 0};
  double const lower = is_below ? position(last) - axis_.length() : position(last);
  double const upper = is_below ? position(0) : position(0) + axis_.length();
  return {is_below ? -1 : last, (p - lower) / (upper - lower)};
}

void InterpolatedLine::add(LinearStencil const& stencil) {
  stencils_.push_back(stencil);
  begin_ = std::min(begin_, stencil.first);
  end_ = std::max(end_, stencil.first + (stencil.weight != 0 ? 2 : 1));
}

void interpolate(std::array<InterpolatedLine, 3> const& lines, std::span<double const> entries,
                 std::span<double> targets) {
  Index const row = lines[0].end() - lines[0].begin();
  Index const plane = row * (lines[1].end() - lines[1].begin());
  auto const along_x = [&](LinearStencil const& x, Index at) {
    auto const n = static_cast<std::size_t>(at + x.first - lines[0].begin());
    return between(x.weight, entries[n], [&] { return entries[n + 1]; });
  };
  auto const along_y = [&](LinearStencil const& x, LinearStencil const& y, Index at) {
    Index const here = at + row * (y.first - lines[1].begin());
    return between(y.weight, along_x(x, here), [&] { return along_x(x, here + row); });
  };
  std::size_t target = 0;
  for (LinearStencil const& z : lines[2].stencils()) {
    Index const here = plane * (z.first - lines[2].begin());
    for (LinearStencil const& y : lines[1].stencils()) {
      for (LinearStencil const& x : lines[0].stencils()) {
        targets[target++] = between(z.weight, along_y(x, y, here), [&] { return along_y(x, y, here + plane); });
      }
    }
  }
}

}  // namespace halocline
