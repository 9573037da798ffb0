#pragma once

#include <string>

#include "framework/runtime/error.hpp"
#include "framework/runtime/index.hpp"

namespace halocline {

/// Whose code runs.
struct CodeOwner {
  std::string name;                   ///< "plugin `transport.so`, physics `transport`"; empty: Halocline itself
  ExitCode crash = ExitCode::defect;  ///< exit code of a crash in it: a plugin's is no defect of Halocline
};

/// While one of these lives, this process is doing `what`: messages about a crash name it. Inside another one it counts
/// alone, until it ends. Costs some stores. For the thread that runs MPI.
class Doing {
 public:
  /// \param what "advance", "the output"; it outlives this object
  /// \param owner outlives this object
  /// \param step number of the step under way; 0: none is
  Doing(CodeOwner const& owner, char const* what, Index step = 0) noexcept;
  ~Doing();
  Doing(Doing const&) = delete;
  Doing& operator=(Doing const&) = delete;
};

class SignalText;

/// Adds what this process is doing: " in advance of physics `transport`, step 12"; nothing where nothing is known. For
/// handlers of signals.
void add_doing(SignalText& text) noexcept;
/// The exit code of a crash in it. For handlers of signals, too.
[[nodiscard]] ExitCode exit_code_of_crash() noexcept;

}  // namespace halocline
