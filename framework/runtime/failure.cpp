#include "framework/runtime/failure.hpp"

#include <new>

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
  } catch (std::exception const& error) {
    return {ExitCode::defect, error.what()};
  } catch (...) {
    return {ExitCode::defect, "an exception that says nothing"};
  }
}

}  // namespace halocline
