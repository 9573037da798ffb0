#pragma once

#include <string>
#include <vector>

#include "framework/io/run_record.hpp"
#include "framework/plugin/physics.hpp"

namespace halocline {

/// Watches the quantities that a physics declares conserved.
///
/// A drift is relative to the larger of the initial value and the magnitude that the physics gives with it. With N
/// entries of precision epsilon and n steps, a drift is explained by
///
///   - rounding: each step rounds every value a few times, and the rounding of a sum of N values is a random walk:
///     (8 n + sqrt(N)) epsilon;
///   - solves: the residual r that a solve leaves is missing in the sum, |1 . r| <= sqrt(N) |r|, and a theta method
///     extrapolates it by 1 / theta <= 2: the sum of 2 sqrt(N) |r| over all solves, relative to the magnitude.
class Conservation {
 public:
  /// \param names quantities that the physics declares conserved
  /// \param initial all quantities at the start
  /// \param entries number of values in the sum of a quantity
  /// Throws DefectError if one of `names` is not a quantity.
  Conservation(std::vector<std::string> const& names, std::vector<Quantity> const& initial, Index entries,
               Precision precision);

  /// Continues from `state`, for the same quantities; others begin anew.
  struct State {
    std::vector<ConservedQuantity> watched;
    std::vector<double> magnitudes;
  };
  [[nodiscard]] State state() const { return {watched_, magnitudes_}; }
  void go_on_from(State const& state);

  /// Records a step with these solves.
  void add_step(std::vector<SolveReport> const& solves);
  /// Records the quantities of a later state.
  void add_state(std::vector<Quantity> const& quantities);

  [[nodiscard]] std::vector<ConservedQuantity> const& quantities() const { return watched_; }
  /// "`mass` is conserved, but …" for each quantity whose drift is larger than explained.
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  std::vector<ConservedQuantity> watched_;
  std::vector<double> magnitudes_;  ///< reference of each quantity's drift
  double entries_;
  double epsilon_;
};

}  // namespace halocline
