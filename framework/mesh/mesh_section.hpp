#pragma once

#include <memory>
#include <vector>

#include "framework/deck/options.hpp"
#include "framework/deck/section.hpp"
#include "framework/mesh/structured_mesh.hpp"

namespace halocline {

/// Declares the section `mesh` of a deck: cells, lower, upper, growth, periodic, processes, blocks_per_rank. Its check
/// refuses upper ends that are not above the lower ones, cells too thin for double precision, vectors of different
/// lengths, and more cells than 64 bits can count.
[[nodiscard]] Section declare_mesh_section();

/// The blocks that the mesh of a validated section has on `ranks` ranks. Throws InputError if it cannot be divided into
/// them.
[[nodiscard]] Partition partition_of(Options const& section, int ranks);
/// The option to blame if partition_of throws: `processes` or `cells`.
[[nodiscard]] std::string option_of_partition(Options const& section, int ranks);

/// The axis number `axis` (from 0) of a validated section.
[[nodiscard]] Axis axis_of(Options const& section, int axis);

/// The mesh of a validated section. Collective. Throws InputError if it cannot be divided into as many blocks as
/// `communicator` has ranks.
[[nodiscard]] std::shared_ptr<StructuredMesh const> make_structured_mesh(Options const& section,
                                                                         std::shared_ptr<Communicator> communicator);

/// The mesh that `make_structured_mesh` creates on compute ranks, for use on I/O ranks (StructuredMesh::make_for).
[[nodiscard]] std::shared_ptr<StructuredMesh const> make_served_mesh(Options const& section,
                                                                     std::vector<int> const& hosts,
                                                                     std::vector<int> const& owners,
                                                                     std::shared_ptr<Communicator> communicator);

}  // namespace halocline
