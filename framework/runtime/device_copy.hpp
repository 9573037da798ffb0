#pragma once

#include <memory>

#include "framework/runtime/backend.hpp"
#include "framework/runtime/index.hpp"

namespace halocline {

/// Copies between the memory of two execution instances of this process, on one device or two, beside the work of both.
///
/// `start` waits (on the devices, not on the host) for what was enqueued on both instances so far. What is enqueued
/// from then on runs beside the copy, until `finish`: work that is enqueued on either instance after it finds the copy
/// done. On a host the copy is done when `start` returns.
class DeviceCopy {
 public:
  DeviceCopy(Execution const& from, Execution const& to);
  ~DeviceCopy();
  DeviceCopy(DeviceCopy&&) noexcept;
  DeviceCopy& operator=(DeviceCopy&&) noexcept;

  void start(void* destination, void const* source, Index bytes);
  void finish();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace halocline
