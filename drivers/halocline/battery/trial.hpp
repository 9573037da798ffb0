#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drivers/halocline/battery/check.hpp"
#include "framework/mesh/index_range.hpp"

namespace halocline::battery {

/// One component of a field of the state: all of its values, x fastest.
struct Values {
  std::string name;  ///< "u", "flow[1]"
  Centring centring = Centring::cell;
  Extents extents{1, 1, 1};
  std::vector<double> values;
};

/// A physics in this process, on this process alone, that is stepped as a check likes.
class Trial {
 public:
  /// Throws InputError where the changed deck is wrong, and what the physics throws. One that is not stepped leaves MPI
  /// alone, so that mpirun may still be started.
  Trial(Subject const& subject, std::vector<std::string> const& changes, bool is_stepped = true);

  [[nodiscard]] Physics const& physics() const { return *physics_; }
  [[nodiscard]] Options const& deck() const { return deck_; }
  /// The longest stable step; empty where none is the longest.
  [[nodiscard]] std::optional<double> stable_step() const;
  /// Takes steps of one size; of a stationary physics, its one step. Throws SolveError where a solve fails.
  /// Returns the reports of all solves.
  std::vector<SolveReport> take(double size, Index steps);
  /// Goes on from where another trial of the same deck is, with what that tells of its state and nothing else. False
  /// where it does not tell what it carries.
  [[nodiscard]] bool go_on_from(Trial& other);
  [[nodiscard]] std::vector<Values> state() const;
  [[nodiscard]] std::vector<Quantity> quantities() const { return physics_->quantities(); }
  [[nodiscard]] Index steps_taken() const { return number_; }

 private:
  PhysicsEntry const& entry_;
  Options deck_;
  std::unique_ptr<Physics> physics_;
  double time_ = 0;
  Index number_ = 0;
};

[[nodiscard]] inline bool evolves(Subject const& subject) { return evolves(subject.entry, subject.read()); }
/// Whether the state has the same bits however it is cut: no solve has a part in it.
[[nodiscard]] bool is_explicit(Subject const& subject);
/// What makes solves as exact as they can be.
[[nodiscard]] std::vector<std::string> exact_solves(Subject const& subject);
/// The deck's cells along each axis, divided by one number so that there are at most `most`.
[[nodiscard]] std::vector<Index> cells_of(Subject const& subject, double most);
[[nodiscard]] std::string cells_change(std::vector<Index> const& cells, Index factor = 1);
[[nodiscard]] double product_of(std::vector<Index> const& cells, Index factor = 1);
/// What lets nothing in or out: walls without a flux, no source.
[[nodiscard]] std::vector<std::string> closed_change(Subject const& subject);
/// The step that the deck gives; infinite where it leaves that to what is stable.
[[nodiscard]] double given_step(Options const& deck);
/// How long the deck's run lasts; infinite where that depends on its steps.
[[nodiscard]] double span_of(Options const& deck);
[[nodiscard]] std::vector<std::string> joined(std::vector<std::string> a, std::vector<std::string> const& b);
/// Full names of the options `name` (fields or expressions) in the section of the physics.
[[nodiscard]] std::vector<std::string> options_called(Subject const& subject, std::string const& name);

/// The largest |a - b| of all fields, relative to the largest |b| of the same field. Throws Error where the states are
/// of different shape.
[[nodiscard]] double largest_difference(std::vector<Values> const& a, std::vector<Values> const& b);
/// The first value that differs in any bit, in words; empty: none does.
[[nodiscard]] std::string first_difference(std::vector<Values> const& a, std::vector<Values> const& b);
[[nodiscard]] double largest(std::vector<Values> const& state);

}  // namespace halocline::battery
