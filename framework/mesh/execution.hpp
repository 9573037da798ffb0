#pragma once

#include "framework/mesh/block.hpp"
#include "framework/runtime/backend.hpp"
#include "framework/runtime/device_execution.hpp"

namespace halocline {

/// Holds the execution instance (stream) that all work on a block is enqueued on, and the device of that.
class BlockExecution : public DeviceExecution {
 public:
  using DeviceExecution::DeviceExecution;
};

/// The execution instance of a block.
[[nodiscard]] inline Execution const& execution(Block const& block) { return block.execution->instance; }

/// The device that a block's memory and work are on.
[[nodiscard]] inline int device_of(Block const& block) { return block.execution->device; }

}  // namespace halocline
