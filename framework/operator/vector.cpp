#include "framework/operator/vector.hpp"

#include <algorithm>
#include <vector>

#include "framework/runtime/error.hpp"

namespace halocline {

void Vector::dots(std::span<Vector const* const> x, std::span<double> dots) const {
  if (x.size() != dots.size()) throw DefectError("as many products as vectors");
  std::vector<Factors> pairs;
  pairs.reserve(x.size());
  for (Vector const* const factor : x) pairs.push_back({*this, *factor});
  PendingSum products = start_products(pairs);
  std::ranges::copy(products.finish(), dots.begin());
}

}  // namespace halocline
