#pragma once

#include "framework/runtime/error.hpp"

namespace halocline::deck {

/// A value that is asked for is missing or has a mistake of its own. Out of a check this ends the check; after the
/// deck is judged it is a defect of who asks: only what a section that is not in use requires can be missing then.
struct Unjudged : DefectError {
  using DefectError::DefectError;
};

}  // namespace halocline::deck
