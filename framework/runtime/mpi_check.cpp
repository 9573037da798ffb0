#include "framework/runtime/mpi_check.hpp"

#include <mpi.h>

#include <array>
#include <string>

#include "framework/runtime/error.hpp"

namespace halocline {

void check_mpi(int code, char const* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw StoppedError(std::string(call) + ": " + std::string(text.data(), static_cast<std::size_t>(length)));
}

}  // namespace halocline
