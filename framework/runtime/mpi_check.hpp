#pragma once

#include <mpi.h>

#include <climits>

#include "framework/runtime/index.hpp"

namespace halocline {

/// Throws StoppedError "MPI_Call: MPI's message" if `code` is not MPI_SUCCESS.
void check_mpi(int code, char const* call);

/// An MPI type and count for a message of `bytes` bytes. Since MPI's int counts end at 2^31 - 1, a larger message is
/// one element of a derived type that consists of pieces of `piece` bytes and a remainder.
class MessageType {
 public:
  explicit MessageType(Index bytes, Index piece = INT_MAX);
  ~MessageType();
  MessageType(MessageType const&) = delete;
  MessageType& operator=(MessageType const&) = delete;

  /// Valid while this object lives; requests made with it remain valid.
  [[nodiscard]] MPI_Datatype type() const { return type_; }
  [[nodiscard]] int count() const { return count_; }

 private:
  MPI_Datatype type_ = MPI_BYTE;
  int count_ = 0;
};

}  // namespace halocline
