#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/field/test_fields.hpp"
#include "framework/halo/transport.hpp"
#include "framework/mesh/structured_mesh.hpp"

// Meshes, fields and channels for the tests of exchanges.

namespace halocline::test {

inline std::shared_ptr<StructuredMesh const> mesh_of_cells(std::vector<Index> const& cells, Periodicity const& periodic,
                                                           ProcessGrid const& grid = {0, 0, 0},
                                                           int blocks_per_rank = 1) {
  std::vector<Axis> axes;
  for (Index const n : cells) axes.push_back(Axis::uniform(n, 0, 1));
  return mesh_of(std::move(axes), periodic, grid, blocks_per_rank);
}

/// Passes all calls on to another channel; tests override some. It says nothing of flags, so the host takes part.
class ForwardingChannel : public Channel {
 public:
  explicit ForwardingChannel(std::unique_ptr<Channel> channel) : channel_(std::move(channel)) {}
  std::byte* send_memory(std::size_t n) override { return channel_->send_memory(n); }
  std::byte* receive_memory(std::size_t n) override { return channel_->receive_memory(n); }
  void expect() override { channel_->expect(); }
  void send() override { channel_->send(); }
  bool progress() override { return channel_->progress(); }
  void receive() override { channel_->receive(); }

 private:
  std::unique_ptr<Channel> channel_;
};

inline constexpr double untouched = -1;

/// A different value for each entry of each component of each centring; below 2^24, so exact as a float too.
inline double value_of(StructuredMesh const& mesh, Centring centring, int c, Extents const& global) {
  Extents const all = mesh.extents(centring);
  Extents wrapped{};
  for (std::size_t axis = 0; axis < 3; ++axis) wrapped[axis] = (global[axis] % all[axis] + all[axis]) % all[axis];
  return static_cast<double>(1 + c + 3 * (wrapped[0] + all[0] * (wrapped[1] + all[1] * wrapped[2])));
}

/// Calls visit(local, global, steps); `steps` is the direction in which the entry lies outside the owned entries.
template <class Visit>
void for_each_entry(FieldBase const& field, Block const& block, Visit const& visit) {
  IndexRange const all = field.with_ghosts(block);
  IndexRange const owned = field.owned(block);
  Extents const first = field.mesh().global_owned(block.id, field.centring()).begin;
  for (Index k = all.begin[2]; k < all.end[2]; ++k) {
    for (Index j = all.begin[1]; j < all.end[1]; ++j) {
      for (Index i = all.begin[0]; i < all.end[0]; ++i) {
        Extents const local{i, j, k};
        Extents global{};
        Direction steps{};
        for (std::size_t a = 0; a < 3; ++a) {
          global[a] = local[a] + first[a];
          steps[a] = local[a] < 0 ? -1 : (local[a] >= owned.end[a] ? 1 : 0);
        }
        visit(local, global, steps);
      }
    }
  }
}

template <class Real>
void set_owned_only(Field<Real>& field) {
  StructuredMesh const& mesh = structured(field.mesh());
  for (Block const& block : mesh.blocks()) {
    HostCopy<Real> host(field, block);
    for (int c = 0; c < field.components(); ++c) {
      for_each_entry(field, block, [&](Extents const& at, Extents const& global, Direction const& steps) {
        double const value = distance(steps) == 0 ? value_of(mesh, field.centring(), c, global) : untouched;
        host(c, at[0], at[1], at[2]) = static_cast<Real>(value);
      });
    }
    host.write_back();
  }
}

/// Every ghost within `width` layers beside a neighbour must hold the value of its entry, every other one is unchanged.
template <class Real>
void expect_exchanged(Field<Real>& field, bool corners, int width) {
  StructuredMesh const& mesh = structured(field.mesh());
  for (Block const& block : mesh.blocks()) {
    HostCopy<Real> host(field, block);
    IndexRange const reached = mesh.with_ghosts(block, field.centring(), width);
    for (int c = 0; c < field.components(); ++c) {
      Index wrong = 0;
      for_each_entry(field, block, [&](Extents const& at, Extents const& global, Direction const& steps) {
        bool within = true;
        for (std::size_t a = 0; a < 3; ++a) within = within && reached.begin[a] <= at[a] && at[a] < reached.end[a];
        bool const filled =
            distance(steps) == 0 || (within && block.neighbour(steps).has_value() && (corners || distance(steps) == 1));
        double const expected = filled ? value_of(mesh, field.centring(), c, global) : untouched;
        wrong += static_cast<double>(host(c, at[0], at[1], at[2])) != expected;
      });
      EXPECT_EQ(wrong, 0) << field.name() << ' ' << to_string(field.centring()) << " component " << c << " width "
                          << width;
    }
  }
}

/// Cells of a mesh, and its partition.
struct MeshShape {
  std::vector<Index> cells;
  Periodicity periodic;
  ProcessGrid grid{0, 0, 0};
  int blocks_per_rank = 1;
};

inline std::shared_ptr<StructuredMesh const> mesh_of_shape(MeshShape const& shape) {
  return mesh_of_cells(shape.cells, shape.periodic, shape.grid, shape.blocks_per_rank);
}

/// Uneven partitions in one, two and three dimensions. Every block is at least four cells thick for up to four ranks,
/// each with one block or several.
inline std::vector<MeshShape> mesh_shapes() {
  return {{{17}, {}},
          {{17}, {true, false, false}},
          {{19, 18}, {}},
          {{19, 18}, {true, true, false}},
          {{18, 17}, {false, true, false}, {1, 0, 1}},
          {{17, 5}, {true, true, false}, {0, 1, 1}},
          {{9, 17, 9}, {}},
          {{9, 10, 17}, {true, true, true}},
          {{17, 4, 5}, {true, false, true}, {0, 1, 1}},
          {{43}, {}, {0, 1, 1}, 2},
          {{41}, {true, false, false}, {0, 1, 1}, 2},
          {{17, 23}, {true, false, false}, {0, 0, 1}, 2},
          {{19, 23, 5}, {true, true, true}, {0, 0, 1}, 2},
          {{4, 11, 37}, {false, false, true}, {1, 1, 0}, 2},
          {{4, 5, 67}, {false, true, true}, {1, 1, 0}, 3}};
}

}  // namespace halocline::test
