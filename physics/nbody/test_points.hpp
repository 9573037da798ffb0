#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "framework/mesh/execution.hpp"
#include "framework/mesh/point_set.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/devices.hpp"

namespace halocline::nbody::test {

/// Points on the ranks of a communicator, with this many blocks on each, assigned to all devices in rotation; a host
/// counts as several devices.
[[nodiscard]] inline std::shared_ptr<PointSet const> points_on(std::shared_ptr<Communicator> ranks, Index count,
                                                               std::size_t blocks) {
  std::vector<std::shared_ptr<BlockExecution const>> executions;
  std::vector<Device> const devices = all_devices();
  for (std::size_t n = 0; n < blocks; ++n)
    executions.push_back(
        execution_on(devices.empty() ? BackendDevices::current() : devices[n % devices.size()].number));
  return std::make_shared<PointSet const>(count, std::move(ranks), executions);
}

}  // namespace halocline::nbody::test
