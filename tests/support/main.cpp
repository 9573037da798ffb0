#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <string>

#include "framework/runtime/control_channel.hpp"
#include "framework/runtime/environment.hpp"
#include "framework/runtime/guard.hpp"
#include "tests/support/communicator.hpp"

namespace halocline::test {

namespace {

std::optional<Communicator> current;

void abort_all_ranks(Verdict const& verdict) {
  std::fprintf(stderr, "rank %d: %s\n", verdict.origin, verdict.message.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/// Gives every test a communicator and ends it with a consensus: a test that failed on one rank fails on all.
class Consensus : public testing::EmptyTestEventListener {
 public:
  void OnTestStart(testing::TestInfo const&) override { current.emplace(MPI_COMM_WORLD); }

  void OnTestEnd(testing::TestInfo const& info) override {
    std::optional<Failure> failure;
    if (info.result()->Failed()) {
      failure = Failure{ExitCode::defect, std::string(info.test_suite_name()) + "." + info.name() + " failed here"};
    }
    ControlChannel& control = current->control();
    Verdict const verdict = control.settle(failure, ExitCode::done, {.abort = abort_all_ranks});
    failed_ = failed_ || verdict.code != ExitCode::done;
    current.reset();
  }

  [[nodiscard]] bool failed() const { return failed_; }

 private:
  bool failed_ = false;
};

/// Output of ranks other than 0: their failures.
class Failures : public testing::EmptyTestEventListener {
 public:
  explicit Failures(int rank) : rank_(rank) {}
  void OnTestPartResult(testing::TestPartResult const& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "rank %d: %s:%d: %s\n", rank_, result.file_name() != nullptr ? result.file_name() : "?",
                 result.line_number(), result.message());
  }

 private:
  int rank_;
};

}  // namespace

Communicator const& communicator() { return *current; }

}  // namespace halocline::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  halocline::Environment const environment;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new halocline::test::Failures(rank));
  }
  auto* const consensus = new halocline::test::Consensus;
  listeners.Append(consensus);
  int const failed = RUN_ALL_TESTS();
  return failed != 0 || consensus->failed() ? 1 : 0;
}
