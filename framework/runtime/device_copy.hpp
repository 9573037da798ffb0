#pragma once

#include <cstddef>
#include <memory>

#include "framework/runtime/backend.hpp"
#include "framework/runtime/index.hpp"

namespace halocline {

/// The path of a copy between devices.
enum class CopyPath {
  direct,  ///< by the copy engines alone, from device memory to device memory
  staged   ///< through two pinned host buffers used alternately; needs no peer access
};
[[nodiscard]] char const* to_string(CopyPath path);

/// The faster path between two devices for large copies, measured at the first call and cached: direct within a device
/// and on a host, staged between devices without peer access. Device numbers are those of `Device`.
[[nodiscard]] CopyPath faster_copy_path(int from, int to);

/// Implementation of a DeviceCopy for one path.
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
/// Defined in one file for each backend with its own copies.
[[nodiscard]] std::unique_ptr<CopyWork> make_copy_work(Execution const& from, Execution const& to, CopyPath path);

/// Copies between the memory of two execution instances of this process, on one device or two, concurrently with
/// kernels.
///
/// `start` waits (on the devices, not on the host) for the work enqueued on both instances so far. Work enqueued
/// between `start` and `finish` runs concurrently with the copy; work enqueued on either instance after `finish` runs
/// after the copy. On a host the copy is complete when `start` returns. The current device does not change.
class DeviceCopy {
 public:
  /// By the faster path between the two devices.
  DeviceCopy(Execution const& from, Execution const& to);
  DeviceCopy(Execution const& from, Execution const& to, CopyPath path);

  /// `source` is in the memory of `from`'s device, `destination` in that of `to`'s device; they do not overlap.
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
