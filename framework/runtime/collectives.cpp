#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "framework/runtime/communicator.hpp"
#include "framework/runtime/control_channel.hpp"
#include "framework/runtime/failure.hpp"
#include "framework/runtime/mpi_check.hpp"
#include "framework/runtime/throw_site.hpp"

namespace halocline {

namespace {

constexpr int gather_tag = Communicator::last_tag + 1;

/// Memory of a nonblocking collective. MPI goes on using it when the wait for it ends in an exception: it is then kept.
class CollectiveBuffer {
 public:
  explicit CollectiveBuffer(std::size_t bytes) : memory_(new std::byte[bytes]) {}
  [[nodiscard]] std::byte* data() { return memory_.get(); }

  void wait(ControlChannel& control, MPI_Request request) {
    try {
      Rhythm rhythm(control);
      int done = 0;
      while (true) {
        check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        if (done != 0) return;
        rhythm.pause();
      }
    } catch (...) {
      keep();
      throw;
    }
  }

  /// To the program's end.
  void keep() {
    static auto& kept = *new std::vector<std::unique_ptr<std::byte[]>>;
    kept.push_back(std::move(memory_));
  }

 private:
  std::unique_ptr<std::byte[]> memory_;
};

template <class T>
std::vector<T> all_gathered(std::span<T const> mine, int size, MPI_Datatype type, MPI_Comm data,
                            ControlChannel& control) {
  std::size_t const total = mine.size() * static_cast<std::size_t>(size);
  CollectiveBuffer buffer((total + mine.size()) * sizeof(T));
  T* const all = reinterpret_cast<T*>(buffer.data());
  std::copy(mine.begin(), mine.end(), all + total);
  MPI_Request request = MPI_REQUEST_NULL;
  auto const count = static_cast<int>(mine.size());
  check_mpi(MPI_Iallgather(all + total, count, type, all, count, type, data, &request), "MPI_Iallgather");
  buffer.wait(control, request);
  return {all, all + total};
}

/// Integers in the order of the doubles they stand for, NaN last: MPI leaves open what MPI_MAX makes of a NaN. Its own
/// inverse, on bit patterns.
Index ordered(Index bits) { return bits < 0 ? bits ^ std::numeric_limits<Index>::max() : bits; }

std::vector<Index> ordered_keys(std::span<double const> values, double nan) {
  std::vector<Index> keys;
  for (double const value : values) keys.push_back(ordered(std::bit_cast<Index>(std::isnan(value) ? nan : value)));
  return keys;
}

void set_from_keys(std::span<Index const> keys, std::span<double> values) {
  for (std::size_t n = 0; n < keys.size(); ++n) values[n] = std::bit_cast<double>(ordered(keys[n]));
}

}  // namespace

struct PendingSum::State {
  std::shared_ptr<ControlChannel> control;
  CollectiveBuffer buffer;
  std::size_t count;
  MPI_Request request = MPI_REQUEST_NULL;

  [[nodiscard]] double* sums() { return reinterpret_cast<double*>(buffer.data()); }
};

PendingSum::PendingSum(std::unique_ptr<State> state) : state_(std::move(state)) {}
PendingSum::PendingSum(PendingSum&&) noexcept = default;

PendingSum& PendingSum::operator=(PendingSum&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

PendingSum::~PendingSum() {
  if (state_ != nullptr && state_->request != MPI_REQUEST_NULL) state_->buffer.keep();
}

std::span<double const> PendingSum::finish() {
  if (state_->request != MPI_REQUEST_NULL) {
    state_->buffer.wait(*state_->control, std::exchange(state_->request, MPI_REQUEST_NULL));
  }
  return {state_->sums(), state_->count};
}

PendingSum Communicator::start_sum(std::span<double const> values) const {
  throw_site(ThrowSite::reduction);
  std::unique_ptr<PendingSum::State> state(
      new PendingSum::State{control_, CollectiveBuffer(values.size() * sizeof(double)), values.size()});
  std::copy(values.begin(), values.end(), state->sums());
  if (size_ == 1) {
    poll();
  } else if (!values.empty()) {
    check_mpi(MPI_Iallreduce(MPI_IN_PLACE, state->sums(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM, data_,
                             &state->request),
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
  CollectiveBuffer buffer(bytes);
  std::memcpy(buffer.data(), values, bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(MPI_IN_PLACE, buffer.data(), static_cast<int>(count), type, operation, data_, &request),
            "MPI_Iallreduce");
  buffer.wait(*control_, request);
  std::memcpy(values, buffer.data(), bytes);
}

void Communicator::sum(std::span<double> v) const { reduce(v.data(), v.size(), MPI_DOUBLE, MPI_SUM); }
void Communicator::sum(std::span<float> v) const { reduce(v.data(), v.size(), MPI_FLOAT, MPI_SUM); }
void Communicator::sum(std::span<Index> v) const { reduce(v.data(), v.size(), MPI_INT64_T, MPI_SUM); }
void Communicator::max(std::span<double> v) const {
  std::vector<Index> keys = ordered_keys(v, std::numeric_limits<double>::quiet_NaN());
  max(keys);
  set_from_keys(keys, v);
}
void Communicator::max(std::span<Index> v) const { reduce(v.data(), v.size(), MPI_INT64_T, MPI_MAX); }
void Communicator::min(std::span<double> v) const {
  // The sign makes it the first of all.
  std::vector<Index> keys = ordered_keys(v, -std::numeric_limits<double>::quiet_NaN());
  min(keys);
  set_from_keys(keys, v);
}
void Communicator::min(std::span<Index> v) const { reduce(v.data(), v.size(), MPI_INT64_T, MPI_MIN); }

bool Communicator::all(bool mine) const { return min(Index{mine}) != 0; }
bool Communicator::any(bool mine) const { return max(Index{mine}) != 0; }

Index Communicator::exscan(Index value) const {
  if (size_ == 1) return poll(), 0;
  CollectiveBuffer buffer(sizeof(Index));
  std::memcpy(buffer.data(), &value, sizeof(Index));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iexscan(MPI_IN_PLACE, buffer.data(), 1, MPI_INT64_T, MPI_SUM, data_, &request), "MPI_Iexscan");
  buffer.wait(*control_, request);
  Index below = 0;
  if (rank_ > 0) std::memcpy(&below, buffer.data(), sizeof(Index));
  return below;
}

void Communicator::barrier() const {
  if (size_ == 1) return poll();
  CollectiveBuffer buffer(0);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(data_, &request), "MPI_Ibarrier");
  buffer.wait(*control_, request);
}

void Communicator::broadcast(std::span<std::byte> bytes, int root) const {
  if (size_ == 1) return poll();
  constexpr std::size_t piece = std::size_t{1} << 30;
  for (std::size_t done = 0; done < bytes.size(); done += piece) {
    std::span<std::byte> const part = bytes.subspan(done, std::min(piece, bytes.size() - done));
    CollectiveBuffer buffer(part.size());
    if (rank_ == root) std::memcpy(buffer.data(), part.data(), part.size());
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Ibcast(buffer.data(), static_cast<int>(part.size()), MPI_BYTE, root, data_, &request), "MPI_Ibcast");
    buffer.wait(*control_, request);
    if (rank_ != root) std::memcpy(part.data(), buffer.data(), part.size());
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
  std::vector<MPI_Request> requests;
  try {
    if (rank_ == root) {
      for (int from = 0; from < size_; ++from) {
        texts->emplace_back(static_cast<std::size_t>(lengths[static_cast<std::size_t>(from)]), '\0');
      }
      for (int from = 0; from < size_; ++from) {
        std::string& text = (*texts)[static_cast<std::size_t>(from)];
        if (from != root) requests.push_back(receive(text.data(), static_cast<Index>(text.size()), from, gather_tag));
      }
      (*texts)[static_cast<std::size_t>(root)] = mine;
    } else {
      texts->push_back(mine);
      requests.push_back(send(texts->front().data(), length, root, gather_tag));
    }
    wait_all(requests);
  } catch (...) {
    abandon(requests, texts);
    throw;
  }
  return rank_ == root ? std::move(*texts) : std::vector<std::string>{};
}

std::vector<Index> Communicator::all_gather(std::span<Index const> mine) const {
  if (size_ == 1) return poll(), std::vector<Index>(mine.begin(), mine.end());
  return all_gathered(mine, size_, MPI_INT64_T, data_, *control_);
}

std::vector<double> Communicator::all_gather(std::span<double const> mine) const {
  if (size_ == 1) return poll(), std::vector<double>(mine.begin(), mine.end());
  return all_gathered(mine, size_, MPI_DOUBLE, data_, *control_);
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
