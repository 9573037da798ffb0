#pragma once

#include <string>

#include "framework/runtime/error.hpp"
#include "framework/runtime/index.hpp"

namespace halocline {

/// The owner of the code that runs.
struct CodeOwner {
  std::string name;                   ///< "plugin `transport.so`, physics `transport`"; empty: Halocline itself
  ExitCode crash = ExitCode::defect;  ///< exit code of a crash in it: a plugin's is no defect of Halocline
};

/// While one of these lives, crash messages say that this process was doing `what`. If they are nested, the innermost
/// is reported. Costs a few stores. For the thread that runs MPI.
class Doing {
 public:
  /// \param what "advance", "the output"; must outlive this object
  /// \param owner must outlive this object
  /// \param step number of the current step; 0: none
  Doing(CodeOwner const& owner, char const* what, Index step = 0) noexcept;
  ~Doing();
  Doing(Doing const&) = delete;
  Doing& operator=(Doing const&) = delete;
};

class SignalText;

/// Appends what this process is doing: " in advance of physics `transport`, step 12"; nothing if unknown. Safe in
/// signal handlers.
void add_doing(SignalText& text) noexcept;
/// The exit code of a crash in the current code. Safe in signal handlers.
[[nodiscard]] ExitCode exit_code_of_crash() noexcept;

}  // namespace halocline
