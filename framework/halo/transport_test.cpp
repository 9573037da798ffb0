#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <thread>

#include "framework/deck/deck.hpp"
#include "framework/field/test_fields.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/halo/settings.hpp"
#include "framework/halo/test_exchanges.hpp"
#include "framework/halo/transport_choice.hpp"
#include "framework/halo/transport_registry.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/communicator.hpp"

namespace halocline {
namespace {

using test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr char const* reaches_no_one = "cannot reach anyone";

/// A transport that cannot open a channel.
class Broken : public Transport {
 public:
  [[nodiscard]] std::string name() const override { return "broken"; }
  [[nodiscard]] std::unique_ptr<Channel> open(Communicator const&, std::vector<Message> const&,
                                              std::vector<Message> const&) const override {
    throw InputOutputError(reaches_no_one);
  }
};

/// A transport that ends the run when it is tried.
class Fatal : public Transport {
 public:
  [[nodiscard]] std::string name() const override { return "fatal"; }
  [[nodiscard]] std::unique_ptr<Channel> open(Communicator const&, std::vector<Message> const&,
                                              std::vector<Message> const&) const override {
    std::abort();
  }
};

/// A channel that sends nothing.
class Unused final : public Channel {
 public:
  std::byte* send_memory(std::size_t) override { return nullptr; }
  std::byte* receive_memory(std::size_t) override { return nullptr; }
  void expect() override {}
  void send() override {}
  bool progress() override { return false; }
  void receive() override {}
};

/// A transport that one rank cannot open, unknown to the others.
class BrokenOnOne : public Transport {
 public:
  [[nodiscard]] std::string name() const override { return "broken on one"; }
  [[nodiscard]] std::unique_ptr<Channel> open(Communicator const& communicator, std::vector<Message> const&,
                                              std::vector<Message> const&) const override {
    if (communicator.rank() == 0) throw InputOutputError(reaches_no_one);
    return std::make_unique<Unused>();
  }
};

/// MPI that modifies the memory of each received message.
class Meddled : public Transport {
 public:
  using Meddle = std::function<void(std::byte* memory, Index bytes)>;
  explicit Meddled(Meddle meddle) : meddle_(std::move(meddle)) {}
  [[nodiscard]] std::string name() const override { return "meddled"; }
  [[nodiscard]] std::unique_ptr<Channel> open(Communicator const& communicator, std::vector<Message> const& sends,
                                              std::vector<Message> const& receives) const override {
    return std::make_unique<MeddledChannel>(mpi_host_transport()->open(communicator, sends, receives), receives,
                                            meddle_);
  }

 private:
  class MeddledChannel final : public test::ForwardingChannel {
   public:
    MeddledChannel(std::unique_ptr<Channel> channel, std::vector<Message> receives, Meddle meddle)
        : ForwardingChannel(std::move(channel)), receives_(std::move(receives)), meddle_(std::move(meddle)) {}
    void receive() override {
      ForwardingChannel::receive();
      for (std::size_t n = 0; n < receives_.size(); ++n) meddle_(receive_memory(n), receives_[n].bytes);
    }

   private:
    std::vector<Message> receives_;
    Meddle meddle_;
  };
  Meddle meddle_;
};

/// Corrupts the last byte of each message on the last rank.
class Wrong final : public Meddled {
 public:
  Wrong() : Meddled(spoil) {}

 private:
  static void spoil(std::byte* memory, Index bytes) {
    if (test::communicator().rank() != test::communicator().size() - 1) return;
    Kokkos::deep_copy(Kokkos::View<std::byte*, Memory, Kokkos::MemoryUnmanaged>(memory + bytes - 1, 1), std::byte{77});
  }
};

/// MPI without memory for messages within a host, except for the first trial.
class Far final : public Transport {
 public:
  [[nodiscard]] std::string name() const override { return "far"; }
  [[nodiscard]] std::unique_ptr<Channel> open(Communicator const& communicator, std::vector<Message> const& sends,
                                              std::vector<Message> const& receives) const override {
    constexpr Index of_the_first_trial = 8000;
    for (Message const& message : sends) {
      bool const near = communicator.host_of(message.rank) == communicator.host();
      if (near && message.bytes != of_the_first_trial) throw InputOutputError(reaches_no_one);
    }
    return mpi_host_transport()->open(communicator, sends, receives);
  }
};

/// MPI within a host only; counts the messages for which channels are opened.
class Near : public Transport {
 public:
  static inline std::size_t opened = 0;
  [[nodiscard]] std::string name() const override { return "near"; }
  [[nodiscard]] std::unique_ptr<Channel> open(Communicator const& communicator, std::vector<Message> const& sends,
                                              std::vector<Message> const& receives) const override {
    for (Message const& message : sends) EXPECT_EQ(communicator.host_of(message.rank), communicator.host());
    opened += sends.size();
    return mpi_host_transport()->open(communicator, sends, receives);
  }
};

TransportEntry entry_of(std::string const& name) {
  for (TransportEntry const& entry : known_transports()) {
    if (entry.name == name) return entry;
  }
  throw DefectError("unknown");
}

std::string found_on_the_last_rank(Communicator const& communicator) {
  return communicator.rank() == communicator.size() - 1 ? "this machine has none" : "";
}
std::string found_nowhere(Communicator const&) { return ""; }
std::string never_asked(Communicator const&) { throw DefectError("the build has no use for it"); }

template <class T>
TransportEntry entry_for(std::string const& name, std::string const& obstacle = "", bool across_hosts = true,
                         std::string (*probe)(Communicator const&) = nullptr) {
  return {.name = name,
          .sentence = "",
          .across_hosts = across_hosts,
          .obstacle = obstacle,
          .make = [] { return std::shared_ptr<Transport const>(std::make_shared<T>()); },
          .probe = probe};
}

/// A 2D mesh over ranks on these simulated hosts; without any, all ranks are on one host.
std::shared_ptr<StructuredMesh const> mesh_on(std::vector<int> const& hosts, Index cells) {
  Communicator const& all = test::communicator();
  auto const communicator = std::make_shared<Communicator>(
      all.data(), hosts.empty() ? std::vector<int>(static_cast<std::size_t>(all.size()), 0) : hosts);
  return StructuredMesh::make(
      {.axes = {Axis::uniform(cells, 0, 1), Axis::uniform(cells, 0, 1)}, .periodic = {true, true, false}},
      communicator);
}

/// Alternating ranks on two hosts.
std::vector<int> two_hosts() {
  std::vector<int> hosts;
  for (int rank = 0; rank < test::communicator().size(); ++rank) hosts.push_back(rank % 2);
  return hosts;
}

/// Whether all ranks together can use a transport.
bool is_of_use(TransportEntry const& entry) {
  Communicator const& all = test::communicator();
  return entry.obstacle.empty() && all.all(entry.probe == nullptr || entry.probe(all).empty());
}

bool alone() { return test::communicator().size() == 1; }
bool shares_memory() { return entry_of("shared-memory").obstacle.empty(); }

/// Exchanges a field that is 1 + the rank of its owner, and expects the neighbours' values in the ghosts.
void expect_right_answer(std::shared_ptr<StructuredMesh const> const& mesh, TransportChoice const& choice) {
  Field<double> u(mesh, {.name = "u", .ghosts = 2});
  Exchange exchange({&u}, {.transport = choice.transport});
  for (int repetition = 0; repetition < 5; ++repetition) {
    for (Block const& block : mesh->blocks()) {
      test::HostCopy<double> host(u, block);
      IndexRange const owned = u.owned(block);
      for (Index j = 0; j < owned.end[1]; ++j) {
        for (Index i = 0; i < owned.end[0]; ++i) host(0, i, j, 0) = 1 + block.rank + 10 * repetition;
      }
      host.write_back();
    }
    exchange.exchange({&u});
    for (Block const& block : mesh->blocks()) {
      test::HostCopy<double> host(u, block);
      IndexRange const owned = u.owned(block);
      for (int const axis : {0, 1}) {
        double const expected = 1 + block.neighbour(axis, -1)->rank + 10 * repetition;
        EXPECT_EQ(host(0, axis == 0 ? -2 : owned.end[0] - 1, axis == 1 ? -1 : 0, 0), expected);
      }
    }
  }
}

TEST(TransportChoice, TakesTheFastestOfThoseThatPass) {
  std::vector<TransportEntry> const known{entry_of("mpi-host"),
                                          entry_for<Broken>("broken"),
                                          entry_for<BrokenOnOne>("broken on one"),
                                          entry_for<Wrong>("wrong"),
                                          entry_for<Broken>("unfit", "this build has none", true, never_asked),
                                          entry_for<Fatal>("fatal", "", true, found_on_the_last_rank),
                                          entry_of("shared-memory")};
  Index const cells = 300;
  auto const mesh = mesh_on({}, cells);
  TransportChoice const choice = choose_transport("auto", *mesh, known);
  expect_right_answer(mesh, choice);
  if (alone()) {
    EXPECT_EQ(choice.names, "none");
    EXPECT_TRUE(choice.timings.empty());
    return;
  }
  std::vector<std::string> const left_out{"broken: cannot reach anyone", "broken on one: cannot reach anyone",
                                          "wrong: a trial received wrong values", "unfit: this build has none",
                                          "fatal: this machine has none"};
  for (std::string const& text : left_out) EXPECT_THAT(choice.left_out, testing::Contains(text));
  if (!shares_memory()) {
    EXPECT_THAT(choice.candidates, ElementsAre("mpi-host"));
    EXPECT_EQ(choice.names, "mpi-host");
    return;
  }
  EXPECT_THAT(choice.candidates, ElementsAre("mpi-host", "shared-memory"));
  // Slabs: four layers of 8-byte values of a face are the largest of three classes.
  ASSERT_EQ(choice.timings.size(), 3u);
  std::set<std::string> used;
  for (TransportTimings const& timings : choice.timings) {
    EXPECT_FALSE(timings.across_hosts);
    ASSERT_EQ(timings.seconds.size(), 2u);
    EXPECT_LE(timings.seconds[timings.chosen], std::min(timings.seconds[0], timings.seconds[1]));
    used.insert(choice.candidates[timings.chosen]);
  }
  EXPECT_EQ(choice.timings.front().bytes, 512);
  EXPECT_EQ(choice.timings.back().bytes, cells * 4 * 8);
  for (std::string const& name : used) EXPECT_THAT(choice.names, HasSubstr(name));
}

/// Memory that ranks share is only used within a host.
TEST(TransportChoice, KeepsToTheMapOfHosts) {
  auto const mesh = mesh_on(two_hosts(), 20);
  TransportChoice const choice = choose_transport("auto", *mesh);
  expect_right_answer(mesh, choice);
  bool across = false;
  for (TransportTimings const& timings : choice.timings) {
    across = across || timings.across_hosts;
    if (!timings.across_hosts) continue;
    for (std::size_t n = 0; n < choice.candidates.size(); ++n) {
      EXPECT_EQ(std::isinf(timings.seconds[n]), !entry_of(choice.candidates[n]).across_hosts);
    }
    EXPECT_TRUE(entry_of(choice.candidates[timings.chosen]).across_hosts);
  }
  EXPECT_EQ(across, !alone() && choice.candidates.size() > 1);
  if (alone()) return;
  if (memory_on_host) {
    EXPECT_THAT(choice.names, HasSubstr("mpi"));
  }
  EXPECT_EQ(
      message_of([&] { static_cast<void>(choose_transport("shared-memory", *mesh)); }),
      shares_memory()
          ? "shared-memory cannot be used here: it works within one host, but blocks on different hosts are neighbours"
          : "shared-memory cannot be used here: fields are in the memory of a device that is not CUDA's");
}

/// The fastest transport, limited to a host, carries exactly the messages within hosts.
TEST(TransportChoice, MixesWithinHostsAndAcross) {
  std::vector<TransportEntry> const known{entry_for<Far>("far"), entry_for<Near>("near", "", false)};
  std::vector<int> pairs;
  for (int rank = 0; rank < test::communicator().size(); ++rank) pairs.push_back(rank / 2);
  auto const mesh = mesh_on(pairs, 20);
  std::set<int> near;
  for (auto const& neighbour : mesh->blocks().front().neighbours) {
    int const mine = test::communicator().rank();
    if (neighbour && neighbour->rank != mine && neighbour->rank / 2 == mine / 2) near.insert(neighbour->rank);
  }
  TransportChoice const choice = choose_transport("auto", *mesh, known);
  Near::opened = 0;
  expect_right_answer(mesh, choice);
  EXPECT_EQ(Near::opened, near.size());
}

/// An empty cache of this user during its lifetime.
class EmptyCache {
 public:
  EmptyCache() {
    if (char const* const given = std::getenv("XDG_CACHE_HOME")) before_ = given;
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  }
  ~EmptyCache() {
    before_ ? setenv("XDG_CACHE_HOME", before_->c_str(), 1) : unsetenv("XDG_CACHE_HOME");
    std::filesystem::remove_all(folder_);
  }
  EmptyCache(EmptyCache const&) = delete;
  EmptyCache& operator=(EmptyCache const&) = delete;

 private:
  std::optional<std::string> before_;
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("halocline-transports-" + std::to_string(getpid()));
};

/// MPI with a delay; counts how often it is made.
class Slow final : public Meddled {
 public:
  static inline int probes = 0;
  static std::string probe(Communicator const&) {
    ++probes;
    return "";
  }
  Slow() : Meddled([](std::byte*, Index) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }) {}
};

/// A transport that starts slowly and then carries nothing is started only once.
TEST(TransportChoice, RemembersWhatStartsSlowlyForNothing) {
  EmptyCache const cache;
  std::vector<TransportEntry> known{entry_of("mpi-host"), entry_for<Slow>("slow", "", true, Slow::probe)};
  known.back().starts_slowly = true;
  auto const mesh = mesh_on({}, 20);
  Slow::probes = 0;
  std::string const remembered = "slow: it takes long to start and was slower than others in an earlier run";
  for (int run = 0; run < 3 && !alone(); ++run) {
    TransportChoice const choice = choose_transport("auto", *mesh, known);
    EXPECT_EQ(choice.names, "mpi-host");
    EXPECT_EQ(choice.candidates.size(), run == 0 ? 2u : 1u);
    EXPECT_THAT(choice.left_out, testing::Contains(remembered).Times(run == 0 ? 0 : 1));
    EXPECT_EQ(Slow::probes, 1);
  }
  if (alone()) return;
  // Other message sizes are measured anew, and a transport named by the deck is always used.
  EXPECT_EQ(choose_transport("auto", *mesh_on({}, 40), known).candidates.size(), 2u);
  EXPECT_EQ(choose_transport("slow", *mesh, known).names, "slow");
}

TEST(TransportChoice, TakesWhatIsWanted) {
  auto const mesh = mesh_on({}, 20);
  for (TransportEntry const& entry : known_transports()) {
    if (!is_of_use(entry)) continue;
    TransportChoice const choice = choose_transport(entry.name, *mesh);
    EXPECT_EQ(choice.names, alone() ? "none" : entry.name);
    EXPECT_EQ(choice.transport->name(), entry.name);
    EXPECT_TRUE(choice.timings.empty());
    expect_right_answer(mesh, choice);
  }
}

TEST(TransportChoice, RefusesWhatCannotBeUsed) {
  std::vector<TransportEntry> const known{entry_for<Broken>("broken"), entry_for<Wrong>("wrong"),
                                          entry_for<Broken>("unfit", "this build has none", true, never_asked),
                                          entry_for<Fatal>("fatal", "", true, found_on_the_last_rank)};
  auto const mesh = mesh_on({}, 20);
  EXPECT_EQ(message_of([&] { static_cast<void>(choose_transport("unfit", *mesh, known)); }),
            "unfit cannot be used here: this build has none");
  EXPECT_EQ(message_of([&] { static_cast<void>(choose_transport("fatal", *mesh, known)); }),
            "fatal cannot be used here: this machine has none");
  if (alone()) return;
  EXPECT_EQ(message_of([&] { static_cast<void>(choose_transport("broken", *mesh, known)); }),
            "broken cannot be used here: cannot reach anyone");
  EXPECT_EQ(message_of([&] { static_cast<void>(choose_transport("wrong", *mesh, known)); }),
            "wrong cannot be used here: a trial received wrong values");
}

/// A transport is used if no rank's probe finds an obstacle.
TEST(TransportChoice, TakesWhatPassesItsProbe) {
  std::vector<TransportEntry> const known{entry_of("mpi-host"), entry_for<Near>("near", "", true, found_nowhere)};
  auto const mesh = mesh_on({}, 20);
  expect_right_answer(mesh, choose_transport("near", *mesh, known));
  TransportChoice const choice = choose_transport("auto", *mesh, known);
  expect_right_answer(mesh, choice);
  if (alone()) return;
  EXPECT_THAT(choice.candidates, ElementsAre("mpi-host", "near"));
}

/// Where MPI cannot access device memory, the run states why and continues with other transports.
TEST(TransportChoice, DoesWithoutGpuAwareMpi) {
  auto const mesh = mesh_on({}, 20);
  bool const usable = is_of_use(entry_of("mpi-device"));
  TransportChoice const choice = choose_transport("auto", *mesh);
  expect_right_answer(mesh, choice);
  if (!alone()) {
    EXPECT_EQ(testing::Matches(testing::Contains("mpi-device"))(choice.candidates), usable);
    EXPECT_EQ(testing::Matches(testing::Contains(StartsWith("mpi-device: ")))(choice.left_out), !usable);
  }
  if (usable) return;
  std::string const said = message_of([&] { static_cast<void>(choose_transport("mpi-device", *mesh)); });
  EXPECT_THAT(said, StartsWith("mpi-device cannot be used here: "));
  if (memory_on_host) {
    EXPECT_THAT(said, HasSubstr("fields are in the memory of the host, where mpi-host does the same"));
  } else {
    EXPECT_THAT(said, HasSubstr("MPI does not accept device memory: a trial process "));
  }
}

bool const added = (add_transport(entry_for<Broken>("added", "it is there for a test")), true);

TEST(TransportChoice, KnowsWhatIsAdded) {
  Section root("", "");
  root.section(halo_section());
  std::string const wanted =
      Deck("deck.yaml", "halo: {transport: added}\n").read(root).section("halo").choice("transport");
  EXPECT_EQ(message_of([&] { static_cast<void>(choose_transport(wanted, *mesh_on({}, 20))); }),
            "added cannot be used here: it is there for a test");
  EXPECT_THROW(add_transport(entry_for<Broken>("auto", "its name means another thing")), InputError);
  EXPECT_EQ(message_of([] { add_transport(entry_of("mpi-host")); }),
            "`mpi-host`: there is already a transport of this name");
}

TEST(TransportChoice, NamesThePlaceInTheDeck) {
  Section root("", "");
  root.section(halo_section());
  Options const deck = Deck("deck.yaml", "halo:\n  transport: shared-memory\n  overlap: false\n", {}).read(root);
  auto const mesh = mesh_on(two_hosts(), 20);
  if (alone() && shares_memory()) {
    EXPECT_EQ(apply_halo_section(deck.section("halo"), *mesh).names, "none");
    EXPECT_EQ(halo_settings().transport->name(), "shared-memory");
    EXPECT_FALSE(halo_settings().overlap);
    set_halo_settings({});
    return;
  }
  std::string const message = message_of([&] { apply_halo_section(deck.section("halo"), *mesh); });
  EXPECT_THAT(message, HasSubstr("deck.yaml:2:14"));
  EXPECT_THAT(message, HasSubstr("`halo.transport`: shared-memory cannot be used here: "));
  EXPECT_THAT(message, HasSubstr("`auto` chooses one that can"));
  EXPECT_TRUE(halo_settings().overlap) << "nothing is taken over of a deck that is wrong";
}

/// During its lifetime, this process and its neighbours can open no more files. Open files stay usable, also for the
/// device driver, which polls them.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit none = before_;
    int const next = dup(0);
    close(next);
    none.rlim_cur = static_cast<rlim_t>(next);
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoMoreFiles() { setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreFiles(NoMoreFiles const&) = delete;
  NoMoreFiles& operator=(NoMoreFiles const&) = delete;

 private:
  rlimit before_{};
};

/// If one rank cannot share its memory, its neighbours fail as well, and theirs; no rank waits.
TEST(SharedMemory, FailsOnBothEndsOfAPair) {
  Communicator const& all = test::communicator();
  int const left = (all.rank() + all.size() - 1) % all.size();
  int const right = (all.rank() + 1) % all.size();
  // A size that no channel had before, because shared memory on a device is reused.
  constexpr Index bytes = 10'000'000;
  std::vector<Message> messages;
  for (int const rank : std::set<int>{left, right}) {
    if (rank != all.rank()) messages.push_back({rank, bytes});
  }
  // This opens whatever MPI needs between neighbours.
  auto const by_mpi = mpi_host_transport()->open(all, messages, messages);
  by_mpi->expect();
  by_mpi->send();
  by_mpi->receive();

  std::string said;
  {
    std::unique_ptr<NoMoreFiles> const none = all.rank() == 0 ? std::make_unique<NoMoreFiles>() : nullptr;
    said = message_of([&] { static_cast<void>(shared_memory_transport()->open(all, messages, messages)); });
  }
  if (all.rank() == 0) {
    EXPECT_EQ(said, "cannot share memory: memfd_create: Too many open files");
  } else if (std::min(all.rank(), all.size() - all.rank()) <= 2) {
    EXPECT_THAT(said, StartsWith("cannot share memory"));
  } else {
    EXPECT_EQ(said, "nothing was thrown");
  }
}

}  // namespace
}  // namespace halocline
