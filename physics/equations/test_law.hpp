#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/deck/deck.hpp"
#include "framework/deck/mistakes.hpp"
#include "framework/field/field.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/plugin/physics.hpp"
#include "solvers/linear/factory.hpp"
#include "solvers/time/time_section.hpp"
#include "tests/support/communicator.hpp"

// Shared by the tests of conservation laws.

/// Skips a test of one rank alone if there are several.
#define HALOCLINE_TEST_OF_ONE_RANK() \
  if (halocline::test::communicator().size() > 1) GTEST_SKIP() << "on one rank alone"

namespace halocline::test {

struct Domain {
  std::vector<Index> cells;
  std::vector<double> upper = {1, 1, 1};
  std::vector<double> lower = {0, 0, 0};
  Periodicity periodic{};
  bool all_ranks = true;
  int blocks = 1;  ///< of a rank
};

inline std::shared_ptr<StructuredMesh const> make_mesh(Domain const& domain) {
  StructuredMeshDescription description;
  for (std::size_t axis = 0; axis < domain.cells.size(); ++axis) {
    description.axes.push_back(Axis::uniform(domain.cells[axis], domain.lower[axis], domain.upper[axis]));
  }
  description.periodic = domain.periodic;
  description.blocks_per_rank = domain.blocks;
  Communicator const& all = communicator();
  int const colour = domain.all_ranks ? 0 : all.rank();
  return StructuredMesh::make(description, std::shared_ptr<Communicator>(all.split(colour, all.rank())));
}

/// A run of a conservation law; `options` is the content of its section of a deck.
class LawRun {
 public:
  LawRun(PhysicsEntry const& entry, std::string const& options, Domain const& domain, std::string const& method,
         Precision precision = Precision::double_)
      : mesh_(make_mesh(domain)) {
    Section root("", "A deck.");
    root.section(time_section());
    root.section(solver_section());
    root.section(entry.options);
    std::string const text = "time: {method: " + method + "}\n" + entry.name + ": {" + options + "}\n";
    physics_ = entry.create({Deck("deck", text).read(root), mesh_, nullptr, precision, {}});
  }

  /// Steps to `end`, each `courant` times the longest stable step at that time.
  void run(double end, double courant = 0.8) {
    while (time_ < end * (1 - 1e-12)) {
      double const size = std::min(courant * physics_->stable_step(), end - time_);
      step(size);
    }
  }
  void step(double size) {
    static_cast<void>(physics_->advance({++steps_, time_, size}));
    time_ += size;
  }
  [[nodiscard]] double quantity(std::string const& name) const {
    for (Quantity const& each : physics_->quantities()) {
      if (each.name == name) return each.value;
    }
    ADD_FAILURE() << "no quantity " << name;
    return std::nan("");
  }
  /// A field in the order of the mesh, for one rank; on several, this rank's part.
  template <class Real = double>
  [[nodiscard]] std::vector<Real> values(std::size_t field) const {
    FieldBase const& of = *physics_->fields()[field];
    std::vector<Real> host;
    for (Block const& block : mesh_->blocks()) {
      std::vector<Real> part(static_cast<std::size_t>(of.owned(block).size()));
      of.copy_owned(block, 0, std::as_writable_bytes(std::span(part)));
      host.insert(host.end(), part.begin(), part.end());
    }
    return host;
  }
  /// The minimum of a field's values over all ranks.
  [[nodiscard]] double least(std::size_t field) const {
    double least = std::numeric_limits<double>::infinity();
    for (double const value : values(field)) least = std::min(least, value);
    return mesh_->communicator().min(least);
  }
  [[nodiscard]] Physics const& physics() const { return *physics_; }
  [[nodiscard]] StructuredMesh const& mesh() const { return *mesh_; }
  [[nodiscard]] double time() const { return time_; }

 private:
  std::shared_ptr<StructuredMesh const> mesh_;
  std::unique_ptr<Physics> physics_;
  double time_ = 0;
  Index steps_ = 0;
};

/// This rank's cells of a run have the same bits as in a run with one rank and one block.
inline void expect_same_bits(LawRun const& together, LawRun const& alone, std::string const& trace) {
  Extents const size = alone.mesh().extents(Centring::cell);
  for (std::size_t field = 0; field < alone.physics().fields().size(); ++field) {
    std::vector<double> const all = alone.values(field);
    std::vector<double> const mine = together.values(field);
    std::size_t n = 0;
    for (Block const& block : together.mesh().blocks()) {
      for (Index k = block.cells.begin[2]; k < block.cells.end[2]; ++k) {
        for (Index j = block.cells.begin[1]; j < block.cells.end[1]; ++j) {
          for (Index i = block.cells.begin[0]; i < block.cells.end[0]; ++i) {
            ASSERT_EQ(mine[n++], all[static_cast<std::size_t>(i + size[0] * (j + size[1] * k))])
                << trace << field << " " << i << " " << j << " " << k;
          }
        }
      }
    }
  }
}

/// Narrow blocks, whose cells evaluate their own faces, give the same bits as a block that devices process in tiles.
/// Tests tile sizes, one less and one more, and sizes that no tile divides.
/// \param make makes a run on a Domain
template <class Make>
void expect_bits_of_narrow_blocks(Make const& make, std::size_t axes, std::string const& trace) {
  struct Case {
    std::vector<Index> cells;
    int blocks;
  };
  std::vector<Case> const cases = axes == 2
                                      ? std::vector<Case>{{{97, 41}, 8}, {{31, 15}, 3}, {{32, 16}, 3}, {{63, 5}, 5}}
                                      : std::vector<Case>{{{37, 29, 23}, 4}, {{31, 15, 3}, 3}, {{33, 17, 4}, 3}};
  for (auto const& [cells, blocks] : cases) {
    Domain domain{.cells = cells, .periodic = {true, false, false}, .all_ranks = false};
    auto one = make(domain);
    domain.blocks = blocks;
    auto many = make(domain);
    EXPECT_LT(many.mesh().blocks().front().cells.extent(0), 16) << "they are not narrow";
    double const size = 0.5 * one.physics().stable_step();
    for (int n = 0; n < 5; ++n) {
      one.step(size);
      many.step(size);
    }
    expect_same_bits(many, one, trace);
  }
}

}  // namespace halocline::test
