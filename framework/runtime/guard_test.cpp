#include "framework/runtime/guard.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "framework/runtime/throw_site.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

/// A failure breaks a communicator, so each test has its own.
class Guard : public testing::Test {
 protected:
  Communicator ranks{test::communicator().data()};
  int const last = ranks.size() - 1;

  /// The last rank fails while the others are in `wait`; `wait` must throw RemoteError on all of them.
  void expect_remote_error_from(std::function<void()> const& wait) {
    bool learned = false;
    Verdict const verdict = run_guarded(ranks, [&] {
      if (ranks.rank() == last) throw SolveError("no answer");
      try {
        while (true) wait();
      } catch (RemoteError const& error) {
        learned = true;
        EXPECT_EQ(error.origin(), last);
        EXPECT_EQ(error.exit_code(), ExitCode::unsolved);
        EXPECT_STREQ(error.what(), "no answer");
        throw;
      }
      return ExitCode::done;
    });
    EXPECT_EQ(learned, ranks.rank() != last);
    EXPECT_EQ(verdict.code, ExitCode::unsolved);
    EXPECT_EQ(verdict.origin, last);
    EXPECT_EQ(verdict.message, "no answer");
    EXPECT_FALSE(verdict.unreachable);
    // The test's own communicator belongs to another family and still works.
    EXPECT_EQ(test::communicator().sum(Index{1}), ranks.size());
  }
};

TEST_F(Guard, WithoutFailureTheLargestCodeWins) {
  EXPECT_EQ(run_guarded(ranks, [] { return ExitCode::done; }).code, ExitCode::done);
  Verdict const verdict =
      run_guarded(ranks, [&] { return ranks.rank() == last ? ExitCode::unsolved : ExitCode::done; });
  EXPECT_EQ(verdict.code, ExitCode::unsolved);
  EXPECT_EQ(verdict.origin, -1);
  EXPECT_EQ(verdict.message, "");
  EXPECT_EQ(ranks.sum(Index{1}), ranks.size()) << "the communicator stays usable";
}

TEST_F(Guard, ReductionsEnd) {
  expect_remote_error_from([&] { static_cast<void>(ranks.sum(1.0)); });
}
TEST_F(Guard, SumsUnderWayEnd) {
  std::array<double, 2> const mine{1, 2};
  expect_remote_error_from([&] { static_cast<void>(ranks.start_sum(mine).finish()); });
}
/// The news arrives during a sum, which unwinding abandons.
TEST_F(Guard, SumsUnderWayAreLeftBehind) {
  std::array<double, 2> const mine{1, 2};
  expect_remote_error_from([&] {
    PendingSum const sum = ranks.start_sum(mine);
    ranks.barrier();
  });
}
TEST_F(Guard, BarriersEnd) {
  expect_remote_error_from([&] { ranks.barrier(); });
}
TEST_F(Guard, BroadcastsEnd) {
  expect_remote_error_from([&] {
    std::string text(100000, 'x');
    ranks.broadcast(text, last);
  });
}
TEST_F(Guard, GathersEnd) {
  expect_remote_error_from([&] { static_cast<void>(ranks.gather("text", last)); });
}
TEST_F(Guard, ExscansEnd) {
  expect_remote_error_from([&] {
    static_cast<void>(ranks.exscan(1));
    ranks.barrier();  // MPI_Exscan itself does not make lower ranks wait
  });
}
TEST_F(Guard, AgreementEnds) {
  expect_remote_error_from([&] { ranks.agree(nullptr); });
}
TEST_F(Guard, SplitsEnd) {
  expect_remote_error_from([&] { static_cast<void>(ranks.split(0)); });
}
TEST_F(Guard, LoopsThatPollEnd) {
  expect_remote_error_from([&] { ranks.poll(); });
}

TEST_F(Guard, WaitsOfAPartEndWhenARankOutsideFails) {
  auto const part = ranks.split(ranks.rank() == last ? -1 : 0);
  expect_remote_error_from([&] {
    // One rank of the part does not take part, so that the others really wait.
    if (part->rank() == 0 && part->size() > 1) {
      while (true) ranks.poll();
    }
    static_cast<void>(part->sum(1.0));
  });
}

/// A halo exchange in which the last rank neither sends nor receives. The messages are large, so that sends wait as
/// well.
TEST_F(Guard, MessagesEndAndLeaveNothingBehind) {
  for (Index const count : {Index{10}, Index{300000}}) {
    Communicator const fresh(test::communicator().data());
    Verdict const verdict = run_guarded(fresh, [&] {
      if (fresh.rank() == fresh.size() - 1) throw SolveError("no answer");
      struct Buffers {
        std::vector<double> in, out;
      };
      auto const buffers = std::make_shared<Buffers>();
      std::vector<MPI_Request> requests;
      buffers->in.resize(static_cast<std::size_t>(count * fresh.size()));
      buffers->out.resize(static_cast<std::size_t>(count), 1.0);
      Index const bytes = count * static_cast<Index>(sizeof(double));
      for (int other = 0; other < fresh.size(); ++other) {
        requests.push_back(fresh.receive_init(&buffers->in[static_cast<std::size_t>(count * other)], bytes, other, 1));
        requests.push_back(fresh.send_init(buffers->out.data(), bytes, other, 1));
      }
      MPI_Startall(static_cast<int>(requests.size()), requests.data());
      try {
        fresh.wait_all(requests);
      } catch (...) {
        Communicator::abandon(requests, buffers);
        throw;
      }
      return ExitCode::done;
    });
    EXPECT_EQ(verdict.message, "no answer");
  }
}

TEST_F(Guard, TheLowestOfSeveralFailuresIsTheVerdict) {
  for (int round = 0; round < 20; ++round) {
    Communicator const fresh(test::communicator().data());
    Verdict const verdict = run_guarded(fresh, [&]() -> ExitCode {
      std::string const message = "rank " + std::to_string(fresh.rank());
      if (fresh.rank() % 2 == 0) throw InputOutputError(message);
      throw SolveError(message);
    });
    EXPECT_EQ(verdict.origin, 0);
    EXPECT_EQ(verdict.message, "rank 0");
    EXPECT_EQ(verdict.code, ExitCode::input_output);
  }
}

TEST_F(Guard, ARankThatHasReturnedLearnsOfAFailure) {
  Verdict const verdict = run_guarded(ranks, [&] {
    if (ranks.rank() != last) return ExitCode::done;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    throw StoppedError(std::string(5000, 'x') + "end");
  });
  EXPECT_EQ(verdict.code, ExitCode::stopped);
  EXPECT_EQ(verdict.message, std::string(5000, 'x') + "end") << "long messages arrive whole";
}

TEST_F(Guard, AfterAFailureTheFamilyIsUnusable) {
  static_cast<void>(run_guarded(ranks, [&]() -> ExitCode { throw SolveError("first"); }));
  EXPECT_THROW(ranks.poll(), RemoteError);
}

TEST_F(Guard, AgreedFailuresNameTheirOrigin) {
  Verdict const verdict = run_guarded(ranks, [&] {
    ranks.agree(ranks.rank() == last ? std::make_exception_ptr(InputOutputError("disk full")) : nullptr);
    return ExitCode::done;
  });
  EXPECT_EQ(verdict.origin, last);
  EXPECT_EQ(verdict.message, "disk full");
}

TEST_F(Guard, OtherExceptions) {
  EXPECT_EQ(run_guarded(ranks, [&]() -> ExitCode { throw std::bad_alloc(); }).message, "out of memory");
  Communicator const second(test::communicator().data());
  Verdict const verdict = run_guarded(second, [&]() -> ExitCode { throw 7; });
  EXPECT_EQ(verdict.code, ExitCode::defect);
  EXPECT_EQ(verdict.message, "an exception without a message");
}

/// The other ranks are in a collective that ends only when the failed rank enters it, which it does late.
TEST_F(Guard, AnUnreachableRankCallsTheAbortHandler) {
  if (ranks.size() == 1) GTEST_SKIP() << "needs another rank";
  int aborts = 0;
  GuardOptions const options{[&](Verdict const& verdict) {
                               ++aborts;
                               EXPECT_EQ(verdict.origin, last);
                               EXPECT_TRUE(verdict.unreachable);
                               EXPECT_EQ(verdict.message.substr(0, 9), "no answer");
                               EXPECT_EQ(verdict.code, ExitCode::unsolved);
                             },
                             std::chrono::milliseconds(200)};
  MPI_Comm const other_library = test::communicator().data();
  Verdict const verdict = run_guarded(
      ranks,
      [&]() -> ExitCode {
        if (ranks.rank() == last) throw SolveError("no answer");
        MPI_Barrier(other_library);
        return ExitCode::done;
      },
      options);
  if (ranks.rank() == last) {
    EXPECT_TRUE(verdict.unreachable);
    EXPECT_EQ(verdict.message.substr(0, 32), "no answer (no answer from rank 0");
    EXPECT_EQ(aborts, 1);
    MPI_Barrier(other_library);
  }
}

class ThrowSites : public Guard {
 protected:
  ~ThrowSites() override { unsetenv("HALOCLINE_THROW_AT"); }

  Verdict run_with(std::string const& setting, std::function<void()> const& function) {
    setenv("HALOCLINE_THROW_AT", setting.c_str(), 1);
    return run_guarded(ranks, [&] {
      function();
      return ExitCode::done;
    });
  }
};

TEST_F(ThrowSites, ThrowWhereTheyAreArmed) {
  Verdict const verdict = run_with("reduction:" + std::to_string(last), [&] { static_cast<void>(ranks.sum(1.0)); });
  EXPECT_EQ(verdict.origin, last);
  EXPECT_EQ(verdict.message, "armed to fail at reduction");
}

TEST_F(ThrowSites, CountTheirPasses) {
  int passes = 0;
  Verdict const verdict = run_with("solve:0:3", [&] {
    for (; passes < 10; ++passes) {
      throw_site(ThrowSite::solve);
      throw_site(ThrowSite::pack);
      ranks.barrier();
    }
  });
  EXPECT_EQ(verdict.code, ExitCode::unsolved);
  EXPECT_EQ(passes, 2);
}

TEST_F(ThrowSites, RefuseWhatTheyDoNotKnow) {
  for (std::string const setting : {"pakc:1", "pack", "pack:", "pack:x", "pack:1:0", "pack:1:2:3", "pack:-1"}) {
    setenv("HALOCLINE_THROW_AT", setting.c_str(), 1);
    try {
      arm_throw_sites(0);
      ADD_FAILURE() << setting;
    } catch (InputError const& error) {
      EXPECT_EQ(error.what(), "HALOCLINE_THROW_AT=" + setting +
                                  ": expected SITE:RANK or SITE:RANK:COUNT, SITE one of deck allocation pack wait "
                                  "reduction solve hdf5_write checkpoint");
    }
  }
}

/// MPI still progresses a collective that rank 0 has abandoned when the other ranks enter it.
TEST_F(Guard, APartWithACollectiveUnderWayOutlivesItsOwner) {
  constexpr std::array one{1.0};
  for (int repetition = 0; repetition < 10; ++repetition) {
    Communicator const family(test::communicator().data());
    Verdict const verdict = run_guarded(family, [&] {
      std::unique_ptr<Communicator> const part = family.split(family.rank() == last ? 1 : 0);
      if (family.rank() == last) throw SolveError("no more");
      if (family.rank() == 0) static_cast<void>(part->start_sum(one));
      try {
        while (true) family.poll();
      } catch (RemoteError const&) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2 * family.rank()));
        if (family.rank() > 0) static_cast<void>(part->start_sum(one));
        throw;
      }
      return ExitCode::done;
    });
    EXPECT_EQ(verdict.code, ExitCode::unsolved);
    EXPECT_FALSE(verdict.unreachable);
  }
}

}  // namespace
}  // namespace halocline
