#include "physics/equations/exact_errors.hpp"

#include "framework/operator/expression_vector.hpp"

namespace halocline {

template <class Real>
void add_errors(Options const& own, Vector const& u, double time, Vector const& volume, std::vector<Quantity>& all) {
  if (!own.has("exact")) return;
  ErrorNorms const norms = error_norms<Real>(u, own.expression("exact"), own.full_name("exact"), time, volume);
  all.push_back({"error_2", norms.two});
  all.push_back({"error_maximum", norms.maximum});
}

template void add_errors<float>(Options const&, Vector const&, double, Vector const&, std::vector<Quantity>&);
template void add_errors<double>(Options const&, Vector const&, double, Vector const&, std::vector<Quantity>&);

}  // namespace halocline
