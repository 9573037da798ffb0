#include "framework/runtime/guard.hpp"

#include <optional>

#include "framework/runtime/control_channel.hpp"
#include "framework/runtime/failure.hpp"
#include "framework/runtime/throw_site.hpp"

namespace halocline {

Verdict run_guarded(Communicator const& communicator, std::function<ExitCode()> const& function,
                    GuardOptions const& options) {
  std::optional<Failure> failure;
  ExitCode code = ExitCode::done;
  try {
    arm_throw_sites(communicator.rank());
    code = function();
  } catch (...) {
    failure = describe(std::current_exception());
  }
  return communicator.control().settle(failure, code, options);
}

}  // namespace halocline
