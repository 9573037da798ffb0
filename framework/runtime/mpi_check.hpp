#pragma once

#include <mpi.h>

#include <climits>

#include "framework/runtime/index.hpp"

namespace halocline {

/// Throws StoppedError "MPI_Call: what MPI says" when `code` is not MPI_SUCCESS.
void check_mpi(int code, char const* call);

/// An MPI type and count for a message of `bytes` bytes, which MPI's int counts cannot express beyond 2^31: larger
/// messages are one element of a derived type made of pieces of `piece` bytes and a rest.
class MessageType {
 public:
  explicit MessageType(Index bytes, Index piece = INT_MAX);
  ~MessageType();
  MessageType(MessageType const&) = delete;
  MessageType& operator=(MessageType const&) = delete;

  /// Valid while this object lives; a request made with it lives on.
  [[nodiscard]] MPI_Datatype type() const { return type_; }
  [[nodiscard]] int count() const { return count_; }

 private:
  MPI_Datatype type_ = MPI_BYTE;
  int count_ = 0;
};

}  // namespace halocline
