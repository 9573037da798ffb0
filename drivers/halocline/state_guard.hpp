#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/deck/options.hpp"
#include "framework/deck/section.hpp"
#include "framework/field/field_base.hpp"
#include "framework/io/run_record.hpp"
#include "framework/kernel/finite_check.hpp"
#include "framework/plugin/physics.hpp"

namespace halocline {

/// The section `guard` of a deck.
[[nodiscard]] Section guard_section();
/// Whether a validated deck requests that the last finite state is kept.
[[nodiscard]] bool keeps_state(Options const& deck);

/// Watches the numbers of a run: checks periodically whether all fields of the state are finite, and at once if a
/// number computed from the state is not.
class StateGuard {
 public:
  /// Allocates memory for the kept state, if requested. `physics` must outlive the guard.
  StateGuard(Options const& guard, Physics const& physics, Communicator const& communicator);

  /// Whether the state after step `number` is checked periodically.
  [[nodiscard]] bool is_due(Index number) const { return every_ > 0 && number % every_ == 0; }

  /// Passes quantities of the present state; remembers one that is not finite. On this rank only.
  void see(std::span<Quantity const> quantities);
  void see_stable_step(double longest);
  void see_suggested_step(double suggested);
  /// Whether something since the last check requires one. On this rank only: reduce it over all ranks.
  [[nodiscard]] bool wants_check() const { return suspect_ || stable_step_vanished_; }

  /// Collective. Checks all fields of the state after step `number`. Returns what is wrong with them, or with a
  /// quantity seen on any rank; otherwise the state is finite, and is kept.
  [[nodiscard]] std::optional<NotFinite> check(Index number, double time);

  /// The last state that was checked to be finite.
  struct KeptState {
    Index number;
    double time;
    std::vector<FieldBase const*> fields;
  };
  /// Empty if states are not kept or none was finite.
  [[nodiscard]] std::optional<KeptState> kept() const;

  /// "step 60, time 0.6: `u` is inf at cell (8, 8, 8), …", with advice.
  [[nodiscard]] std::string message(NotFinite const& bad) const;

 private:
  struct Moment {
    Index number;
    double time;
  };
  [[nodiscard]] std::vector<Index> counts_of_all_ranks();
  [[nodiscard]] NotFinite bad_field(std::vector<Index> const& counts) const;
  [[nodiscard]] NotFinite suspect_of_all_ranks() const;
  void keep(Moment const& moment);

  Physics const& physics_;
  Communicator const& communicator_;
  Index every_;
  FiniteCheck check_;
  std::optional<NamedValue> suspect_;  ///< a number that is not finite
  bool had_stable_step_ = false;       ///< that was finite
  bool stable_step_vanished_ = false;  ///< the limit became infinite: a comparison may have lost a NaN
  std::optional<Moment> last_finite_;
  std::vector<std::unique_ptr<FieldBase>> kept_;  ///< values of that state; empty if none is to be kept
};

}  // namespace halocline
