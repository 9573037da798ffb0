#include <unistd.h>

#include <cstdlib>
#include <halocline/physics.hpp>

// A physics with a known solution, and options that break each of its promises: the battery must detect them.

namespace {

using namespace halocline;

/// Computes without end.
void spin() {
  volatile bool const goes_on = true;
  while (goes_on) {
  }
}

/// u diffuses; w diffuses and is driven by the gradient of u.
template <class Real>
struct Probe {
  static constexpr Shape shape = star<1, 2>;
  static constexpr int fields = 3;
  Real D, g;
  Real wrong_size = 1;
  Real wrong_slope = 0;
  Real wrong_axis = 1;
  Real loss = 0;
  Real wrong_digits = 0;
  double bound = 2;

  explicit Probe(Options const& own) : D(static_cast<Real>(own.real("D"))), g(static_cast<Real>(own.real("g"))) {
    std::string const broken = own.choice("broken");
    if (broken == "crash") std::abort();
    if (broken == "hang") pause();
    if (broken == "spin") spin();
    if (broken == "float") wrong_digits = Real(1e-4 * (sizeof(Real) == sizeof(float)));
    if (broken == "order") wrong_size = Real(1.01);
    if (broken == "mirror") wrong_slope = Real(0.01);
    if (broken == "axes") wrong_axis = Real(1.01);
    if (broken == "conservation") loss = Real(0.001);
    if (broken == "stable step") bound = 0.5;
  }

  template <class P, class U, class X, class Y>
  KOKKOS_FUNCTION Values<Real, 3> operator()(P const& at, U const& u, X const& x, Y const& y) const {
    Real const slope = at.template derivative<0>(u);
    return {D * wrong_size * at.laplacian(u) + wrong_slope * slope - loss * u[here],
            D * at.laplacian(x) + g * slope * (1 + wrong_digits),
            D * at.laplacian(y) + g * wrong_axis * at.template derivative<1>(u)};
  }
  template <class P, class U, class X, class Y>
  KOKKOS_FUNCTION double fastest(P const& at, U const&, X const&, Y const&) const {
    double const x = at.inverse_spacing(0);
    double const y = at.inverse_spacing(1);
    return bound * D * (x * x + y * y);
  }
};

PhysicsEntry probe() {
  Equations equations("probe", "What the battery is tested with.");
  equations.field("u", "What diffuses.").field("wx", "Driven, along x.").field("wy", "Driven, along y.");
  equations.options().real("D", "Diffusivity.").above(0).defaults_to(0.1);
  equations.options().real("g", "How strongly it drives.").at_least(0).defaults_to(0.5);
  equations.options()
      .choice("broken", "The promise that is not kept.",
              std::vector<std::string>{"none", "order", "mirror", "axes", "conservation", "stable step", "crash",
                                       "hang", "spin", "float"})
      .defaults_to(std::string("none"));
  equations.conserves("u").conserves("wx").conserves("wy");
  equations.mean("u").minimum("u").maximum("u").maximum("wx");
  equations.mirror_symmetric().axes_alike().vector({"wx", "wy"});
  return equations.evolution<Probe>();
}

}  // namespace

HALOCLINE_PLUGIN(probe);
