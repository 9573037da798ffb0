#include "framework/runtime/control_channel.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <thread>

#include "framework/runtime/index.hpp"
#include "framework/runtime/mpi_check.hpp"

namespace halocline {

namespace {

constexpr int news_tag = 0;
/// News fits into an eager message, so that sending never waits for memory on the receiver; the verdict carries the
/// complete text.
constexpr std::size_t news_limit = 1024;

std::string encode(Failure const& failure) {
  return std::to_string(static_cast<int>(failure.code)) + ' ' + failure.message.substr(0, news_limit);
}

Failure decode(std::string const& text, int origin) {
  std::size_t const space = text.find(' ');
  return {static_cast<ExitCode>(std::stoi(text.substr(0, space))), text.substr(space + 1), origin};
}

}  // namespace

/// The time limit applies only after a failure is known; until then a rank that returned waits for the others without
/// limit.
class ControlChannel::LimitedWait {
 public:
  LimitedWait(ControlChannel& channel, bool failed, std::chrono::milliseconds limit)
      : channel_(channel), running_(failed), limit_(limit), start_(std::chrono::steady_clock::now()) {}

  /// Receives news until `finished` (returns true) or out of time (returns false).
  [[nodiscard]] bool until(auto&& finished) {
    Waiting waiting(channel_.crowded);
    while (!finished()) {
      channel_.receive_news();
      auto const now = std::chrono::steady_clock::now();
      if (!running_ && channel_.known_) {
        running_ = true;
        start_ = now;
      }
      if (running_ && now - start_ > limit_) return false;
      waiting.pause();
    }
    return true;
  }

  /// The same for a nonblocking collective on `buffer`, which is left to MPI when time runs out.
  template <class Buffer>
  [[nodiscard]] bool until(MPI_Request request, std::unique_ptr<Buffer>& buffer) {
    bool const finished = until([&] {
      int done = 0;
      check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
      return done != 0;
    });
    if (!finished) static_cast<void>(buffer.release());
    return finished;  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): MPI writes there when it is late
  }

 private:
  ControlChannel& channel_;
  bool running_;
  std::chrono::milliseconds limit_;
  std::chrono::steady_clock::time_point start_;
};

ControlChannel::ControlChannel(MPI_Comm parent) {
  news_ = duplicate(parent);
  consensus_ = duplicate(parent);
  MPI_Comm_rank(news_, &rank_);
  MPI_Comm_size(news_, &size_);
  sends_.assign(static_cast<std::size_t>(size_), MPI_REQUEST_NULL);
}

ControlChannel::~ControlChannel() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  bool const in_flight = std::any_of(sends_.begin(), sends_.end(), [](MPI_Request r) { return r != MPI_REQUEST_NULL; });
  if (finalized != 0 || in_flight || news_ == MPI_COMM_NULL) return;
  MPI_Comm_free(&news_);
  MPI_Comm_free(&consensus_);
}

void ControlChannel::poll() {
  if (!known_ && size_ > 1) receive_news();
  if (known_) throw RemoteError(known_->origin, known_->code, known_->message);
}

void ControlChannel::receive_news() {
  while (true) {
    int waiting = 0;
    MPI_Status status;
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, news_tag, news_, &waiting, &status), "MPI_Iprobe");
    if (waiting == 0) return;
    int length = 0;
    MPI_Get_count(&status, MPI_CHAR, &length);
    std::string text(static_cast<std::size_t>(length), '\0');
    check_mpi(MPI_Recv(text.data(), length, MPI_CHAR, status.MPI_SOURCE, news_tag, news_, MPI_STATUS_IGNORE),
              "MPI_Recv");
    if (!known_ || status.MPI_SOURCE < known_->origin) known_ = decode(text, status.MPI_SOURCE);
  }
}

void ControlChannel::report(Failure const& failure) {
  outgoing_ = encode(failure);
  for (int to = 0; to < size_; ++to) {
    if (to == rank_) continue;
    check_mpi(MPI_Issend(outgoing_.data(), static_cast<int>(outgoing_.size()), MPI_CHAR, to, news_tag, news_,
                         &sends_[static_cast<std::size_t>(to)]),
              "MPI_Issend");
  }
}

bool ControlChannel::sends_done() {
  int done = 0;
  check_mpi(MPI_Testall(size_, sends_.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
  return done != 0;
}

Verdict ControlChannel::settle(std::optional<Failure> const& failure, ExitCode code, GuardOptions const& options) {
  if (size_ == 1) {
    if (!failure) return {code, -1, "", false};
    broken_ = true;
    known_ = Failure{failure->code, failure->message, rank_};
    return {failure->code, rank_, failure->message, false};
  }
  Failure const* const left_with = failure ? &*failure : nullptr;
  LimitedWait wait(*this, failure.has_value(), options.deadline);
  // A RemoteError repeats what its origin has already sent to every rank.
  if (failure && failure->origin < 0) report(*failure);
  Verdict verdict;
  bool const settled = wait.until([this] { return sends_done(); }) && elect(left_with, code, wait, verdict) &&
                       publish(left_with, wait, verdict);
  if (!settled) return give_up(failure, options);
  if (verdict.origin >= 0) {
    broken_ = true;
    known_ = Failure{verdict.code, verdict.message, verdict.origin};
  }
  return verdict;
}

bool ControlChannel::elect(Failure const* failure, ExitCode code, LimitedWait& wait, Verdict& verdict) {
  // The smallest vote wins: a rank that failed itself, else one that repeats a failure, else none.
  bool const repeats = failure != nullptr && failure->origin >= 0;
  Index const vote = failure == nullptr ? 2 * size_ : (repeats ? size_ + rank_ : rank_);
  auto ballot = std::make_unique<std::array<Index, 2>>(std::array<Index, 2>{vote, -static_cast<Index>(code)});
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(MPI_IN_PLACE, ballot->data(), 2, MPI_INT64_T, MPI_MIN, consensus_, &request),
            "MPI_Iallreduce");
  if (!wait.until(request, ballot)) return false;
  verdict.origin = (*ballot)[0] == 2 * size_ ? -1 : static_cast<int>((*ballot)[0] % size_);
  verdict.code = static_cast<ExitCode>(-(*ballot)[1]);
  return true;
}

bool ControlChannel::publish(Failure const* failure, LimitedWait& wait, Verdict& verdict) {
  if (verdict.origin < 0) return true;
  auto head = std::make_unique<std::array<Index, 2>>();
  auto text = std::make_unique<std::string>();
  if (verdict.origin == rank_ && failure != nullptr) {
    *text = failure->message;
    *head = {static_cast<Index>(failure->code), static_cast<Index>(text->size())};
  }
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibcast(head->data(), 2, MPI_INT64_T, verdict.origin, consensus_, &request), "MPI_Ibcast");
  if (!wait.until(request, head)) return false;
  verdict.code = static_cast<ExitCode>((*head)[0]);
  text->resize(static_cast<std::size_t>((*head)[1]));
  check_mpi(MPI_Ibcast(text->data(), static_cast<int>(text->size()), MPI_CHAR, verdict.origin, consensus_, &request),
            "MPI_Ibcast");
  if (!wait.until(request, text)) return false;
  verdict.message = *text;
  return true;
}

Verdict ControlChannel::give_up(std::optional<Failure> const& failure, GuardOptions const& options) {
  broken_ = true;
  bool const own = failure && failure->origin < 0;
  bool const speaks = own && (!known_ || rank_ < known_->origin);
  Failure const& cause = speaks || !known_ ? *failure : *known_;
  std::string silent;
  for (int to = 0; to < size_; ++to) {
    if (sends_[static_cast<std::size_t>(to)] != MPI_REQUEST_NULL)
      silent += (silent.empty() ? "" : ", ") + std::to_string(to);
  }
  std::string const remark = silent.empty() ? "" : " (no answer from rank " + silent + ")";
  Verdict verdict{cause.code, speaks ? rank_ : cause.origin, cause.message + remark, true};
  known_ = Failure{verdict.code, verdict.message, verdict.origin};
  // The rank that failed ends the program; the others do so only if it does not.
  if (!speaks) std::this_thread::sleep_for(options.deadline / 2);
  if (options.abort) options.abort(verdict);
  return verdict;
}

MPI_Comm duplicate(MPI_Comm parent) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Comm_idup(parent, &copy, &request), "MPI_Comm_idup");
  wait_patiently(request);
  MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  return copy;
}

}  // namespace halocline
