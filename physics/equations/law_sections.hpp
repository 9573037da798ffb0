#pragma once

#include <string>
#include <vector>

#include "framework/deck/options.hpp"
#include "framework/deck/section.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "physics/equations/state_law.hpp"

namespace halocline {

class Mistakes;

/// A primitive quantity that decks give in place of a conserved one.
struct Primitive {
  std::string name;
  std::string sentence;
  std::string initial;
  std::string other_name = "";      ///< a substitute that decks may give; empty: none
  std::string other_sentence = "";  ///< describes the substitute
  bool flows = true;                ///< false: beyond an inflow face it has the value inside
};
/// Whether the section of a start or of a face gives a substitute for any of the primitives.
[[nodiscard]] bool gives_others(Options const& section, std::vector<Primitive> const& primitives);
/// The name of the option that a section gives: the primitive or its substitute.
[[nodiscard]] std::string const& given_name(Options const& section, Primitive const& primitive);

/// Optional features of a law.
struct LawTraits {
  bool has_contact = false;  ///< HLLC
  bool is_balanced = false;  ///< HasBalance
  bool has_walls = false;    ///< HasWalls
  bool has_flux = false;     ///< HasRiemannFlux
};

/// The scheme that `reconstruction`, `limiter` and `riemann` of a deck select.
struct LawScheme {
  enum class Edges { minmod, van_leer, weno5 };
  Edges edges = Edges::minmod;
  double theta = 0;  ///< of theta-minmod
  bool is_superbee = false;
  bool has_one_speed = false;
  bool has_contact = false;
};

/// Declares the scheme, `initial` and `boundary` in the section of a physics.
void declare_law(Section& own, std::vector<Primitive> const& primitives, std::vector<OwnWall> const& walls,
                 LawTraits const& traits);
/// Adds a mistake for each setting that does not fit the mesh: faces, and quantities beyond those of `axes`.
///
/// \param fields number of primitives on this mesh
void validate_law(Options const& own, std::vector<Primitive> const& primitives, std::vector<OwnWall> const& walls,
                  std::size_t fields, Options const& mesh, Mistakes& mistakes);

/// Adds a mistake if the integrator is not stable with the reconstruction.
///
/// \param integrator used if `time` names none
void validate_law_method(Options const& own, Options const& time, std::string const& integrator, Mistakes& mistakes);

[[nodiscard]] LawScheme law_scheme(Options const& own);
/// Layers of ghosts that the scheme reads.
[[nodiscard]] int law_ghosts(Options const& own);
[[nodiscard]] LawWalls law_walls(Options const& own, std::vector<Primitive> const& primitives,
                                 std::vector<OwnWall> const& walls, std::size_t fields, StructuredMesh const& mesh);

}  // namespace halocline
