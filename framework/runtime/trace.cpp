#include "framework/runtime/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "framework/runtime/communicator.hpp"
#include "framework/runtime/device_timeline.hpp"

namespace halocline::trace {
namespace {

struct Span {
  char const* name;
  Clock::time_point begin;
  Clock::time_point end;
  bool message;
};

struct Recording {
  bool on = false;
  std::size_t most = 0;
  Clock::time_point start;
  std::vector<Span> spans;
  Index lost = 0;
};
Recording& recording() {
  static Recording one;
  return one;
}

void keep(Span const& span) {
  Recording& mine = recording();
  if (!mine.on) return;
  if (mine.spans.size() < mine.most) {
    mine.spans.push_back(span);
  } else {
    ++mine.lost;
  }
}

double seconds_since_epoch(Clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

constexpr int tag = 2;
constexpr int trials = 8;

void send_time(Communicator const& communicator, int rank, double time) {
  auto const sent = std::make_shared<double>(time);
  communicator.complete({communicator.send(sent.get(), sizeof(double), rank, tag)}, sent);
}

double receive_time(Communicator const& communicator, int rank) {
  auto const received = std::make_shared<double>(0);
  communicator.complete({communicator.receive(received.get(), sizeof(double), rank, tag)}, received);
  return *received;
}

/// Rank 0 queries the clock of `rank`: its offset to rank 0's clock, from the message with the shortest round trip.
double ask_clock(Communicator const& communicator, int rank) {
  double ahead = 0;
  double quickest = -1;
  for (int trial = 0; trial < trials; ++trial) {
    double const asked = seconds_since_epoch(Clock::now());
    send_time(communicator, rank, asked);
    double const theirs = receive_time(communicator, rank);
    double const answered = seconds_since_epoch(Clock::now());
    if (quickest >= 0 && answered - asked >= quickest) continue;
    quickest = answered - asked;
    ahead = theirs - (asked + answered) / 2;
  }
  return ahead;
}

void send_clock(Communicator const& communicator) {
  for (int trial = 0; trial < trials; ++trial) {
    static_cast<void>(receive_time(communicator, 0));
    send_time(communicator, 0, seconds_since_epoch(Clock::now()));
  }
}

/// Offset of this rank's clock to rank 0's. All ranks of a host share one clock.
double clock_ahead(Communicator const& communicator) {
  bool const elsewhere = communicator.host() != communicator.host_of(0);
  if (elsewhere) send_clock(communicator);
  std::vector<double> ahead(static_cast<std::size_t>(communicator.size()));
  if (communicator.rank() == 0) {
    for (int rank = 1; rank < communicator.size(); ++rank) {
      if (communicator.host_of(rank) == communicator.host()) continue;
      ahead[static_cast<std::size_t>(rank)] = ask_clock(communicator, rank);
    }
  }
  communicator.sum(ahead);
  return ahead[static_cast<std::size_t>(communicator.rank())];
}

/// The events of this rank, each followed by a comma.
std::string events(Recording const& mine, std::vector<DeviceSpan> const& device, int rank, double ahead, double start) {
  std::string text;
  auto out = std::back_inserter(text);
  auto const microseconds = [&](Clock::time_point time) { return 1e6 * (seconds_since_epoch(time) - ahead - start); };
  fmt::format_to(out,
                 R"({{"ph":"M","name":"process_name","pid":{0},"args":{{"name":"rank {0}"}}}},)"
                 "\n",
                 rank);
  fmt::format_to(out,
                 R"({{"ph":"M","name":"process_sort_index","pid":{0},"args":{{"sort_index":{0}}}}},)"
                 "\n",
                 rank);
  Index number = 0;
  for (Span const& span : mine.spans) {
    double const begin = microseconds(span.begin);
    double const end = microseconds(span.end);
    if (span.message) {
      for (auto const& [phase, time] : {std::pair{'b', begin}, std::pair{'e', end}}) {
        fmt::format_to(out,
                       R"({{"ph":"{}","cat":"messages","name":"{}","id":"{}.{}","pid":{},"tid":0,"ts":{:.3f}}},)"
                       "\n",
                       phase, span.name, rank, number, rank, time);
      }
      ++number;
    } else {
      fmt::format_to(out,
                     R"({{"ph":"X","name":"{}","pid":{},"tid":0,"ts":{:.3f},"dur":{:.3f}}},)"
                     "\n",
                     span.name, rank, begin, end - begin);
    }
  }
  if (device.empty()) return text;
  constexpr char const* threads[] = {"host", "device: sweeps", "device: messages"};
  for (int thread = 0; thread < 3; ++thread) {
    fmt::format_to(out,
                   R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"{}"}}}},)"
                   "\n",
                   rank, thread, threads[thread]);
  }
  for (DeviceSpan const& span : device) {
    double const begin = microseconds(span.begin);
    fmt::format_to(out,
                   R"({{"ph":"X","cat":"device","name":"{}","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f}}},)"
                   "\n",
                   span.name, rank, span.beside ? 2 : 1, begin, microseconds(span.end) - begin);
  }
  return text;
}

}  // namespace

void start(std::size_t most) {
  recording() = {.on = true, .most = most, .start = Clock::now(), .spans = {}, .lost = 0};
  start_device_timeline();
}
bool is_on() { return recording().on; }

void add(char const* name, Clock::time_point begin, Clock::time_point end) { keep({name, begin, end, false}); }
void add_message(char const* name, Clock::time_point begin, Clock::time_point end) { keep({name, begin, end, true}); }

std::string merged(Communicator const& communicator) {
  Recording const mine = std::exchange(recording(), {});
  DeviceTimeline const device = take_device_timeline();
  double const ahead = clock_ahead(communicator);
  double const start = communicator.min(seconds_since_epoch(mine.start) - ahead);
  Index const lost = communicator.sum(mine.lost + device.lost);
  std::vector<std::string> const all =
      communicator.gather(events(mine, device.spans, communicator.rank(), ahead, start));
  if (communicator.rank() != 0) return {};
  std::string text = "{\"displayTimeUnit\":\"ms\",\n";
  fmt::format_to(std::back_inserter(text), "\"otherData\":{{\"spans beyond those that are kept\":{}}},\n", lost);
  text += "\"traceEvents\":[\n";
  for (std::string const& of_rank : all) text += of_rank;
  // No comma after the last event.
  text.resize(text.size() - 2);
  return text + "\n]}\n";
}

}  // namespace halocline::trace
