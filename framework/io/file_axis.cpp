#include "framework/io/file_axis.hpp"

namespace halocline {

LinearStencil FileAxis::at(double p) const {
  // The last entry that does not lie above, or the first one.
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

}  // namespace halocline
