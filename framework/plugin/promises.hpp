#pragma once

#include <string>
#include <vector>

namespace halocline {

/// Further promises of a physics about its solutions. They do not affect runs; `halocline test-physics` checks them.
struct Promises {
  int order = 2;                  ///< order in the cell width of the error of smooth solutions
  int order_in_time = 2;          ///< order in the step, if the physics steps by itself; integrators have their own
  bool mirror_symmetric = false;  ///< mirrored data give the mirrored solution, on each axis
  bool axes_alike = false;        ///< data with exchanged axes give the solution with exchanged axes
  /// Names of the fields, or of the field, with the components of a vector along x, y and z: mirroring an axis changes
  /// the sign of its component, and exchanging axes exchanges components.
  std::vector<std::vector<std::string>> vectors = {};
  /// Texts of decks for its tests. None: decks are generated from the declaration.
  std::vector<std::string> decks = {};
};

}  // namespace halocline
