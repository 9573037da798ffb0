#pragma once

#include <string>

namespace halocline {

/// What there is to say of a method beside its options.
struct MethodNotes {
  std::string needs = {};  ///< of the operator or system, beside what its entry says; empty: no more
  std::string use = {};    ///< when to take it, a sentence
  std::string reference = {};
};

}  // namespace halocline
