#include "solvers/multigrid/smoother.hpp"

namespace halocline {

Registry<SmootherEntry>& smoothers() {
  static Registry<SmootherEntry> all("smoother");
  return all;
}

SmootherEntry const& usable_smoother(Operator const& a, SmootherSettings const& settings) {
  SmootherEntry const& asked = smoothers().find(settings.name);
  return asked.suits && !asked.suits(a, settings.is_asked_for) ? smoothers().find("chebyshev") : asked;
}

std::unique_ptr<Smoother> make_smoother(Operator const& a, SmootherSettings const& settings) {
  return usable_smoother(a, settings).create(a, settings.sweeps);
}

}  // namespace halocline
