#include "solvers/multigrid/smoother.hpp"

namespace halocline {

Registry<SmootherEntry>& smoothers() {
  static Registry<SmootherEntry> all("smoother");
  return all;
}

SmootherEntry const& usable_smoother(Operator const& a, std::string const& name) {
  SmootherEntry const& asked = smoothers().find(name);
  return asked.suits && !asked.suits(a) ? smoothers().find("chebyshev") : asked;
}

std::unique_ptr<Smoother> make_smoother(Operator const& a, SmootherSettings const& settings) {
  return usable_smoother(a, settings.name).create(a, settings.sweeps);
}

}  // namespace halocline
