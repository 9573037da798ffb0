#pragma once

#include <functional>
#include <memory>
#include <string>

#include "framework/deck/registry.hpp"
#include "framework/operator/coarsening.hpp"

namespace halocline {

/// What damps the rough part of the error on a level of multigrid. `forward` and its reverse are adjoint to each other
/// in the scalar product of A, so that a V-cycle that uses one on the way down and the other on the way up is
/// symmetric.
class Smoother {
 public:
  virtual ~Smoother() = default;
  /// Improves x as a solution of A x = b. With `from_zero`, x is taken to be zero and not read.
  virtual void smooth(bool forward, bool from_zero, Vector const& b, Vector& x) = 0;
};

/// A smoother that decks choose by name.
struct SmootherEntry {
  std::string name;
  std::string sentence;
  /// Whether it can smooth an operator; where it cannot, `chebyshev` does. Empty: always.
  std::function<bool(Operator const&)> suits = {};
  /// Collective. Throws UnsuitableOperator where the operator lacks what it needs. `sweeps`: on each way.
  std::function<std::unique_ptr<Smoother>(Operator const&, int sweeps)> create;
  /// A coarsening's passes over memory that smooth as this one does, and transfer as well. Empty: it knows none.
  std::function<CyclePasses const*(Coarsening const&)> passes = {};
};

/// All that are registered. To add one from a file of its own:
///
///     bool const registered = (smoothers().add({"richardson", …}), true);
[[nodiscard]] Registry<SmootherEntry>& smoothers();

struct SmootherSettings {
  std::string name = "multicolour";
  int sweeps = 2;  ///< of Gauss-Seidel or Jacobi, or degree of the polynomial; on each way
};

/// The one that smooths `a` where `name` is asked for. Throws InputError for an unknown name.
[[nodiscard]] SmootherEntry const& usable_smoother(Operator const& a, std::string const& name);
/// Collective. Throws InputError for an unknown name, and UnsuitableOperator when the operator has no diagonal without
/// zeros.
[[nodiscard]] std::unique_ptr<Smoother> make_smoother(Operator const& a, SmootherSettings const& settings);

}  // namespace halocline
