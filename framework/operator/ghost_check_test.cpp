#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "framework/field/boundary.hpp"
#include "framework/field/ghost_events.hpp"
#include "framework/field/test_fields.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/halo/orders.hpp"
#include "framework/kernel/sweep_boxes.hpp"
#include "framework/mesh/box_difference.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/runtime/error.hpp"

// Sweeps of fields check that the ghosts which a functor reads exist and are valid, or report which are not.

namespace halocline {

/// Sums the points of a star.
template <int Radius, int Dimensions>
struct AddStar {
  static constexpr Shape shape = star<Radius, Dimensions>;
  template <class P, class U>
  KOKKOS_FUNCTION double operator()(P const&, U const& u) const {
    double sum = u[along<0, -Radius>] + u[along<0, Radius>];
    if constexpr (Dimensions > 1) sum += u[along<1, -Radius>] + u[along<1, Radius>];
    return sum;
  }
};

struct AddBox {
  static constexpr Shape shape = box<1, 2>;
  template <class P, class U>
  KOKKOS_FUNCTION double operator()(P const&, U const& u) const {
    return u[Offset<-1, -1>()] + u[Offset<1, 1>()];
  }
};

namespace {

using test::mesh_of;
using test::message_of;
using testing::HasSubstr;

bool several_ranks() { return test::communicator().size() > 1; }

/// A mesh that is partitioned along x.
std::shared_ptr<StructuredMesh const> mesh_with(std::size_t axes, Periodicity const& periodic) {
  return mesh_of(std::vector<Axis>(axes, Axis::uniform(16, 0, 1)), periodic, {test::communicator().size(), 1, 1});
}
constexpr Periodicity all_periodic{true, true, false};

template <class Functor>
void sweep_range(Field<double> const& u, Field<double>& out, IndexRange const& range, Functor const& functor) {
  Block const& block = u.mesh().blocks().front();
  sweep(execution(block), range, Geometry<double>{}, out.view(block), functor, u.view(block));
}
template <class Functor>
void sweep_owned_of(Field<double> const& u, Field<double>& out, Functor const& functor) {
  sweep_range(u, out, u.owned(u.mesh().blocks().front()), functor);
}

struct Fields {
  std::shared_ptr<StructuredMesh const> mesh;
  Field<double> u, next;
  Fields(std::size_t axes, Periodicity const& periodic, int ghosts = 1)
      : mesh(mesh_with(axes, periodic)),
        u(mesh, {.name = "u", .ghosts = ghosts}),
        next(mesh, {.name = "next", .ghosts = ghosts}) {}
  /// Writes owned values without an exchange.
  void write() { FieldVector<double>(std::shared_ptr<Field<double>>(std::shared_ptr<void>(), &u)).fill(1); }
};

TEST(GhostCheck, AShapeWiderThanTheGhostsIsRefused) {
  Fields fields(2, {});
  std::string const message = message_of([&] { sweep_owned_of(fields.u, fields.next, AddStar<2, 2>()); });
  EXPECT_EQ(
      message,
      "`AddStar<2, 2>` reads 2 layers of ghosts beyond the west face of `u` (it declares star<2, 2>), which has 1 "
      "layer of ghosts: make the field with `.ghosts = 2`, or let the functor declare and read less");
  EXPECT_THROW(sweep_owned_of(fields.u, fields.next, AddStar<2, 2>()), PhysicsError);
  // No error for an empty range.
  sweep_range(fields.u, fields.next, {}, AddStar<2, 2>());
}

TEST(GhostCheck, AFunctorOfAPlaneIsRefusedOnALine) {
  Fields fields(1, {});
  EXPECT_EQ(
      message_of([&] { sweep_owned_of(fields.u, fields.next, AddStar<1, 2>()); }),
      "`AddStar<1, 2>` may read neighbours along y (it declares star<1, 2>), but `u` is on a mesh of 1 dimension: "
      "declare what it reads there, as star<1, 1>, or use a mesh of more dimensions");
}

TEST(GhostCheck, WritesBeyondTheGhostsAreRefused) {
  Fields fields(2, {}, 2);
  Field<double> thin(fields.mesh, {.name = "thin", .ghosts = 0});
  Block const& block = fields.mesh->blocks().front();
  EXPECT_THAT(message_of([&] {
                sweep_range(fields.u, thin, fields.mesh->with_ghosts(block, Centring::cell, 1), AddStar<1, 2>());
              }),
              HasSubstr("`AddStar<1, 2>` writes 1 layer of ghosts beyond the west face of `thin`, which has 0 layers"));
}

TEST(GhostCheck, AForgottenExchangeNamesFieldAndFace) {
  Fields fields(2, {});
  Exchange exchange({&fields.u});
  fields.write();
  Block const& block = fields.mesh->blocks().front();
  std::string const message = message_of([&] { sweep_owned_of(fields.u, fields.next, AddStar<1, 2>()); });
  if (!several_ranks()) {
    EXPECT_EQ(message, "nothing was thrown");
  } else {
    bool const has_west = block.neighbour(0, -1).has_value();
    std::string const neighbour = std::to_string(block.neighbour(0, has_west ? -1 : 1)->rank);
    EXPECT_THAT(message,
                HasSubstr("`AddStar<1, 2>` reads 1 layer of ghosts beyond the " +
                          std::string(has_west ? "west" : "east") + " face of `u`, where rank " + neighbour +
                          " begins, where none are valid: `vector_functor::Fill<double>` has written `u` since. "
                          "Exchange `u` before this sweep"));
  }
  exchange.exchange({&fields.u});
  sweep_owned_of(fields.u, fields.next, AddStar<1, 2>());
}

TEST(GhostCheck, AForgottenExchangeIsSeenOnOneRankWherePeriodic) {
  Fields fields(2, all_periodic);
  fields.write();
  EXPECT_THAT(message_of([&] {
                Block const& block = fields.mesh->blocks().front();
                // Along y every block is its own neighbour.
                sweep_range(fields.u, fields.next, fields.mesh->interior(block, Centring::cell, 0), AddStar<1, 2>());
              }),
              HasSubstr(several_ranks() ? "where rank " : "where the mesh closes on itself"));
}

TEST(GhostCheck, GhostsUnderWayAreNotRead) {
  Fields fields(2, all_periodic);
  fields.write();
  Exchange exchange({&fields.u});
  exchange.start({&fields.u});
  EXPECT_THAT(message_of([&] { sweep_owned_of(fields.u, fields.next, AddStar<1, 2>()); }),
              HasSubstr("an exchange is under way: finish it before this sweep"));
  exchange.finish();
  sweep_owned_of(fields.u, fields.next, AddStar<1, 2>());
}

TEST(GhostCheck, BothOrdersKeepGhostsValid) {
  Fields fields(2, all_periodic, 2);
  fields.write();
  Exchange exchange({&fields.u});
  auto const step = [&](Block const&, IndexRange const& range) {
    sweep_range(fields.u, fields.next, range, AddStar<2, 2>());
  };
  auto const ranges = split(*fields.mesh, Centring::cell, 2, {fields.u.owned(fields.mesh->blocks().front())});
  for (int n = 0; n < 2; ++n) {
    consume(exchange, {&fields.u}, ranges,
            [&](Block const& block, IndexRange const& range, std::size_t) { step(block, range); });
    fields.u.swap_values(fields.next);
  }
  exchange.exchange({&fields.u});
  for (int n = 0; n < 3; ++n) {
    produce(exchange, {&fields.next}, Centring::cell, 2, step);
    fields.u.swap_values(fields.next);
    exchange.finish();
  }
  step(fields.mesh->blocks().front(), fields.u.owned(fields.mesh->blocks().front()));
  // Ghosts of a produced field are invalid without its exchange.
  fields.u.swap_values(fields.next);
  EXPECT_THROW(sweep_owned_of(fields.u, fields.next, AddStar<1, 2>()), PhysicsError);
}

TEST(GhostCheck, DeepGhostsServeTwoSweeps) {
  Fields fields(2, all_periodic, 2);
  fields.write();
  Exchange exchange({&fields.u}, {.corners = true});
  exchange.exchange({&fields.u});
  Block const& block = fields.mesh->blocks().front();
  sweep_range(fields.u, fields.next, fields.mesh->with_ghosts(block, Centring::cell, 1), AddStar<1, 2>());
  sweep_owned_of(fields.next, fields.u, AddStar<1, 2>());
  EXPECT_THROW(sweep_owned_of(fields.u, fields.next, AddStar<1, 2>()), PhysicsError);
}

struct IndexValues {
  KOKKOS_FUNCTION double operator()(Index i, Index j, Index k) const {
    return static_cast<double>(1 + i + 100 * j + 10000 * k);
  }
};

TEST(GhostCheck, SeveralBoxesAreSweptAsOneByOne) {
  for (std::size_t axes = 1; axes <= 3; ++axes) {
    Fields fields(axes, {});
    Block const& block = fields.mesh->blocks().front();
    IndexRange const all = fields.u.owned(block);
    IndexRange inner = all;
    for (std::size_t a = 0; a < axes; ++a) ++inner.begin[a], inner.end[a] -= 2;
    set_values(execution(block), all, fields.u.view(block), IndexValues());
    Exchange({&fields.u}).exchange({&fields.u});
    Field<double> expected(fields.mesh, {.name = "expected", .ghosts = 1});
    std::vector<IndexRange> const shell = without(all, inner);
    for (IndexRange const& box : shell) sweep_range(fields.u, expected, box, AddStar<1, 1>());
    sweep_boxes(execution(block), shell, Geometry<double>{}, fields.next.view(block), AddStar<1, 1>(),
                std::as_const(fields.u).view(block));
    std::vector<double> values[2];
    for (int n : {0, 1}) {
      Field<double> const& field = n == 0 ? expected : fields.next;
      values[n].resize(static_cast<std::size_t>(all.size()));
      field.copy_owned(block, 0, std::as_writable_bytes(std::span(values[n])));
    }
    EXPECT_EQ(values[0], values[1]);
    if (!block.neighbour(0, -1)) {
      EXPECT_EQ(values[1].front(), 2);
    }
  }
}

/// Sets every other point along x.
struct EveryOther {
  static constexpr Shape shape = point;
  template <class P>
  KOKKOS_FUNCTION bool is_written(P const& at) const {
    return at.index(0) % 2 == 1;
  }
  template <class P, class U>
  KOKKOS_FUNCTION double operator()(P const&, U const&) const {
    return -1;
  }
};

TEST(GhostCheck, PointsThatAFunctorDoesNotWriteKeepTheirValue) {
  Fields fields(2, {});
  Block const& block = fields.mesh->blocks().front();
  IndexRange const all = fields.u.owned(block);
  fields.write();
  sweep_boxes(execution(block), {all}, Geometry<double>{}, fields.u.view(block), EveryOther(),
              std::as_const(fields.u).view(block));
  std::vector<double> values(static_cast<std::size_t>(all.size()));
  fields.u.copy_owned(block, 0, std::as_writable_bytes(std::span(values)));
  Index const row = all.extent(0);
  for (std::size_t n = 0; n < values.size(); ++n) {
    EXPECT_EQ(values[n], static_cast<Index>(n) % row % 2 == 1 ? -1 : 1) << n;
  }
}

TEST(GhostCheck, SweepsOfSeveralBoxesAreCheckedAndRecorded) {
  Fields fields(2, all_periodic);
  Block const& block = fields.mesh->blocks().front();
  IndexRange const all = fields.u.owned(block);
  Exchange exchange({&fields.u});
  exchange.exchange({&fields.u});
  set_values(execution(block), all, fields.u.view(block), IndexValues());
  auto const sweep_them = [&] {
    sweep_boxes(execution(block), {all}, Geometry<double>{}, fields.next.view(block), AddStar<1, 2>(),
                std::as_const(fields.u).view(block));
  };
  EXPECT_THROW(sweep_them(), PhysicsError);
  exchange.exchange({&fields.u});
  sweep_them();
  EXPECT_THROW(sweep_owned_of(fields.next, fields.u, AddStar<1, 2>()), PhysicsError);
  std::vector<IndexRange> const seven(7, all);
  EXPECT_THROW(set_values(execution(block), seven, fields.u.view(block), IndexValues()), DefectError);
}

TEST(GhostCheck, ABoxNeedsCorners) {
  Fields fields(2, all_periodic);
  fields.write();
  Exchange faces({&fields.u});
  faces.exchange({&fields.u});
  EXPECT_THAT(
      message_of([&] { sweep_owned_of(fields.u, fields.next, AddBox()); }),
      HasSubstr("`AddBox` reads ghosts on edges and corners of `u` (it declares box<1, 2>), which are not valid"));
  Exchange corners({&fields.u}, {.corners = true});
  corners.exchange({&fields.u});
  sweep_owned_of(fields.u, fields.next, AddBox());
}

TEST(GhostCheck, ABoundaryIsFilledAgainWhenTheInsideHasChanged) {
  Fields fields(2, {});
  BoundaryFill boundary(fields.u, BoundaryConditions::all({.kind = BoundaryKind::neumann}));
  Exchange exchange({&fields.u});
  auto const fill = [&] {
    exchange.exchange({&fields.u});
    boundary.fill(fields.u, 0);
  };
  fill();
  sweep_owned_of(fields.u, fields.next, AddStar<1, 2>());
  fields.write();
  exchange.exchange({&fields.u});
  EXPECT_THAT(message_of([&] { sweep_owned_of(fields.u, fields.next, AddStar<1, 2>()); }),
              HasSubstr("face of `u`, where the mesh ends, where none are valid"));
  fill();
  sweep_owned_of(fields.u, fields.next, AddStar<1, 2>());
}

TEST(GhostCheck, KernelsOfOnesOwnSayWhatTheyWrite) {
  Fields fields(2, all_periodic);
  Block const& block = fields.mesh->blocks().front();
  fields.u.mark_written(block, fields.u.owned(block), "a kernel of mine");
  EXPECT_THAT(message_of([&] { sweep_owned_of(fields.u, fields.next, AddStar<1, 2>()); }),
              HasSubstr("`u` has been written (a kernel of mine) since. Exchange `u`"));
  fields.u.mark_ghosts_valid(1);
  sweep_owned_of(fields.u, fields.next, AddStar<1, 2>());
}

TEST(GhostCheck, PlainViewsAreNotChecked) {
  Fields fields(2, all_periodic);
  fields.write();
  Block const& block = fields.mesh->blocks().front();
  BlockView<double const> const plain = std::as_const(fields.u).view(block);
  sweep(execution(block), fields.u.owned(block), Geometry<double>{}, fields.next.view(block), AddStar<1, 2>(), plain);
}

TEST(GhostCheck, ReplayedWorkIsToldAgain) {
  Fields fields(2, all_periodic);
  fields.write();
  Exchange exchange({&fields.u});
  GhostJournal journal;
  journal.record([&] {
    exchange.exchange({&fields.u});
    sweep_owned_of(fields.u, fields.next, AddStar<1, 2>());
  });
  fields.write();
  fields.next.fill(0);
  journal.replay();
  Block const& block = fields.mesh->blocks().front();
  EXPECT_EQ(fields.u.ghost_record(block).valid(0), 1);
  EXPECT_EQ(fields.next.ghost_record(block).valid(0), 0);
}

}  // namespace
}  // namespace halocline
