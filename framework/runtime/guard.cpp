#include "framework/runtime/guard.hpp"

#include <filesystem>
#include <new>
#include <optional>

#include "framework/runtime/control_channel.hpp"
#include "framework/runtime/throw_site.hpp"

namespace halocline {

Failure describe(std::exception_ptr const& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (RemoteError const& error) {
    return {error.exit_code(), error.what(), error.origin()};
  } catch (Error const& error) {
    return {error.exit_code(), error.what()};
  } catch (std::bad_alloc const&) {
    return {ExitCode::stopped, "out of memory"};
  } catch (std::filesystem::filesystem_error const& error) {
    return {ExitCode::input_output, error.what()};
  } catch (std::exception const& error) {
    return {ExitCode::defect, error.what()};
  } catch (...) {
    return {ExitCode::defect, "an exception without a message"};
  }
}

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
