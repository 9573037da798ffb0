#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drivers/halocline/battery/check.hpp"
#include "framework/mesh/index_range.hpp"

namespace halocline::battery {

/// One component of a field of the state: all values, x fastest.
struct Values {
  std::string name;  ///< "u", "flow[1]"
  Centring centring = Centring::cell;
  Extents extents{1, 1, 1};
  std::vector<double> values;
};

/// A physics in this process alone, which a check steps as it needs.
class Trial {
 public:
  /// Throws InputError if the changed deck is invalid, and what the physics throws. Without `is_stepped` MPI is not
  /// started, so that mpirun may still be.
  Trial(Subject const& subject, std::vector<std::string> const& changes, bool is_stepped = true);

  [[nodiscard]] Physics const& physics() const { return *physics_; }
  [[nodiscard]] Options const& deck() const { return deck_; }
  /// The longest stable step; empty if there is no limit.
  [[nodiscard]] std::optional<double> stable_step() const;
  /// Takes steps of one size; for a stationary physics its single step. Returns the reports of all solves. Throws
  /// SolveError if a solve fails.
  std::vector<SolveReport> take(double size, Index steps);
  /// Continues from another trial of the same deck, using only the state that `serialize` gives. False if the physics
  /// does not implement `serialize`.
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
/// Whether the state has the same bits for any partition, because it involves no solve.
[[nodiscard]] bool is_explicit(Subject const& subject);
/// Changes that make solves as accurate as possible.
[[nodiscard]] std::vector<std::string> exact_solves(Subject const& subject);
/// The deck's cells along each axis, divided by a common factor so that the total is at most `most`.
[[nodiscard]] std::vector<Index> cells_of(Subject const& subject, double most);
[[nodiscard]] std::string cells_change(std::vector<Index> const& cells, Index factor = 1);
[[nodiscard]] double product_of(std::vector<Index> const& cells, Index factor = 1);
/// Changes that close the domain: walls without a flux, no source.
[[nodiscard]] std::vector<std::string> closed_change(Subject const& subject);
/// The step in the deck; infinite if it follows from the stable step.
[[nodiscard]] double given_step(Options const& deck);
/// The duration of the deck's run; infinite if that depends on its steps.
[[nodiscard]] double span_of(Options const& deck);
[[nodiscard]] std::vector<std::string> joined(std::vector<std::string> a, std::vector<std::string> const& b);
/// Full names of the options `name` (fields or expressions) in the section of the physics.
[[nodiscard]] std::vector<std::string> options_called(Subject const& subject, std::string const& name);

/// The largest |a - b| over all fields, relative to the largest |b| of the same field. Throws Error for states of
/// different shape.
[[nodiscard]] double largest_difference(std::vector<Values> const& a, std::vector<Values> const& b);
/// Describes the first value that differs in any bit; empty: none does.
[[nodiscard]] std::string first_difference(std::vector<Values> const& a, std::vector<Values> const& b);
[[nodiscard]] double largest(std::vector<Values> const& state);

}  // namespace halocline::battery
