#pragma once

#include <exception>
#include <string>

#include "framework/runtime/error.hpp"

namespace halocline {

/// An exception in a form that can be sent to other ranks.
struct Failure {
  ExitCode code = ExitCode::defect;
  std::string message;
  int origin = -1;  ///< rank that failed, in the communicator that carried the news; -1: this rank, not yet reported
};

/// What `exception` says. An Error keeps its code, a RemoteError its origin too; memory that ran out is `stopped`, and
/// any other exception a defect.
[[nodiscard]] Failure describe(std::exception_ptr const& exception);

}  // namespace halocline
