#pragma once

#include <string>

namespace halocline {

/// Notes on a method besides its options.
struct MethodNotes {
  std::string needs = {};  ///< of the operator or system, besides what its entry declares; empty: nothing more
  std::string use = {};    ///< when to use it, a sentence
  std::string reference = {};
};

}  // namespace halocline
