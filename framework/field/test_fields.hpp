#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/error.hpp"
#include "tests/support/communicator.hpp"

namespace halocline::test {

inline constexpr Centring all_centrings[] = {Centring::cell, Centring::node, Centring::face_x, Centring::face_y,
                                             Centring::face_z};

/// A mesh over all ranks of the test.
inline std::shared_ptr<StructuredMesh const> mesh_of(std::vector<Axis> axes, Periodicity const& periodic = {},
                                                     ProcessGrid const& grid = {0, 0, 0}, int blocks_per_rank = 1) {
  StructuredMeshDescription description;
  description.axes = std::move(axes);
  description.periodic = periodic;
  description.process_grid = grid;
  description.blocks_per_rank = blocks_per_rank;
  return StructuredMesh::make(description, communicator().split(0));
}

/// The message of the Error that the action throws.
std::string message_of(auto const& action) {
  try {
    action();
  } catch (Error const& error) {
    return error.what();
  }
  return "nothing was thrown";
}

/// Host copy of all entries of a field's block, including ghosts, by component and local index.
template <class Real>
class HostCopy {
 public:
  HostCopy(Field<Real>& field, Block const& block)
      : layout_(field.layout(block)),
        device_(static_cast<Real*>(field.data(block)), static_cast<std::size_t>(layout_.entries)),
        values_("host copy", static_cast<std::size_t>(layout_.entries)) {
    Kokkos::fence();
    Kokkos::deep_copy(values_, device_);
  }
  Real& operator()(int c, Index i, Index j, Index k) {
    return values_(layout_.first + c * layout_.component + i + j * layout_.row + k * layout_.plane);
  }
  void write_back() { Kokkos::deep_copy(device_, values_); }

 private:
  BlockLayout layout_;
  Kokkos::View<Real*, Memory, Kokkos::MemoryUnmanaged> device_;
  Kokkos::View<Real*, Kokkos::HostSpace> values_;
};

}  // namespace halocline::test
