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
/// Whether a judged deck wants the last finite state kept.
[[nodiscard]] bool keeps_state(Options const& deck);

/// Watches the numbers of a run: looks now and then whether all fields of the state are finite, and at once when a
/// number made of the state is not.
class StateGuard {
 public:
  /// Takes the memory of the kept state, if there is to be one. `physics` outlives the guard.
  StateGuard(Options const& guard, Physics const& physics, Communicator const& communicator);

  /// Whether the state after step `number` is one of those that are looked at.
  [[nodiscard]] bool is_due(Index number) const { return every_ > 0 && number % every_ == 0; }

  /// What the present state has come to; a number that is not finite is remembered. On this rank alone.
  void see(std::span<Quantity const> quantities);
  void see_stable_step(double longest);
  void see_suggested_step(double suggested);
  /// Whether what was seen since the last look calls for one. On this rank alone: ask `any` of all ranks.
  [[nodiscard]] bool wants_look() const { return suspect_ || stable_step_vanished_; }

  /// Collective. Looks at all fields of the state after step `number`. Returns what is wrong with it, or with what was
  /// seen of it on any rank; otherwise the state is known to be finite, and is kept.
  [[nodiscard]] std::optional<NotFinite> look(Index number, double time);

  /// The last state that was found finite.
  struct KeptState {
    Index number;
    double time;
    std::vector<FieldBase const*> fields;
  };
  /// Nothing unless states are to be kept and there was one.
  [[nodiscard]] std::optional<KeptState> kept() const;

  /// "step 60, time 0.6: `u` is inf at cell (8, 8, 8), …", with what to do.
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
  bool had_stable_step_ = false;       ///< a finite one
  bool stable_step_vanished_ = false;  ///< a comparison may have lost a NaN
  std::optional<Moment> last_finite_;
  std::vector<std::unique_ptr<FieldBase>> kept_;  ///< of that moment; empty where none is to be kept
};

}  // namespace halocline
