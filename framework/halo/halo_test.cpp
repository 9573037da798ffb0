#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "framework/field/field.hpp"
#include "framework/field/test_fields.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/halo/orders.hpp"
#include "framework/halo/settings.hpp"
#include "framework/halo/transports/mixed.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/device.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/guard.hpp"

namespace halocline {
namespace {

using test::all_centrings;
using test::HostCopy;
using test::message_of;

std::shared_ptr<StructuredMesh const> mesh_of(std::vector<Index> const& cells, Periodicity const& periodic,
                                              ProcessGrid const& grid = {0, 0, 0}) {
  std::vector<Axis> axes;
  for (Index const n : cells) axes.push_back(Axis::uniform(n, 0, 1));
  return test::mesh_of(std::move(axes), periodic, grid);
}

constexpr double untouched = -1;

/// A value that tells each entry of each component of each centring apart; below 2^24, so exact as a float too.
double value_of(StructuredMesh const& mesh, Centring centring, int c, Extents const& global) {
  Extents const all = mesh.extents(centring);
  Extents wrapped{};
  for (std::size_t axis = 0; axis < 3; ++axis) wrapped[axis] = (global[axis] % all[axis] + all[axis]) % all[axis];
  return static_cast<double>(1 + c + 3 * (wrapped[0] + all[0] * (wrapped[1] + all[1] * wrapped[2])));
}

/// Calls visit(local, global, steps), `steps` being the direction in which the entry lies outside of what is owned.
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

/// Every ghost within `width` layers beside a neighbour holds the value of its entry, every other one is untouched.
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

/// What is owned becomes `value`, and ghosts `untouched` where they are to be wiped.
template <class Real>
void fill(Field<Real>& field, double value, bool wipe_ghosts) {
  for (Block const& block : field.mesh().blocks()) {
    HostCopy<Real> host(field, block);
    for (int c = 0; c < field.components(); ++c) {
      for_each_entry(field, block, [&](Extents const& at, Extents const&, Direction const& steps) {
        bool const owned = distance(steps) == 0;
        if (owned || wipe_ghosts) host(c, at[0], at[1], at[2]) = static_cast<Real>(owned ? value : untouched);
      });
    }
    host.write_back();
  }
}

template <class Real>
Index ghosts_other_than(Field<Real>& field, double value) {
  Index others = 0;
  for (Block const& block : field.mesh().blocks()) {
    HostCopy<Real> host(field, block);
    for (int c = 0; c < field.components(); ++c) {
      for_each_entry(field, block, [&](Extents const& at, Extents const&, Direction const& steps) {
        others += distance(steps) != 0 && static_cast<double>(host(c, at[0], at[1], at[2])) != value;
      });
    }
  }
  return others;
}

struct Shape {
  std::vector<Index> cells;
  Periodicity periodic;
  ProcessGrid grid{0, 0, 0};
};

/// Uneven partitions in one, two and three dimensions, every block at least four cells thick for up to four ranks.
std::vector<Shape> shapes() {
  return {{{17}, {}},
          {{17}, {true, false, false}},
          {{19, 18}, {}},
          {{19, 18}, {true, true, false}},
          {{18, 17}, {false, true, false}, {1, 0, 1}},
          {{17, 5}, {true, true, false}, {0, 1, 1}},
          {{9, 17, 9}, {}},
          {{9, 10, 17}, {true, true, true}},
          {{17, 4, 5}, {true, false, true}, {0, 1, 1}}};
}

constexpr bool on_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible;

/// All transports that this build can try, and several of them in one exchange. Device memory is the host's there, so
/// messages from and to it go anywhere.
std::vector<std::string> transports() {
  std::vector<std::string> names{"mixed"};
  for (TransportEntry const& entry : known_transports()) {
    if (entry.obstacle.empty() || (on_host && entry.name == "mpi-device")) names.push_back(entry.name);
  }
  return names;
}

/// Null where the ranks find out that this machine has no use for it.
std::shared_ptr<Transport const> probed(TransportEntry const& entry) {
  Communicator const& all = test::communicator();
  bool const asks = !on_host && entry.probe != nullptr;
  return all.all(!asks || entry.probe(all).empty()) ? entry.make() : nullptr;
}

std::shared_ptr<Transport const> transport_called(std::string const& name) {
  std::vector<std::shared_ptr<Transport const>> usable;
  for (TransportEntry const& entry : known_transports()) {
    if (entry.name == name) return probed(entry);
    auto const transport = entry.obstacle.empty() ? probed(entry) : nullptr;
    if (transport != nullptr) usable.push_back(transport);
  }
  int const rank = test::communicator().rank();
  return std::make_shared<MixedTransport>(usable, [rank, count = usable.size()](int other, Index) {
    return static_cast<std::size_t>(rank + other) % count;
  });
}

class ExchangeBy : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto const transport = transport_called(GetParam());
    if (transport == nullptr) GTEST_SKIP() << GetParam() << " cannot be used here";
    set_halo_settings({.transport = transport});
  }
  void TearDown() override { set_halo_settings({}); }
};
INSTANTIATE_TEST_SUITE_P(EveryTransport, ExchangeBy, testing::ValuesIn(transports()), [](auto const& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(ExchangeBy, FillsGhostsOfEveryCentringAndWidth) {
  for (Shape const& shape : shapes()) {
    auto const mesh = mesh_of(shape.cells, shape.periodic, shape.grid);
    for (bool const corners : {false, true}) {
      for (int const ghosts : {1, 2, 3, 4}) {
        for (Centring const centring : all_centrings) {
          Field<double> u(mesh, {.name = "u", .centring = centring, .ghosts = ghosts});
          Exchange exchange({&u}, {.corners = corners});
          set_owned_only(u);
          exchange.exchange({&u});
          expect_exchanged(u, corners, ghosts);
        }
      }
    }
  }
}

TEST_P(ExchangeBy, TakesManyFieldsInOneMessage) {
  for (Shape const& shape : shapes()) {
    auto const mesh = mesh_of(shape.cells, shape.periodic, shape.grid);
    for (bool const corners : {false, true}) {
      Field<double> a(mesh, {.name = "a", .ghosts = 2});
      Field<float> b(mesh, {.name = "b", .centring = Centring::node, .components = 3, .ghosts = 3});
      Field<float> c(mesh, {.name = "c", .centring = Centring::face_x, .ghosts = 1});
      Field<double> d(mesh, {.name = "d", .centring = Centring::face_y, .components = 2, .ghosts = 4});
      Field<double> none(mesh, {.name = "none", .ghosts = 0});
      Exchange exchange({&a, &b, &c, &d, &none}, {.corners = corners});
      for (int repetition = 0; repetition < 3; ++repetition) {
        set_owned_only(a);
        set_owned_only(b);
        set_owned_only(c);
        set_owned_only(d);
        exchange.start({&a, &b, &c, &d, &none});
        EXPECT_TRUE(exchange.under_way() || mesh->block_count() == 1);
        exchange.finish();
        EXPECT_FALSE(exchange.under_way());
        expect_exchanged(a, corners, 2);
        expect_exchanged(b, corners, 3);
        expect_exchanged(c, corners, 1);
        expect_exchanged(d, corners, 4);
      }
    }
  }
}

TEST_P(ExchangeBy, TakesOtherFieldsOfTheSameShape) {
  auto const mesh = mesh_of({19, 18}, {true, true, false});
  Field<double> u(mesh, {.name = "u"});
  Field<double> v(mesh, {.name = "v"});
  Exchange exchange({&u});
  set_owned_only(u);
  set_owned_only(v);
  exchange.exchange({&u});
  exchange.exchange({&v});
  expect_exchanged(v, false, 1);
  set_owned_only(u);
  u.swap_values(v);
  exchange.exchange({&v});
  expect_exchanged(v, false, 1);
}

TEST(Exchange, ExchangesFewerLayersWhenAsked) {
  auto const mesh = mesh_of({19, 18}, {true, false, false});
  Field<double> u(mesh, {.name = "u", .ghosts = 4});
  Exchange exchange({&u}, {.corners = true, .width = 2});
  set_owned_only(u);
  exchange.exchange({&u});
  expect_exchanged(u, true, 2);
}

TEST_P(ExchangeBy, LargeMessagesArePackedInManyPieces) {
  // Faces of 300 x 300 cells, two layers: well above what one host thread copies at a time.
  auto const mesh = mesh_of({24, 300, 300}, {true, false, false}, {0, 1, 1});
  Field<float> u(mesh, {.name = "u", .ghosts = 2});
  Exchange exchange({&u}, {.corners = true});
  set_owned_only(u);
  exchange.exchange({&u});
  expect_exchanged(u, true, 2);
}

TEST_P(ExchangeBy, SeveralMayBeUnderWay) {
  for (Index const side : {19, 230}) {  // small messages, and such as go beside sweeps
    auto const mesh = mesh_of({side, side - 1, 37}, {true, true, false});
    Field<double> u(mesh, {.name = "u", .ghosts = 2});
    Field<float> v(mesh, {.name = "v", .centring = Centring::node, .ghosts = 4});
    Exchange of_u({&u});
    Exchange of_v({&v}, {.corners = true});
    for (int use = 0; use < 3; ++use) {
      set_owned_only(u);
      set_owned_only(v);
      of_u.start({&u});
      of_v.start({&v});
      of_v.finish();
      of_u.finish();
      expect_exchanged(u, false, 2);
      expect_exchanged(v, true, 4);
    }
  }
}

/// Ranks come late, each in its own time, and overwrite what they have sent as soon as they may.
TEST_P(ExchangeBy, KeepsMessagesApartOverAThousandDelays) {
  auto const mesh = mesh_of({19, 18}, {true, true, false});
  Field<double> u(mesh, {.name = "u", .centring = Centring::node, .ghosts = 3});
  Field<float> v(mesh, {.name = "v", .centring = Centring::face_x, .components = 2});
  Exchange exchange({&u, &v}, {.corners = true});
  std::minstd_rand random(static_cast<unsigned>(mesh->communicator().rank()) + 1);
  Index wrong = 0;
  for (int repetition = 0; repetition < 1000; ++repetition) {
    auto const delay = [&] {
      if (random() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 50));
    };
    auto const value = static_cast<double>(repetition);
    fill(u, value + 0.25, true);
    fill(v, value + 0.5, true);
    delay();
    exchange.start({&u, &v});
    delay();
    exchange.finish();
    fill(u, -2, false);
    fill(v, -2, false);
    wrong += ghosts_other_than(u, value + 0.25) + ghosts_other_than(v, value + 0.5);
  }
  EXPECT_EQ(wrong, 0);
}

/// Owned entries become a number, or ghosts along an axis that are another are counted; after a while.
struct NumberedEntries {
  BlockView<float> u;
  Index extents[3];
  Index first[3];
  float number;
  int delay;

  KOKKOS_FUNCTION float& at(Index n) const {
    return u(first[0] + n % extents[0], first[1] + n / extents[0] % extents[1],
             first[2] + n / (extents[0] * extents[1]));
  }
  [[nodiscard]] KOKKOS_FUNCTION float after_delay() const {
    float zero = number;
    for (int n = 0; n < delay; ++n) zero = zero * 0.5F;
    return zero;
  }
  KOKKOS_FUNCTION void operator()(Index n) const { at(n) = number + (delay > 0 ? after_delay() : 0); }
  KOKKOS_FUNCTION void operator()(Index n, Index& wrong) const {
    if (at(n) != number) ++wrong;
  }
};

/// Uses that follow each other without a word of the host, with ranks that are late between start and finish.
TEST_P(ExchangeBy, KeepsUsesApartWithoutTheHost) {
  for (Index const side : {16, 320}) {  // faces of 2 KiB and of 800 KiB
    auto const mesh = mesh_of({side, side, 33}, {false, false, true}, {1, 1, 0});
    Block const& block = mesh->blocks().front();
    Field<float> u(mesh, {.name = "u", .ghosts = 2});
    Field<float> elsewhere(mesh, {.name = "elsewhere", .ghosts = 2});
    Exchange exchange({&u});
    Index const owned = block.cells.end[2] - block.cells.begin[2];
    Kokkos::View<Index[2][40], Memory> const wrong("wrong");
    using Policy = Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>;
    constexpr int uses = 40;
    for (int use = 0; use < uses; ++use) {
      auto const number = static_cast<float>(1 + use);
      NumberedEntries set{u.view(block), {side, side, owned}, {0, 0, 0}, number, 0};
      Kokkos::parallel_for("set", Policy(execution(block), 0, side * side * owned), set);
      exchange.start({&u});
      bool const late = (mesh->communicator().rank() + use) % 3 == 0;
      NumberedEntries const busy{elsewhere.view(block), {8, 1, 1}, {0, 0, 0}, number, late ? 20000 : 1};
      Kokkos::parallel_for("busy", Policy(execution(block), 0, 8), busy);
      exchange.finish();
      for (int const end : {0, 1}) {
        NumberedEntries const ghosts{u.view(block), {side, side, 2}, {0, 0, end == 0 ? -2 : owned}, number, 0};
        Kokkos::parallel_reduce("ghosts", Policy(execution(block), 0, side * side * 2), ghosts,
                                Kokkos::subview(wrong, end, use));
      }
    }
    auto const counted = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), wrong);
    for (int use = 0; use < uses; ++use) EXPECT_EQ(counted(0, use) + counted(1, use), 0) << side << ", use " << use;
  }
}

/// The neighbours of a rank that fails do not wait for what it would have sent, be it little or much.
TEST_P(ExchangeBy, HoldsUpNobodyWhenARankFails) {
  for (Index const side : {30, 300}) {
    auto const communicator = std::make_shared<Communicator>(test::communicator().data());
    Verdict const verdict = run_guarded(*communicator, [&] {
      auto const mesh =
          StructuredMesh::make({.axes = {Axis::uniform(side, 0, 1), Axis::uniform(side, 0, 1), Axis::uniform(40, 0, 1)},
                                .periodic = {true, true, false}},
                               communicator);
      Field<double> u(mesh, {.name = "u", .ghosts = 2});
      Exchange exchange({&u});
      exchange.exchange({&u});
      if (communicator->rank() == 0) throw StoppedError("rank 0 has enough");
      exchange.start({&u});
      exchange.finish();
      Kokkos::fence();
      communicator->barrier();
      return ExitCode::done;
    });
    EXPECT_EQ(verdict.origin, 0);
    EXPECT_EQ(verdict.message, "rank 0 has enough");
    EXPECT_FALSE(verdict.unreachable) << "someone waits";
  }
}

#if defined(KOKKOS_ENABLE_CUDA)
/// Exchanges that are made and forgotten do not use the device's memory up. Others on the device may take some
/// meanwhile, but hardly every time.
TEST_P(ExchangeBy, GivesBackWhatItTook) {
  auto const mesh = mesh_of({300, 300}, {true, true, false});
  Field<double> u(mesh, {.name = "u", .ghosts = 2});
  constexpr Index slack = Index{32} << 20U;  // fifty blocks are 100 MiB
  bool gave_back = false;
  for (int attempt = 0; attempt < 5 && !gave_back; ++attempt) {
    Index before = 0;
    for (int repetition = 0; repetition < 60; ++repetition) {
      Exchange({&u}).exchange({&u});
      mesh->communicator().barrier();
      if (repetition == 10) before = free_device_memory();
    }
    gave_back = mesh->communicator().all(free_device_memory() >= before - slack);
  }
  EXPECT_TRUE(gave_back);
}
#endif

TEST(Exchange, WithoutNeighboursDoesNothing) {
  std::shared_ptr<Communicator> const alone = test::communicator().split(test::communicator().rank());
  StructuredMeshDescription description;
  description.axes = {Axis::uniform(5, 0, 1)};
  Field<double> u(StructuredMesh::make(description, alone), {.name = "u", .ghosts = 2});
  Exchange exchange({&u});
  set_owned_only(u);
  exchange.start({&u});
  EXPECT_FALSE(exchange.under_way());
  exchange.finish();
  expect_exchanged(u, false, 2);
}

TEST(Exchange, RefusesWhatDoesNotFit) {
  auto const mesh = mesh_of({8, 8}, {true, true, false});
  auto const other_mesh = mesh_of({8, 8}, {true, true, false});
  Field<double> u(mesh, {.name = "u"});
  Field<float> single(mesh, {.name = "s"});
  Field<double> elsewhere(other_mesh, {.name = "e"});
  EXPECT_EQ(message_of([&] {
              Exchange({&u, &elsewhere});
            }),
            "fields `u` and `e` are on different meshes and cannot be exchanged together");
  EXPECT_EQ(message_of([&] { Exchange({&u}, {.width = 2}); }), "field `u` has 1 ghost layers, 2 are to be exchanged");
  Exchange exchange({&u});
  EXPECT_EQ(message_of([&] { exchange.start({&single}); }), "an exchange made for fields like `u` is given others");
  EXPECT_EQ(message_of([&] { exchange.start({&elsewhere}); }), "an exchange made for fields like `u` is given others");
  EXPECT_EQ(message_of([&] { exchange.start({&u, &u}); }), "an exchange made for fields like `u` is given others");
  exchange.start({&u});
  EXPECT_EQ(message_of([&] { exchange.start({&u}); }), "an exchange is started twice without an end between");
  exchange.finish();
}

TEST(Exchange, RefusesBlocksThinnerThanTheirNeighboursGhosts) {
  auto const mesh = mesh_of({4}, {true, false, false});
  Field<double> u(mesh, {.name = "u", .ghosts = 5});
  EXPECT_THAT(message_of([&] { Exchange({&u}); }),
              testing::MatchesRegex("field `u`: block [0-3] has [1-4] layers along x, its neighbour needs 5 of them as "
                                    "ghosts: use fewer ranks or more cells"));
}

/// Adds up what a stencil of radius 2 on the axes reads: what is missing in a ghost is missing in the sum.
struct AddStar {
  BlockView<double const> in;
  BlockView<double> out;
  Index first[2];
  Index row;  ///< points of a row
  bool has_y;

  KOKKOS_FUNCTION void operator()(Index n) const {
    Index const i = first[0] + n % row;
    Index const j = first[1] + n / row;
    double sum = 0;
    for (int d = -2; d <= 2; ++d) sum += in(i + d, j, 0) + (has_y ? in(i, j + d, 0) : 0);
    out(i, j, 0) = sum;
  }
};

/// Counts the entries that a sweep visits, and sweeps.
struct CountingSweep {
  Field<double> const& in;
  Field<double>& out;
  Index& visited;

  void operator()(Block const& block, IndexRange const& range) const {
    visited += range.size();
    if (range.empty()) return;
    Kokkos::parallel_for("add star", Kokkos::RangePolicy<Execution>(execution(block), 0, range.size()),
                         AddStar{in.view(block),
                                 out.view(block),
                                 {range.begin[0], range.begin[1]},
                                 range.extent(0),
                                 in.mesh().dimensions() > 1});
  }
};

/// Calls of `progress` bring all messages in; what is left to `finish` is to put them where they belong.
TEST_P(ExchangeBy, GetsOnWithMessages) {
  for (Shape const& shape : shapes()) {
    auto const mesh = mesh_of(shape.cells, shape.periodic, shape.grid);
    Field<double> u(mesh, {.name = "u", .ghosts = 2});
    Exchange exchange({&u});
    EXPECT_TRUE(exchange.progress()) << "nothing is under way";
    EXPECT_EQ(exchange.test_points(), 0);
    set_owned_only(u);
    exchange.start({&u});
    while (!exchange.progress()) {
    }
    EXPECT_TRUE(exchange.progress());
    exchange.finish();
    expect_exchanged(u, false, 2);
  }
}

/// Ranks that are said to be on hosts of their own.
TEST(Exchange, HasTestPointsForMessagesToOtherHosts) {
  Communicator const& all = test::communicator();
  for (bool const apart : {false, true}) {
    std::vector<int> hosts;
    for (int rank = 0; rank < all.size(); ++rank) hosts.push_back(apart ? rank : 0);
    auto const mesh = StructuredMesh::make({.axes = {Axis::uniform(19, 0, 1), Axis::uniform(18, 0, 1)}},
                                           std::make_shared<Communicator>(all.data(), hosts));
    Field<double> u(mesh, {.name = "u", .ghosts = 2});
    Field<double> made(mesh, {.name = "made", .ghosts = 2});
    Exchange exchange({&u});
    Index owned = 0;
    for (Block const& block : mesh->blocks()) owned += u.owned(block).size();
    Index visited = 0;
    int boxes = 0;
    exchange.exchange({&u});
    produce(exchange, {&made}, Centring::cell, 2, [&](Block const&, IndexRange const& box) {
      visited += box.size();
      ++boxes;
      EXPECT_EQ(exchange.test_points() > 0, on_host && apart && exchange.under_way() && all.size() > 1);
    });
    EXPECT_EQ(visited, owned);
    EXPECT_GE(boxes, 1);
    exchange.finish();
  }
}

/// Copies within a rank never are, nor are small messages between devices; all others are.
TEST(Exchange, KnowsWhatIsWorthHiding) {
  bool const others = test::communicator().size() > 1;
  for (Index const side : {16, 120, 320}) {  // two faces of 2, 112 and 800 KiB
    auto const mesh = mesh_of({side, side, 33}, {false, false, true}, {1, 1, 0});
    Field<float> const u(mesh, {.name = "u", .ghosts = 2});
    Field<float> const v(mesh, {.name = "v", .ghosts = 2});
    for (std::vector<FieldBase const*> const& fields : {std::vector<FieldBase const*>{&u}, {&u, &v}}) {
      EXPECT_EQ(Exchange(fields).is_worth_hiding(), others && (on_host || side == 320)) << side;
    }
  }
}

/// Kernels alone exchange by cuda-ipc, by turns; by other transports the host takes part.
TEST_P(ExchangeBy, KnowsItsTurn) {
  auto const mesh = mesh_of({16, 16, 33}, {false, false, true}, {1, 1, 0});
  Field<float> u(mesh, {.name = "u", .ghosts = 2});
  Exchange exchange({&u});
  bool const alone = mesh->communicator().size() == 1;
  bool const by_kernels = GetParam().find("ipc") != std::string::npos;
  for (int use = 0; use < 4; ++use) {
    std::optional<int> const turn = exchange.turn();
    // With few ranks all that is mixed may be the same.
    if (GetParam() != "mixed") {
      EXPECT_EQ(turn.has_value(), alone || by_kernels);
    }
    if (turn) {
      EXPECT_EQ(*turn, alone ? 0 : use % 2);
    }
    exchange.exchange({&u});
  }
}

class Orders : public testing::TestWithParam<bool> {
 protected:
  Orders() { set_halo_settings({.overlap = GetParam()}); }
  ~Orders() override { set_halo_settings({}); }
};
INSTANTIATE_TEST_SUITE_P(WithAndWithoutOverlap, Orders, testing::Bool());

TEST_P(Orders, ConsumeAndProduceGiveWhatOneAfterTheOtherGives) {
  for (Shape const& shape : shapes()) {
    if (shape.cells.size() > 2) continue;
    auto const mesh = mesh_of(shape.cells, shape.periodic, shape.grid);
    auto const make = [&](char const* name) { return Field<double>(mesh, {.name = name, .ghosts = 2}); };
    Field<double> u = make("u"), once = make("once"), twice = make("twice");
    Field<double> consumed = make("consumed"), produced = make("produced");
    Exchange exchange({&u});
    Index owned = 0;
    for (Block const& block : mesh->blocks()) owned += u.owned(block).size();

    set_owned_only(u);
    Index visited = 0;
    exchange.exchange({&u});
    for (Block const& block : mesh->blocks()) CountingSweep{u, once, visited}(block, u.owned(block));
    exchange.exchange({&once});
    for (Block const& block : mesh->blocks()) CountingSweep{once, twice, visited}(block, u.owned(block));

    set_owned_only(u);
    visited = 0;
    exchange.exchange({&u});
    produce(exchange, {&produced}, Centring::cell, 2, CountingSweep{u, produced, visited});
    EXPECT_EQ(visited, owned);
    bool const overlaps = exchange.overlaps();
    bool const has_messages = mesh->communicator().size() > 1 && mesh->block_count() > 1;
    EXPECT_EQ(overlaps, GetParam() && has_messages);  // by messages of MPI
    EXPECT_EQ(exchange.under_way(), overlaps);
    exchange.finish();
    visited = 0;
    Field<double> from_consumed = make("from consumed");
    int boxes = 0;
    consume(exchange, {&once}, Centring::cell, 2, [&](Block const& block, IndexRange const& range) {
      EXPECT_EQ(exchange.under_way(), overlaps && boxes == 0) << "the interior is the first";
      ++boxes;
      CountingSweep{once, from_consumed, visited}(block, range);
    });
    EXPECT_EQ(visited, owned);

    for (Block const& block : mesh->blocks()) {
      CountingSweep{produced, consumed, visited}(block, u.owned(block));
      HostCopy<double> expected(twice, block);
      HostCopy<double> by_produce(consumed, block);
      HostCopy<double> by_consume(from_consumed, block);
      for_each_entry(u, block, [&](Extents const& at, Extents const&, Direction const& steps) {
        if (distance(steps) != 0) return;
        EXPECT_EQ(by_produce(0, at[0], at[1], 0), expected(0, at[0], at[1], 0));
        EXPECT_EQ(by_consume(0, at[0], at[1], 0), expected(0, at[0], at[1], 0));
      });
    }
  }
}

}  // namespace
}  // namespace halocline
