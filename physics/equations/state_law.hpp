#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/deck/expression.hpp"
#include "physics/equations/stages.hpp"

namespace halocline {

enum class LawWallKind { periodic, reflecting, outflow, inflow, own };

/// A kind of wall that a law has of its own.
struct OwnWall {
  std::string name;
  std::string sentence;
  std::vector<std::string> wants;  ///< primitives that decks give beside it
};

/// One face of the domain, for the whole state of a law.
struct LawWall {
  LawWallKind kind = LawWallKind::outflow;
  int own = 0;                     ///< own: which of the law's
  std::vector<Expression> values;  ///< inflow and own: primitive, in the order of the fields; zero where not wanted
  bool gives_others = false;       ///< inflow: some of them are what stands in their place
  Expression where{1.0};           ///< inflow and own: elsewhere, where it is zero, the wall reflects
  std::string name;                ///< "euler.boundary.west", for messages
};
using LawWalls = std::array<LawWall, 6>;

/// What a conservation law says of whole states. Made beside its Stages, in the physics' own source.
template <class Real>
class StateLaw {
 public:
  virtual ~StateLaw() = default;
  StateLaw(StateLaw const&) = delete;
  StateLaw& operator=(StateLaw const&) = delete;

  /// Owned values of the fields, what a deck gives of the start, become conserved.
  ///
  /// \param others some of them are what stands in the place of primitives
  virtual void conserve(Fields<Real>& state, bool others) const = 0;
  /// Ghosts of a state beyond the faces of the domain, all that star stencils read. Throws InputError where a state
  /// that flows in is not finite or not physical.
  virtual void fill_walls(double time, Fields<Real>& state) = 0;
  /// Of what the last `fill_walls` has flow in at faces of this rank, the largest sum over the axes of the fastest wave
  /// over the spacing, in 1 / time; 0 where nothing does.
  [[nodiscard]] virtual double fastest_inflow() const = 0;
  /// The first owned cell, by global index, whose state is not physical, in words; empty if all are. Collective.
  ///
  /// \param names of the primitives
  [[nodiscard]] virtual std::optional<std::string> unphysical(Fields<Real> const& state,
                                                              std::vector<std::string> const& names) const = 0;
  /// The first of the fields that make a vector, whose normal component a reflecting wall turns; -1: there is none.
  [[nodiscard]] virtual int first_of_vector() const = 0;

 protected:
  StateLaw() = default;
};

/// A law in a run: its sweeps and what it says of states.
template <class Real>
struct StagesOfLaw {
  std::unique_ptr<Stages<Real>> stages;
  std::unique_ptr<StateLaw<Real>> law;  ///< null of a physics that is declared by its rate
};

}  // namespace halocline
