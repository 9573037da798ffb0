#pragma once

#include <cstddef>
#include <memory>

#include "framework/runtime/backend.hpp"
#include "framework/runtime/index.hpp"

namespace halocline {

/// The way of a copy between devices.
enum class CopyPath {
  direct,  ///< by the copy engines alone, from memory to memory
  staged   ///< by two pinned buffers of the host in turn; needs no access of one device to the other
};
[[nodiscard]] char const* to_string(CopyPath path);

/// The faster path between two devices for large copies, measured the first time and kept: direct within a device and
/// on a host, staged where one cannot reach the other. Numbers as of `Device`.
[[nodiscard]] CopyPath faster_copy_path(int from, int to);

/// What a DeviceCopy does, by one path.
class CopyWork {
 public:
  CopyWork() = default;
  virtual ~CopyWork() = default;
  CopyWork(CopyWork const&) = delete;
  CopyWork& operator=(CopyWork const&) = delete;

  /// `bytes` is not 0.
  virtual void start(std::byte* destination, std::byte const* source, std::size_t bytes) = 0;
  virtual void finish() = 0;
};
/// One file for each backend that has copies of its own.
[[nodiscard]] std::unique_ptr<CopyWork> make_copy_work(Execution const& from, Execution const& to, CopyPath path);

/// Copies between the memory of two execution instances of this process, on one device or two, beside the work of both.
///
/// `start` waits (on the devices, not on the host) for what was enqueued on both instances so far. What is enqueued
/// from then on runs beside the copy, until `finish`: work that is enqueued on either instance after it finds the copy
/// done. On a host the copy is done when `start` returns. The current device stays what it was.
class DeviceCopy {
 public:
  /// By the faster path between the two devices.
  DeviceCopy(Execution const& from, Execution const& to);
  DeviceCopy(Execution const& from, Execution const& to, CopyPath path);

  /// `source` is memory of the device of `from`, `destination` of that of `to`; they do not overlap.
  void start(void* destination, void const* source, Index bytes);
  void finish() { work_->finish(); }

  [[nodiscard]] CopyPath path() const { return path_; }

  /// Bytes of each of the two buffers of a staged copy.
  static constexpr Index staging_bytes = Index{8} << 20U;

 private:
  CopyPath path_;
  std::unique_ptr<CopyWork> work_;
};

}  // namespace halocline
