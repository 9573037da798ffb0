#pragma once

#include "framework/mesh/block.hpp"
#include "framework/runtime/backend.hpp"
#include "framework/runtime/device_execution.hpp"

namespace halocline {

/// The execution instance (stream) on which all work of a block is enqueued, and its device.
class BlockExecution : public DeviceExecution {
 public:
  using DeviceExecution::DeviceExecution;
};

/// The execution instance of a block.
[[nodiscard]] inline Execution const& execution(Block const& block) { return block.execution->instance; }

/// The device of a block's memory and work.
[[nodiscard]] inline int device_of(Block const& block) { return block.execution->device; }

}  // namespace halocline
