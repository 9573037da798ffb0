#pragma once

#include <memory>
#include <vector>

#include "framework/deck/options.hpp"
#include "framework/deck/section.hpp"
#include "framework/mesh/structured_mesh.hpp"

namespace halocline {

/// Declares the section `mesh` of a deck: cells, lower, upper, growth, periodic, processes, blocks_per_rank. Its check
/// refuses axes that end before they begin, cells too thin for double precision, vectors of different lengths, and more
/// cells than 64 bits count.
[[nodiscard]] Section declare_mesh_section();

/// The blocks that the mesh of a judged section has on so many ranks. Throws InputError when it cannot be cut into
/// them.
[[nodiscard]] Partition partition_of(Options const& section, int ranks);

/// One of the axes of a judged section, from 0.
[[nodiscard]] Axis axis_of(Options const& section, int axis);

/// The mesh of a judged section. Collective. Throws InputError when it cannot be cut into as many blocks as
/// `communicator` has ranks.
[[nodiscard]] std::shared_ptr<StructuredMesh const> make_structured_mesh(Options const& section,
                                                                         std::shared_ptr<Communicator> communicator);

/// The same mesh as `make_structured_mesh` makes on compute ranks, as I/O ranks see it (StructuredMesh::make_for).
[[nodiscard]] std::shared_ptr<StructuredMesh const> make_served_mesh(Options const& section,
                                                                     std::vector<int> const& hosts,
                                                                     std::vector<int> const& owners,
                                                                     std::shared_ptr<Communicator> communicator);

}  // namespace halocline
