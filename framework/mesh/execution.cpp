#include "framework/mesh/execution.hpp"

namespace halocline {

std::shared_ptr<BlockExecution const> default_block_execution() { return std::make_shared<BlockExecution const>(); }

std::shared_ptr<BlockExecution const> execution_on(int device) {
  return std::make_shared<BlockExecution const>(device);
}

}  // namespace halocline
