#include "framework/halo/cuda/part_copies.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <string>
#include <utility>

#include "framework/halo/box_messages.hpp"
#include "framework/runtime/round_up.hpp"

namespace halocline {
namespace {

template <class T>
using OnDevice = Kokkos::View<T*, Kokkos::CudaSpace>;

template <class T>
std::vector<T> on_host(OnDevice<T> const& view) {
  std::vector<T> values(view.extent(0));
  Kokkos::deep_copy(Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(values.data(), values.size()), view);
  return values;
}
template <class T>
OnDevice<T> on_device(std::vector<T> const& values) {
  OnDevice<T> const view("test", values.size());
  Kokkos::deep_copy(view,
                    Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(values.data(), values.size()));
  return view;
}

/// A channel to this process itself: what it sends it receives, in two alternating buffers.
class Loop final : public Channel {
 public:
  explicit Loop(std::vector<Message> messages) : messages_(std::move(messages)) {
    for (Message const& message : messages_) {
      for (int place = 0; place < 2; ++place) {
        memory_.emplace_back("memory", static_cast<std::size_t>((inside(message) ? 2 : 1) * message.bytes));
        flags_.emplace_back("flags",
                            static_cast<std::size_t>(message.bytes / part_bytes(message.bytes) + message.boxes));
      }
    }
  }
  std::byte* send_memory(std::size_t n) override { return memory_[2 * n + use_ % 2].data(); }
  std::byte* receive_memory(std::size_t n) override { return send_memory(n); }
  PartFlags send_flags(std::size_t n) override {
    if (inside(messages_[n])) return {.parts = nullptr, .inside = true};
    return {.parts = flags_[2 * n + use_ % 2].data()};
  }
  PartFlags receive_flags(std::size_t n) override {
    PartFlags flags = send_flags(n);
    flags.closed = closed_.data();
    return flags;
  }
  void expect() override { ++use_; }
  void send() override {}
  bool progress() override { return true; }
  void receive() override {}

 private:
  static bool inside(Message const& message) { return flags_inside(message.bytes); }

  std::vector<Message> messages_;
  std::vector<OnDevice<std::byte>> memory_;
  std::vector<OnDevice<std::uint32_t>> flags_;
  OnDevice<std::uint32_t> closed_{"closed", 1};
  std::size_t use_ = 0;
};

/// A box of a field that is sent to another field in a message of its own.
struct Journey {
  Index extents[3];
  Index row;
  Index plane;
  Index first;
};

/// Boxes of awkward sizes, aligned and not, of one part and of many.
std::vector<Journey> journeys() {
  return {{{1, 1, 1}, 1, 1, 0},
          {{2, 1, 1}, 2, 2, 3},
          {{4, 3, 5}, 7, 29, 1},
          {{4, 1031, 1}, 16, 16 * 1040, 0},
          {{1, 127, 131}, 16, 16 * 130, 5},
          {{128, 64, 4}, 144, 144 * 70, 16},
          {{1023, 67, 3}, 1040, 1040 * 68, 32},
          {{1024, 512, 4}, 1040, 1040 * 520, 16}};
}

struct Circumstances {
  bool at_once = false;     ///< one kernel for outgoing and incoming boxes
  bool together = false;    ///< all boxes in one message
  bool same_layout = true;  ///< of the fields at both ends
  std::size_t more_buffers = 0;
};

template <class Real>
void expect_all_arrive(std::vector<Journey> const& all, Circumstances const& circumstances) {
  std::vector<OnDevice<Real>> from;
  std::vector<OnDevice<Real>> to;
  std::vector<Journey> arrivals = all;
  std::size_t const count = all.size();
  BoxMessagesPlan plan;
  plan.sends.resize(circumstances.together ? 1 : count, {.rank = 0, .bytes = 0, .boxes = 0});
  plan.first_send_buffer = 2 * count + circumstances.more_buffers;
  plan.first_receive_buffer = plan.first_send_buffer + plan.sends.size();
  plan.buffers = plan.first_receive_buffer + plan.sends.size();
  for (std::size_t n = 0; n < count; ++n) {
    Journey const& journey = all[n];
    Journey& arrival = arrivals[n];
    if (!circumstances.same_layout) {
      arrival.first += 1;
      arrival.row += 3;
      arrival.plane = arrival.row * (journey.extents[1] + 2);
    }
    for (auto const& [fields, at] : {std::pair{&from, &journey}, {&to, &arrival}}) {
      fields->emplace_back("field", static_cast<std::size_t>(at->first + at->plane * at->extents[2]));
    }
    std::size_t const m = circumstances.together ? 0 : n;
    Message& message = plan.sends[m];
    BoxCopy copy;
    std::copy_n(journey.extents, 3, copy.extents);
    copy.bytes_per_entry = sizeof(Real);
    BoxPlace const packed{static_cast<int>(plan.first_send_buffer + m), message.bytes / Index{sizeof(Real)},
                          copy.extents[0], copy.extents[0] * copy.extents[1]};
    copy.from = {static_cast<int>(n), journey.first, journey.row, journey.plane};
    copy.to = packed;
    plan.outgoing.push_back(copy);
    copy.from = packed;
    copy.from.buffer += static_cast<int>(plan.sends.size());
    copy.to = {static_cast<int>(count + n), arrival.first, arrival.row, arrival.plane};
    plan.incoming.push_back(copy);
    message.bytes += round_up(copy.entries() * Index{sizeof(Real)}, 16);  // as plans do
    ++message.boxes;
  }
  plan.receives = plan.sends;
  BoxMessages messages(plan, std::make_unique<Loop>(plan.sends));
  for (std::size_t n = 0; n < count; ++n) {
    messages.buffers().set(n, from[n].data());
    messages.buffers().set(count + n, to[n].data());
  }
  Execution const execution;
  for (int use = 0; use < 5; ++use) {
    for (std::size_t n = 0; n < count; ++n) {
      std::vector<Real> values(from[n].extent(0));
      std::iota(values.begin(), values.end(), static_cast<Real>(n + 100 * static_cast<std::size_t>(use)));
      Kokkos::deep_copy(from[n], on_device(values));
      Kokkos::deep_copy(execution, to[n], Real{-1});
    }
    if (circumstances.at_once) {
      messages.exchange(execution);
    } else {
      messages.start(execution);
      messages.finish(execution);
    }
    for (std::size_t n = 0; n < count; ++n) {
      std::vector<Real> const sent = on_host(from[n]);
      std::vector<Real> expected(to[n].extent(0), Real{-1});
      Journey const& journey = all[n];
      for (Index k = 0; k < journey.extents[2]; ++k) {
        for (Index j = 0; j < journey.extents[1]; ++j) {
          for (Index i = 0; i < journey.extents[0]; ++i) {
            auto const place = [&](Journey const& at) {
              return static_cast<std::size_t>(at.first + i + j * at.row + k * at.plane);
            };
            expected[place(arrivals[n])] = sent[place(journey)];
          }
        }
      }
      EXPECT_EQ(on_host(to[n]) == expected, true) << "journey " << n << ", use " << use;
    }
  }
}

class PartCopies : public testing::TestWithParam<Circumstances> {};
INSTANTIATE_TEST_SUITE_P(Always, PartCopies, testing::ValuesIn([] {
                           std::vector<Circumstances> all;
                           for (bool const at_once : {false, true}) {
                             for (bool const together : {false, true}) {
                               for (bool const same_layout : {false, true}) {
                                 for (std::size_t const more_buffers :
                                      {0, 15, 200}) {  // fits into a small launch, into a large one, into none
                                   all.push_back({at_once, together, same_layout, more_buffers});
                                 }
                               }
                             }
                           }
                           return all;
                         }()),
                         [](auto const& test) {
                           Circumstances const& c = test.param;
                           return std::string(c.at_once ? "AtOnce" : "OneByOne") + (c.together ? "Together" : "Apart") +
                                  (c.same_layout ? "" : "ElsewhereLaidOut") + std::to_string(c.more_buffers) +
                                  "MoreBuffers";
                         });

TEST_P(PartCopies, BringWhatWasSent) {
  expect_all_arrive<float>(journeys(), GetParam());
  expect_all_arrive<double>(journeys(), GetParam());
  for (Journey const& one : journeys()) expect_all_arrive<float>({one}, GetParam());
}

/// A wait for a part that never arrives ends when the sender closes the connection or the time limit passes.
TEST(PartCopiesAlone, DoNotWaitForEver) {
  for (Index const entries : {Index{1000}, Index{100000}}) {
    bool const inside = flags_inside(4 * entries);
    EXPECT_EQ(inside, entries == 1000);
    auto const count = static_cast<std::size_t>(2 * entries);
    OnDevice<float> const message("message", count);
    OnDevice<float> const field("field", count);
    OnDevice<std::uint32_t> const flags("flags", count);
    OnDevice<std::uint32_t> const closed("closed", 1);
    BoxCopy copy;
    copy.extents[0] = entries;
    copy.bytes_per_entry = 4;
    copy.from.buffer = 1;
    BoxCopies const incoming({copy}, {{1, 4 * entries}});
    BoxBuffers buffers(2);
    buffers.set(0, field.data());
    buffers.set(1, message.data(),
                {.parts = inside ? nullptr : flags.data(), .inside = inside, .closed = closed.data()});
    Execution const execution;

    using Clock = std::chrono::steady_clock;
    buffers.set_timeout(20'000'000);
    auto const begin = Clock::now();
    incoming.run(execution, buffers);
    execution.fence();
    EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(20));

    buffers.set_timeout(0);
    Kokkos::deep_copy(closed, 1);
    incoming.run(execution, buffers);
    execution.fence();  // returns
  }
}

}  // namespace
}  // namespace halocline
