#pragma once

#include <functional>
#include <memory>
#include <string>

#include "framework/deck/registry.hpp"
#include "framework/operator/coarsening.hpp"

namespace halocline {

/// Damps the rough part of the error on a level of multigrid. `forward` and its reverse are adjoint to each other in
/// the scalar product of A, so that a V-cycle with one in the down-sweep and the other in the up-sweep is symmetric.
class Smoother {
 public:
  virtual ~Smoother() = default;
  /// Improves x as a solution of A x = b. With `from_zero`, x is taken as zero and not read.
  virtual void smooth(bool forward, bool from_zero, Vector const& b, Vector& x) = 0;
};

/// A smoother that decks choose by name.
struct SmootherEntry {
  std::string name;
  std::string sentence;
  /// Whether it can smooth an operator and, if it is not asked for by name, is a good choice; if not, `chebyshev`
  /// replaces it. Empty: always.
  std::function<bool(Operator const&, bool is_asked_for)> suits = {};
  /// Collective. Throws UnsuitableOperator if the operator lacks what it needs. `sweeps`: in each down- and up-sweep.
  std::function<std::unique_ptr<Smoother>(Operator const&, int sweeps)> create;
  /// A coarsening's fused passes that smooth like this smoother, with the transfers. Empty: none.
  std::function<CyclePasses const*(Coarsening const&)> passes = {};
};

/// All registered smoothers. To add one from a separate file:
///
///     bool const registered = (smoothers().add({"richardson", …}), true);
[[nodiscard]] Registry<SmootherEntry>& smoothers();

struct SmootherSettings {
  std::string name = "multicolour";
  int sweeps = 2;  ///< relaxations of Gauss-Seidel or steps of Jacobi, or polynomial degree; in each down- and up-sweep
  bool is_asked_for = true;  ///< by name: what takes its place is said
};

/// The smoother for `a`. Throws InputError for an unknown name.
[[nodiscard]] SmootherEntry const& usable_smoother(Operator const& a, SmootherSettings const& settings);
/// Collective. Throws InputError for an unknown name, and UnsuitableOperator if the operator's diagonal is unknown or
/// has a zero.
[[nodiscard]] std::unique_ptr<Smoother> make_smoother(Operator const& a, SmootherSettings const& settings);

}  // namespace halocline
