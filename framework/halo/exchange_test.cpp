#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "framework/field/field.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/halo/settings.hpp"
#include "framework/halo/test_exchanges.hpp"
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
using test::expect_exchanged;
using test::for_each_entry;
using test::HostCopy;
using test::mesh_of_cells;
using test::mesh_shapes;
using test::MeshShape;
using test::message_of;
using test::set_owned_only;
using test::untouched;

/// Sets owned entries to `value`, and ghosts to `untouched` if `wipe_ghosts`.
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

/// All transports that this build can try, and several of them in one exchange. Device memory is host memory there, so
/// any transport can read and write it.
std::vector<std::string> transports() {
  std::vector<std::string> names{"mixed"};
  for (TransportEntry const& entry : known_transports()) {
    if (entry.obstacle.empty() || (memory_on_host && entry.name == "mpi-device")) names.push_back(entry.name);
  }
  return names;
}

/// Null if the ranks find that this machine cannot use it.
std::shared_ptr<Transport const> probed(TransportEntry const& entry) {
  Communicator const& all = test::communicator();
  bool const asks = !memory_on_host && entry.probe != nullptr;
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
  for (MeshShape const& shape : mesh_shapes()) {
    auto const mesh = mesh_of_shape(shape);
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
  for (MeshShape const& shape : mesh_shapes()) {
    auto const mesh = mesh_of_shape(shape);
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
  auto const mesh = mesh_of_cells({19, 18}, {true, true, false});
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

TEST(Exchange, IsNeededUntilItIsDoneAndAfterWrites) {
  for (bool const corners : {false, true}) {
    auto const mesh = mesh_of_cells({19, 18}, {true, true, false});
    Field<double> u(mesh, {.name = "u", .ghosts = 2});
    Field<double> v(mesh, {.name = "v", .ghosts = 2});
    Exchange exchange({&u, &v}, {.corners = corners});
    FieldBase* const fields[] = {&u, &v};
    auto const write = [&](Field<double>& field) {
      for (Block const& block : mesh->blocks()) field.mark_written(block, field.owned(block), "a test");
    };
    EXPECT_TRUE(exchange.is_needed(fields)) << "before the first";
    exchange.exchange(fields);
    EXPECT_FALSE(exchange.is_needed(fields));
    write(v);
    EXPECT_TRUE(exchange.is_needed(fields)) << "after a write";
    exchange.exchange(fields);
    Field<double> w(mesh, {.name = "w", .ghosts = 2});
    v.swap_values(w);
    EXPECT_TRUE(exchange.is_needed(fields)) << "of new memory";
    v.swap_values(w);
    EXPECT_FALSE(exchange.is_needed(fields)) << "of the old memory again";
    write(u);
    exchange.start(fields);
    exchange.finish();
    EXPECT_FALSE(exchange.is_needed(fields));
    Exchange of_corners({&u, &v}, {.corners = true});
    EXPECT_EQ(of_corners.is_needed(fields), !corners);
    Exchange of_one_layer({&u, &v}, {.width = 1});
    EXPECT_FALSE(of_one_layer.is_needed(fields));
  }
}

TEST_P(ExchangeBy, IsFinishedByItsFields) {
  auto const mesh = mesh_of_cells({19, 18}, {true, true, false});
  Field<double> u(mesh, {.name = "u"});
  Field<double> v(mesh, {.name = "v"});
  Exchange exchange({&u});
  for (int use = 0; use < 3; ++use) {
    set_owned_only(u);
    exchange.start({&u});
    EXPECT_TRUE(exchange.under_way());
    // An exchange belongs to the memory in which it started.
    u.swap_values(v);
    u.finish_exchange();
    EXPECT_TRUE(exchange.under_way());
    v.finish_exchange();
    EXPECT_FALSE(exchange.under_way());
    expect_exchanged(v, false, 1);
    u.swap_values(v);
  }
}

/// As when an error unwinds. The mesh is of this rank alone, so that no message is left over.
TEST(Exchange, LetsGoOfFieldsAndTheyOfIt) {
  std::shared_ptr<Communicator> const alone = test::communicator().split(test::communicator().rank());
  StructuredMeshDescription description;
  description.axes = {Axis::uniform(9, 0, 1)};
  description.periodic = {true, false, false};
  auto const mesh = StructuredMesh::make(description, alone);
  Field<double> u(mesh, {.name = "u"});
  auto v = std::make_unique<Field<double>>(mesh, FieldDescription{.name = "v"});
  {
    Exchange exchange({&u, v.get()});
    exchange.start({&u, v.get()});
    ASSERT_TRUE(exchange.under_way());
  }
  u.finish_exchange();  // there is none any more
  Exchange exchange({&u, v.get()});
  exchange.start({&u, v.get()});
  v.reset();
  EXPECT_THROW(exchange.finish(), DefectError);
  u.finish_exchange();
}

TEST(Exchange, ExchangesFewerLayersWhenAsked) {
  auto const mesh = mesh_of_cells({19, 18}, {true, false, false});
  Field<double> u(mesh, {.name = "u", .ghosts = 4});
  Exchange exchange({&u}, {.corners = true, .width = 2});
  set_owned_only(u);
  exchange.exchange({&u});
  expect_exchanged(u, true, 2);
}

TEST_P(ExchangeBy, LargeMessagesArePackedInManyPieces) {
  // Faces of 300 x 300 cells, two layers: well above what one host thread copies at a time.
  auto const mesh = mesh_of_cells({24, 300, 300}, {true, false, false}, {0, 1, 1});
  Field<float> u(mesh, {.name = "u", .ghosts = 2});
  Exchange exchange({&u}, {.corners = true});
  set_owned_only(u);
  exchange.exchange({&u});
  expect_exchanged(u, true, 2);
}

TEST_P(ExchangeBy, SeveralMayBeUnderWay) {
  for (Index const side : {19, 230}) {  // small messages, and messages large enough for a separate stream
    auto const mesh = mesh_of_cells({side, side - 1, 37}, {true, true, false});
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

/// Ranks are delayed by different times, and overwrite sent entries as soon as they may.
TEST_P(ExchangeBy, KeepsMessagesApartOverAThousandDelays) {
  auto const mesh = mesh_of_cells({19, 18}, {true, true, false});
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

/// After a delay, sets owned entries to a number, or counts the ghosts along an axis that differ from it.
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

/// Consecutive exchanges without the host, with ranks that are late between start and finish.
TEST_P(ExchangeBy, KeepsUsesApartWithoutTheHost) {
  for (Index const side : {16, 320}) {  // faces of 2 KiB and of 800 KiB
    auto const mesh = mesh_of_cells({side, side, 33}, {false, false, true}, {1, 1, 0});
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

/// The neighbours of a rank that fails do not wait for its messages, small or large.
TEST_P(ExchangeBy, HoldsUpNobodyWhenARankFails) {
  for (Index const side : {30, 300}) {
    // After a failure, connections are made again.
    set_halo_settings({.transport = transport_called(GetParam())});
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
/// Exchanges that are made and destroyed do not leak device memory. Other processes on the device may allocate
/// meanwhile, but hardly in every attempt.
TEST_P(ExchangeBy, GivesBackWhatItTook) {
  auto const mesh = mesh_of_cells({300, 300}, {true, true, false});
  Field<double> u(mesh, {.name = "u", .ghosts = 2});
  constexpr Index slack = Index{32} << 20U;  // fifty blocks are 100 MiB
  bool gave_back = false;
  for (int attempt = 0; attempt < 5 && !gave_back; ++attempt) {
    Index before = 0;
    for (int repetition = 0; repetition < 60; ++repetition) {
      Exchange({&u}).exchange({&u});
      mesh->communicator().barrier();
      if (repetition == 10) before = free_device_memory(device_number());
    }
    gave_back = mesh->communicator().all(free_device_memory(device_number()) >= before - slack);
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
  auto const mesh = mesh_of_cells({8, 8}, {true, true, false});
  auto const other_mesh = mesh_of_cells({8, 8}, {true, true, false});
  Field<double> u(mesh, {.name = "u"});
  Field<float> single(mesh, {.name = "s"});
  Field<double> elsewhere(other_mesh, {.name = "e"});
  EXPECT_EQ(message_of([&] {
              Exchange({&u, &elsewhere});
            }),
            "fields `u` and `e` are on different meshes and cannot be exchanged together");
  EXPECT_EQ(message_of([&] { Exchange({&u}, {.width = 2}); }), "field `u` has 1 ghost layers, 2 are to be exchanged");
  Exchange exchange({&u});
  EXPECT_EQ(message_of([&] { exchange.start({&single}); }),
            "an exchange planned for fields like `u` is given other fields");
  EXPECT_EQ(message_of([&] { exchange.start({&elsewhere}); }),
            "an exchange planned for fields like `u` is given other fields");
  EXPECT_EQ(message_of([&] {
              exchange.start({&u, &u});
            }),
            "an exchange planned for fields like `u` is given other fields");
  exchange.start({&u});
  EXPECT_EQ(message_of([&] { exchange.start({&u}); }), "an exchange is started again before it has finished");
  exchange.finish();
}

TEST(Exchange, RefusesBlocksThinnerThanTheirNeighboursGhosts) {
  auto const mesh = mesh_of_cells({4}, {true, false, false});
  Field<double> u(mesh, {.name = "u", .ghosts = 5});
  EXPECT_THAT(message_of([&] { Exchange({&u}); }),
              testing::MatchesRegex("field `u`: block [0-3] has [1-4] layers along x, its neighbour needs 5 of them as "
                                    "ghosts: use fewer ranks or more cells"));
}

/// Calls of `progress` receive all messages; `finish` only unpacks them.
TEST_P(ExchangeBy, GetsOnWithMessages) {
  for (MeshShape const& shape : mesh_shapes()) {
    auto const mesh = mesh_of_shape(shape);
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

/// Copies within a rank never are, nor are small messages between devices; all other messages are.
TEST(Exchange, KnowsWhatIsWorthHiding) {
  bool const others = test::communicator().size() > 1;
  for (Index const side : {16, 120, 320}) {  // two faces of 2, 112 and 800 KiB
    auto const mesh = mesh_of_cells({side, side, 33}, {false, false, true}, {1, 1, 0});
    Field<float> const u(mesh, {.name = "u", .ghosts = 2});
    Field<float> const v(mesh, {.name = "v", .ghosts = 2});
    for (std::vector<FieldBase const*> const& fields : {std::vector<FieldBase const*>{&u}, {&u, &v}}) {
      EXPECT_EQ(Exchange(fields).is_worth_hiding(), others && (memory_on_host || side == 320)) << side;
    }
  }
}

/// On a device the host takes part in MPI messages only. Kernels pack into two buffers, which alternate.
TEST_P(ExchangeBy, KnowsItsTurn) {
  auto const mesh = mesh_of_cells({16, 16, 33}, {false, false, true}, {1, 1, 0});
  Field<float> u(mesh, {.name = "u", .ghosts = 2});
  Exchange exchange({&u});
  bool const alone = mesh->communicator().size() == 1;
  bool const by_host = memory_on_host || GetParam().starts_with("mpi");
  bool const takes_turns = !alone && GetParam() != "nccl";
  for (int use = 0; use < 4; ++use) {
    std::optional<int> const buffer_index = exchange.buffer_index();
    // With few ranks, all messages of the mixed transport may use the same one.
    if (GetParam() != "mixed") {
      EXPECT_EQ(buffer_index.has_value(), alone || !by_host);
    }
    if (buffer_index) {
      EXPECT_EQ(*buffer_index, takes_turns ? use % 2 : 0);
    }
    exchange.exchange({&u});
  }
}

}  // namespace
}  // namespace halocline
