#pragma once

#include <string>
#include <vector>

namespace halocline {

/// What a physics promises of its solutions beside what it declares otherwise. No run depends on it: `halocline
/// test-physics` holds the physics to it.
struct Promises {
  int order = 2;                  ///< of the error of smooth solutions in the width of cells
  int order_in_time = 2;          ///< of one that steps by itself in the step; integrators know their own
  bool mirror_symmetric = false;  ///< mirrored data have the mirrored solution, along each axis
  bool axes_alike = false;        ///< data whose axes are exchanged have the solution whose axes are
  /// Names of the fields, or of the field, that are the components of a vector along x, y and z: a mirror turns one
  /// around, and they change places as axes do.
  std::vector<std::vector<std::string>> vectors = {};
  /// Texts of decks that it is to be tested with. None: decks are made of the declaration.
  std::vector<std::string> decks = {};
};

}  // namespace halocline
