#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "framework/runtime/communicator.hpp"
#include "framework/runtime/control_channel.hpp"
#include "framework/runtime/guard.hpp"
#include "framework/runtime/mpi_check.hpp"
#include "framework/runtime/throw_site.hpp"

namespace halocline {

namespace {

constexpr int gather_tag = Communicator::last_tag + 1;

/// A nonblocking collective and its memory. If the wait ends in an exception, or never began, MPI still uses the
/// memory: it is then kept until the program ends.
class Collective {
 public:
  explicit Collective(std::size_t bytes) : memory_(new std::byte[bytes]) {}
  Collective(Collective const&) = delete;
  Collective& operator=(Collective const&) = delete;
  ~Collective() {
    static auto& kept = *new std::vector<std::unique_ptr<std::byte[]>>;
    if (request_ != MPI_REQUEST_NULL) kept.push_back(std::move(memory_));
  }

  [[nodiscard]] std::byte* data() { return memory_.get(); }
  /// For the call that starts it; MPI_REQUEST_NULL before that and after the wait.
  [[nodiscard]] MPI_Request* request() { return &request_; }
  void wait(ControlChannel& control) {
    if (request_ == MPI_REQUEST_NULL) return;
    control.wait_until([this] {
      int done = 0;
      check_mpi(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
      return done != 0;
    });
  }

 private:
  std::unique_ptr<std::byte[]> memory_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

template <class T>
std::vector<T> all_gathered(std::span<T const> mine, int size, MPI_Datatype type, MPI_Comm data,
                            ControlChannel& control) {
  std::size_t const total = mine.size() * static_cast<std::size_t>(size);
  Collective gather((total + mine.size()) * sizeof(T));
  T* const all = reinterpret_cast<T*>(gather.data());
  std::copy(mine.begin(), mine.end(), all + total);
  auto const count = static_cast<int>(mine.size());
  check_mpi(MPI_Iallgather(all + total, count, type, all, count, type, data, gather.request()), "MPI_Iallgather");
  gather.wait(control);
  return {all, all + total};
}

/// Maps doubles to integers of the same order, NaN last: MPI_MAX of a NaN is unspecified. Works on bit patterns and is
/// its own inverse.
Index ordered(Index bits) { return bits < 0 ? bits ^ std::numeric_limits<Index>::max() : bits; }

/// Reduces values by their ordered integers. `nan` replaces every NaN.
template <class Reduce>
void reduce_ordered(std::span<double> values, double nan, Reduce const& reduce) {
  std::vector<Index> keys;
  for (double const value : values) keys.push_back(ordered(std::bit_cast<Index>(std::isnan(value) ? nan : value)));
  reduce(keys);
  for (std::size_t n = 0; n < keys.size(); ++n) values[n] = std::bit_cast<double>(ordered(keys[n]));
}

}  // namespace

struct PendingSum::State {
  State(std::shared_ptr<ControlChannel> its_control, std::size_t its_count)
      : control(std::move(its_control)), count(its_count), sum(count * sizeof(double)) {}

  std::shared_ptr<ControlChannel> control;
  std::size_t count;
  Collective sum;

  [[nodiscard]] double* sums() { return reinterpret_cast<double*>(sum.data()); }
};

std::span<double const> PendingSum::finish() {
  state_->sum.wait(*state_->control);
  return {state_->sums(), state_->count};
}

PendingSum Communicator::start_sum(std::span<double const> values) const {
  throw_site(ThrowSite::reduction);
  auto state = std::make_shared<PendingSum::State>(control_, values.size());
  std::copy(values.begin(), values.end(), state->sums());
  if (size_ == 1) {
    poll();
  } else if (!values.empty()) {
    check_mpi(MPI_Iallreduce(MPI_IN_PLACE, state->sums(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM, data(),
                             state->sum.request()),
              "MPI_Iallreduce");
  }
  return PendingSum(std::move(state));
}

void Communicator::reduce(void* values, std::size_t count, MPI_Datatype type, MPI_Op operation) const {
  throw_site(ThrowSite::reduction);
  if (count == 0) return;
  if (size_ == 1) return poll();
  int item = 0;
  MPI_Type_size(type, &item);
  std::size_t const bytes = count * static_cast<std::size_t>(item);
  Collective all(bytes);
  std::memcpy(all.data(), values, bytes);
  check_mpi(MPI_Iallreduce(MPI_IN_PLACE, all.data(), static_cast<int>(count), type, operation, data(), all.request()),
            "MPI_Iallreduce");
  all.wait(*control_);
  std::memcpy(values, all.data(), bytes);
}

void Communicator::sum(std::span<double> v) const { reduce(v.data(), v.size(), MPI_DOUBLE, MPI_SUM); }
void Communicator::sum(std::span<float> v) const { reduce(v.data(), v.size(), MPI_FLOAT, MPI_SUM); }
void Communicator::sum(std::span<Index> v) const { reduce(v.data(), v.size(), MPI_INT64_T, MPI_SUM); }
void Communicator::max(std::span<double> v) const {
  reduce_ordered(v, std::numeric_limits<double>::quiet_NaN(), [this](std::span<Index> keys) { max(keys); });
}
void Communicator::max(std::span<Index> v) const { reduce(v.data(), v.size(), MPI_INT64_T, MPI_MAX); }
void Communicator::min(std::span<double> v) const {
  // With a negative sign, NaN sorts first.
  reduce_ordered(v, -std::numeric_limits<double>::quiet_NaN(), [this](std::span<Index> keys) { min(keys); });
}
void Communicator::min(std::span<Index> v) const { reduce(v.data(), v.size(), MPI_INT64_T, MPI_MIN); }

bool Communicator::all(bool mine) const { return min(Index{mine}) != 0; }
bool Communicator::any(bool mine) const { return max(Index{mine}) != 0; }

Index Communicator::exscan(Index value) const {
  if (size_ == 1) return poll(), 0;
  Collective sum(sizeof(Index));
  std::memcpy(sum.data(), &value, sizeof(Index));
  check_mpi(MPI_Iexscan(MPI_IN_PLACE, sum.data(), 1, MPI_INT64_T, MPI_SUM, data(), sum.request()), "MPI_Iexscan");
  sum.wait(*control_);
  Index below = 0;
  if (rank_ > 0) std::memcpy(&below, sum.data(), sizeof(Index));
  return below;
}

void Communicator::barrier() const {
  if (size_ == 1) return poll();
  Collective all(0);
  check_mpi(MPI_Ibarrier(data(), all.request()), "MPI_Ibarrier");
  all.wait(*control_);
}

void Communicator::broadcast(std::span<std::byte> bytes, int root) const {
  if (size_ == 1) return poll();
  constexpr std::size_t piece = std::size_t{1} << 30;
  for (std::size_t done = 0; done < bytes.size(); done += piece) {
    std::span<std::byte> const part = bytes.subspan(done, std::min(piece, bytes.size() - done));
    Collective all(part.size());
    if (rank_ == root) std::memcpy(all.data(), part.data(), part.size());
    check_mpi(MPI_Ibcast(all.data(), static_cast<int>(part.size()), MPI_BYTE, root, data(), all.request()),
              "MPI_Ibcast");
    all.wait(*control_);
    if (rank_ != root) std::memcpy(part.data(), all.data(), part.size());
  }
}

void Communicator::broadcast(std::string& text, int root) const {
  auto length = static_cast<Index>(text.size());
  broadcast(std::as_writable_bytes(std::span(&length, 1)), root);
  text.resize(static_cast<std::size_t>(length));
  broadcast(std::as_writable_bytes(std::span(text)), root);
}

std::vector<std::string> Communicator::gather(std::string const& mine, int root) const {
  if (size_ == 1) return poll(), std::vector{mine};
  auto const length = static_cast<Index>(mine.size());
  std::vector<Index> const lengths = all_gather(std::span(&length, 1));
  auto texts = std::make_shared<std::vector<std::string>>();
  if (rank_ != root) {
    texts->push_back(mine);
    complete({send(texts->front().data(), length, root, gather_tag)}, texts);
    return {};
  }
  for (Index const each : lengths) texts->emplace_back(static_cast<std::size_t>(each), '\0');
  std::vector<MPI_Request> requests;
  for (int from = 0; from < size_; ++from) {
    std::string& text = (*texts)[static_cast<std::size_t>(from)];
    if (from != root) requests.push_back(receive(text.data(), static_cast<Index>(text.size()), from, gather_tag));
  }
  complete(std::move(requests), texts);
  (*texts)[static_cast<std::size_t>(root)] = mine;
  return std::move(*texts);
}

std::vector<Index> Communicator::all_gather(std::span<Index const> mine) const {
  if (size_ == 1) return poll(), std::vector<Index>(mine.begin(), mine.end());
  return all_gathered(mine, size_, MPI_INT64_T, data(), *control_);
}

std::vector<double> Communicator::all_gather(std::span<double const> mine) const {
  if (size_ == 1) return poll(), std::vector<double>(mine.begin(), mine.end());
  return all_gathered(mine, size_, MPI_DOUBLE, data(), *control_);
}

void Communicator::agree(std::exception_ptr const& mine) const {
  Index const lowest = min(Index{mine ? rank_ : size_});
  if (lowest == size_) return;
  auto const origin = static_cast<int>(lowest);
  Failure const failure = mine ? describe(mine) : Failure{};
  std::string message = failure.message;
  broadcast(message, origin);
  auto code = static_cast<Index>(failure.code);
  broadcast(std::as_writable_bytes(std::span(&code, 1)), origin);
  if (origin == rank_) std::rethrow_exception(mine);
  throw RemoteError(origin, static_cast<ExitCode>(code), message);
}

}  // namespace halocline
