#pragma once

#include <string>
#include <vector>

#include "framework/io/run_record.hpp"
#include "framework/plugin/physics.hpp"

namespace halocline {

/// Watches the quantities that a physics declares conserved.
///
/// A drift is relative to the larger of the initial value and the magnitude that the physics gives with it. What
/// explains one, with N entries of precision epsilon and n steps:
///
///   - rounding: each step rounds every value a handful of times, and a sum of N values has the rounding of a random
///   walk:
///     (8 n + sqrt(N)) epsilon;
///   - solves: what a solve leaves of its residual r is missing in the sum, |1 . r| <= sqrt(N) |r|, and a theta method
///     extrapolates it by 1 / theta <= 2: the sum of 2 sqrt(N) |r| over all solves, as part of the magnitude.
class Conservation {
 public:
  /// \param names what the physics declares conserved
  /// \param initial all quantities at the start
  /// \param entries number of values that a quantity sums up
  /// Throws DefectError when one of `names` is no quantity.
  Conservation(std::vector<std::string> const& names, std::vector<Quantity> const& initial, Index entries,
               Precision precision);

  /// Goes on from what `state` gave, with the same quantities; others begin anew.
  struct State {
    std::vector<ConservedQuantity> watched;
    std::vector<double> magnitudes;
  };
  [[nodiscard]] State state() const { return {watched_, magnitudes_}; }
  void go_on_from(State const& state);

  /// A step was made, by these solves.
  void add_step(std::vector<SolveReport> const& solves);
  /// All quantities of a later state.
  void add_state(std::vector<Quantity> const& quantities);

  [[nodiscard]] std::vector<ConservedQuantity> const& quantities() const { return watched_; }
  /// "`mass` is conserved, but …" for each that drifted by more than is explained.
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  std::vector<ConservedQuantity> watched_;
  std::vector<double> magnitudes_;  ///< that the drift of each is relative to
  double entries_;
  double epsilon_;
};

}  // namespace halocline
