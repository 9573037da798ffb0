#pragma once

#include <cstddef>
#include <memory>

#include "framework/runtime/device_copy.hpp"

namespace halocline {

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

}  // namespace halocline
