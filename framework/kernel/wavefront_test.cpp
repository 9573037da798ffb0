#include "framework/kernel/wavefront.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

namespace halocline {
namespace {

/// Counts, for each unknown of a box, the stages that have run on it, and that each stage finds what it reads: the
/// previous stage everywhere within one unknown, and no later one.
class Counter {
 public:
  explicit Counter(IndexRange const& box) : box_(box), done_(static_cast<std::size_t>(box.size())) {}

  static void run(void const* counter, int stage, IndexRange const& piece) {
    static_cast<Counter*>(const_cast<void*>(counter))->count(stage, piece);
  }
  [[nodiscard]] int wrong() const { return wrong_; }
  /// Unknowns on which another number of stages has run.
  [[nodiscard]] int without(int stages) const {
    int found = 0;
    for (auto const& one : done_) found += one == stages ? 0 : 1;
    return found;
  }

 private:
  template <class Action>
  static void for_each(IndexRange const& range, Action const& action) {
    for (Index k = range.begin[2]; k < range.end[2]; ++k) {
      for (Index j = range.begin[1]; j < range.end[1]; ++j) {
        for (Index i = range.begin[0]; i < range.end[0]; ++i) action(i, j, k);
      }
    }
  }
  std::atomic<int>& at(Index i, Index j, Index k) {
    Index const row = (k - box_.begin[2]) * box_.extent(1) + j - box_.begin[1];
    return done_[static_cast<std::size_t>(row * box_.extent(0) + i - box_.begin[0])];
  }
  void count(int stage, IndexRange const& piece) {
    IndexRange around = piece;
    for (std::size_t a = 0; a < 3; ++a) {
      around.begin[a] = std::max(box_.begin[a], piece.begin[a] - 1);
      around.end[a] = std::min(box_.end[a], piece.end[a] + 1);
    }
    for_each(around, [&](Index i, Index j, Index k) {
      int const stages = at(i, j, k);
      if (stages < stage || stages > stage + 1) ++wrong_;
    });
    for_each(piece, [&](Index i, Index j, Index k) {
      if (at(i, j, k)++ != stage) ++wrong_;
    });
  }

  IndexRange box_;
  std::vector<std::atomic<int>> done_;
  std::atomic<int> wrong_ = 0;
};

/// One pass of `stages` stages over a wavefront, in which the last one may be aligned.
void expect_all_stages_once(Wavefront const& wavefront, int stages, bool last_is_aligned, std::string const& what) {
  Counter counter(wavefront.box);
  WavefrontPass const pass{.first = 0, .last = stages, .aligned_stage = last_is_aligned ? stages - 1 : -1};
  run_wavefront_interior(wavefront, pass, &counter, &Counter::run);
  for (int stage = 0; stage < stages; ++stage) run_wavefront_shell(wavefront, pass, stage, &counter, &Counter::run);
  EXPECT_EQ(counter.wrong(), 0) << what;
  EXPECT_EQ(counter.without(stages), 0) << what;
}

std::string text_of(Extents const& size, int stages, int open) {
  return std::to_string(size[0]) + " x " + std::to_string(size[1]) + " x " + std::to_string(size[2]) + ", " +
         std::to_string(stages) + " stages, open sides " + std::to_string(open);
}

/// The bits of `open` are the lower and upper sides of each axis.
Wavefront wavefront_of(Extents const& size, int axis, int open, Index bytes) {
  Wavefront wavefront{
      .box = {{-1, 2, 0}, {size[0] - 1, size[1] + 2, size[2]}}, .axis = axis, .bytes_per_unknown = bytes};
  for (std::size_t a = 0; a <= static_cast<std::size_t>(axis); ++a)
    wavefront.open[a] = {(open >> (2 * a) & 1) != 0, (open >> (2 * a + 1) & 1) != 0};
  return wavefront;
}

TEST(Wavefront, RunsEachStageOnceAfterWhatItReads) {
  struct Case {
    Extents size;
    int axis;
  };
  // The last two are large enough for several threads.
  for (auto const& [size, axis] :
       {Case{{1, 1, 1}, 0}, Case{{2, 1, 1}, 0}, Case{{97, 1, 1}, 0}, Case{{1, 2, 1}, 1}, Case{{13, 11, 1}, 1},
        Case{{2, 3, 5}, 2}, Case{{7, 23, 19}, 2}, Case{{127, 131, 1}, 1}, Case{{29, 31, 37}, 2}}) {
    for (int const open : {0, 1, 2, 3, 20, 63}) {
      for (int stages = 1; stages <= 6; ++stages) {
        expect_all_stages_once(wavefront_of(size, axis, open, 32), stages, false, text_of(size, stages, open));
      }
    }
  }
}

TEST(Wavefront, TilesAreSkewedLikeTheFront) {
  Wavefront const wavefront = wavefront_of({7, 67, 11}, 2, 21, 1 << 16);
  ASSERT_GT(wavefront.tiles(4).size(), 3U);
  for (int stages = 1; stages <= 4; ++stages) expect_all_stages_once(wavefront, stages, false, std::to_string(stages));
}

TEST(Wavefront, AnAlignedStageRunsOnWholePairs) {
  for (int const open : {0, 21, 42, 63}) {
    for (int const stages : {1, 3, 5}) {
      Wavefront wavefront = wavefront_of({14, 12, 18}, 2, open, 32);
      wavefront.alignment = {2, 2, 1};
      IndexRange const inner = wavefront.interior(stages - 1, true);
      for (std::size_t a = 0; a < 2; ++a) {
        EXPECT_EQ((inner.begin[a] - wavefront.box.begin[a]) % 2, 0);
        EXPECT_EQ((inner.end[a] - wavefront.box.begin[a]) % 2, 0);
      }
      expect_all_stages_once(wavefront, stages, true, text_of({14, 12, 18}, stages, open));
    }
  }
}

}  // namespace
}  // namespace halocline
