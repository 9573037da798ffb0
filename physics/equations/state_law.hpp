#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/deck/expression.hpp"
#include "physics/equations/stages.hpp"

namespace halocline {

enum class LawWallKind { periodic, reflecting, outflow, inflow, own };

/// A value that decks give with a wall of the law's own and that is no primitive, such as a discharge.
struct WallValue {
  std::string name;
  std::string sentence;
  std::size_t field = 0;  ///< `beyond` finds it in `given`, in the place of this field
};

/// A kind of wall that only this law has.
struct OwnWall {
  std::string name;
  std::string sentence;
  std::vector<std::string> wants;  ///< primitives, or substitutes of them, that decks give with it
  std::vector<WallValue> values;   ///< further values that decks give with it
};

/// One face of the domain, for the whole state of a law.
struct LawWall {
  LawWallKind kind = LawWallKind::outflow;
  int own = 0;                     ///< own: index among the law's kinds of walls
  std::vector<Expression> values;  ///< inflow and own: primitive, in the order of the fields; zero where not wanted
  bool gives_others = false;       ///< inflow: some values are substitutes of primitives
  Expression where{1.0};           ///< inflow and own: where this is zero the wall reflects instead
  std::string name;                ///< "euler.boundary.west", for messages
};
using LawWalls = std::array<LawWall, 6>;

/// Operations of a conservation law on whole states. Made with its Stages, in the physics' own source.
template <class Real>
class StateLaw {
 public:
  virtual ~StateLaw() = default;
  StateLaw(StateLaw const&) = delete;
  StateLaw& operator=(StateLaw const&) = delete;

  /// Converts the owned values of the fields from the deck's initial values to conserved ones.
  ///
  /// \param others some of the values are substitutes of primitives
  virtual void conserve(Fields<Real> const& state, bool others) const = 0;
  /// Fills all ghosts beyond the faces of the domain that star stencils read. Throws InputError if an inflowing state
  /// is not finite or not physical.
  virtual void fill_walls(double time, Fields<Real> const& state) = 0;
  /// Over the states that the last `fill_walls`, of `state`, set beyond inflow faces and walls of the law's own on this
  /// rank: the largest sum over the axes of the fastest wave's speed over the spacing, in 1 / time; 0 without any.
  [[nodiscard]] virtual double fastest_beyond(Fields<Real> const& state) const = 0;
  /// Describes the first owned cell, by global index, whose state is not physical; empty if all are. Collective.
  ///
  /// \param names of the primitives
  [[nodiscard]] virtual std::optional<std::string> unphysical(Fields<Real> const& state,
                                                              std::vector<std::string> const& names) const = 0;
  /// The same for a state of which terms of the fluxes are below the range of the precision.
  [[nodiscard]] virtual std::optional<std::string> unresolved(Fields<Real> const& state,
                                                              std::vector<std::string> const& names) const = 0;
  /// Whether a field is the component along `axis` of a vector, which reflecting walls reverse.
  [[nodiscard]] virtual bool is_reversed(std::size_t field, int axis) const = 0;

 protected:
  StateLaw() = default;
};

/// A law in a run: its sweeps and its operations on states.
template <class Real>
struct StagesOfLaw {
  std::unique_ptr<Stages<Real>> stages;
  std::unique_ptr<StateLaw<Real>> law;  ///< null for a physics that is declared by its rate
};

}  // namespace halocline
