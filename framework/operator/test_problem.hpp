#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "framework/halo/transport.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/operator/operator.hpp"
#include "framework/operator/vector.hpp"

// Problems shared by the tests of operators and solvers: shift u - div(k grad u) on cells of size one.

namespace halocline::test_problem {

enum class Wall { insulated, cold };

struct Options {
  std::vector<Index> cells{17, 13};
  bool periodic = false;
  Wall wall = Wall::cold;
  double shift = 0;
  double contrast = 3;
  std::shared_ptr<Transport const> transport = nullptr;
  int blocks_per_rank = 1;
};

[[nodiscard]] std::shared_ptr<StructuredMesh const> make_mesh(std::shared_ptr<Communicator> communicator,
                                                              Options const& options);

/// \param unknowns by Block::local, in local indices; u is zero elsewhere. Empty: all cells
template <class Real>
[[nodiscard]] std::unique_ptr<Operator> make_operator(std::shared_ptr<StructuredMesh const> const& mesh,
                                                      Options const& options,
                                                      std::vector<IndexRange> const& unknowns = {});
template <class Real>
[[nodiscard]] std::unique_ptr<Operator> make_operator(std::shared_ptr<Communicator> communicator,
                                                      Options const& options) {
  return make_operator<Real>(make_mesh(std::move(communicator), options), options);
}

/// The mesh of an operator on fields.
template <class Real>
[[nodiscard]] Mesh const& mesh_of(Operator const& a);

/// This rank's unknowns in order.
template <class Real>
[[nodiscard]] std::vector<Real> values_of(Vector const& x);

/// Runs `check` with all host threads and with 1, 2 and 3 threads, if the backend has more.
void for_each_thread_count(Mesh const& mesh, std::function<void()> const& check);

}  // namespace halocline::test_problem
