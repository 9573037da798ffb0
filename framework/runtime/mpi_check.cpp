#include "framework/runtime/mpi_check.hpp"

#include <array>
#include <string>

#include "framework/runtime/error.hpp"

namespace halocline {

void check_mpi(int code, char const* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  // MPICH appends a call stack on further lines.
  std::string reason(text.data(), static_cast<std::size_t>(length));
  reason = reason.substr(0, reason.find('\n'));
  reason = reason.substr(0, reason.find(", error stack:"));
  throw StoppedError(std::string(call) + ": " + reason);
}

MessageType::MessageType(Index bytes, Index piece) {
  if (bytes <= piece) {
    count_ = static_cast<int>(bytes);
    return;
  }
  MPI_Datatype pieces = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_vector(static_cast<int>(bytes / piece), static_cast<int>(piece), static_cast<int>(piece), MPI_BYTE,
                            &pieces),
            "MPI_Type_vector");
  std::array<int, 2> const counts{1, static_cast<int>(bytes % piece)};
  std::array<MPI_Aint, 2> const places{0, static_cast<MPI_Aint>(bytes - bytes % piece)};
  std::array<MPI_Datatype, 2> const types{pieces, MPI_BYTE};
  int const made = MPI_Type_create_struct(2, counts.data(), places.data(), types.data(), &type_);
  MPI_Type_free(&pieces);
  check_mpi(made, "MPI_Type_create_struct");
  check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
  count_ = 1;
}

MessageType::~MessageType() {
  if (type_ != MPI_BYTE) MPI_Type_free(&type_);
}

}  // namespace halocline
