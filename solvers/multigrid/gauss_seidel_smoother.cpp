#include "framework/operator/generic_steps.hpp"
#include "framework/operator/relaxation.hpp"
#include "solvers/multigrid/smoother.hpp"

namespace halocline {
namespace {

class GaussSeidelSmoother final : public Smoother {
 public:
  GaussSeidelSmoother(Relaxation const& relaxation, int sweeps) : relaxation_(relaxation), sweeps_(sweeps) {}

  void smooth(bool forward, bool from_zero, Vector const& b, Vector& x) override {
    if (from_zero) x.fill(0);
    for (int sweep = 0; sweep < sweeps_; ++sweep) relaxation_.relax(forward, b, x);
  }

 private:
  Relaxation const& relaxation_;
  int sweeps_;
};

SmootherEntry entry(std::string name, std::string sentence, std::function<bool(int colours)> suits) {
  return {.name = std::move(name),
          .sentence = std::move(sentence),
          .suits =
              [suits = std::move(suits)](Operator const& a, bool is_asked_for) {
                return suits(colours_of(a)) && (is_asked_for || a.relaxation()->is_cheap());
              },
          .create = [](Operator const& a, int sweeps) -> std::unique_ptr<Smoother> {
            return std::make_unique<GaussSeidelSmoother>(*a.relaxation(), sweeps);
          },
          .passes = [](Coarsening const& coarsening) { return coarsening.passes(); }};
}

bool const gauss_seidel_registered =
    (smoothers().add(entry("multicolour",
                           "Gauss-Seidel with as many colours as the operator needs (two for stencils that read only "
                           "the nearest neighbours along the axes), or chebyshev if it has no colouring",
                           [](int colours) { return colours > 0; })),
     smoothers().add(entry("red_black",
                           "Gauss-Seidel with two colours, or chebyshev if the operator has no such colouring",
                           [](int colours) { return colours == 2; })),
     true);

}  // namespace
}  // namespace halocline
