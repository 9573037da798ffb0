#pragma once

#include "framework/mesh/block.hpp"
#include "framework/runtime/backend.hpp"

namespace halocline {

/// Holds the execution instance (stream) that all work on a block is enqueued on.
class BlockExecution {
 public:
  Execution instance{};
};

/// The execution instance of a block.
[[nodiscard]] inline Execution const& execution(Block const& block) { return block.execution->instance; }

}  // namespace halocline
