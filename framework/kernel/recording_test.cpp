#include "framework/kernel/recording.hpp"

#include <gtest/gtest.h>

#include "framework/kernel/test_sweeps.hpp"

namespace halocline {
namespace {

using namespace kernel_test;

/// Declares less than it reads.
template <Shape Declared>
struct Diagonal {
  static constexpr Shape shape = Declared;
  template <class P, class U, class K>
  KOKKOS_FUNCTION double operator()(P const&, U const& u, K const& k) const {
    return u[here] + k[Offset<1, -1>{}] + k[along<2, 2>];
  }
};

TEST(RecordingTest, ReadsWithinTheShapePass) {
  EXPECT_TRUE((reads_within_shape<1>(StarSum<double, 3>{1.0})))
      << reads_within_shape<1>(StarSum<double, 3>{1.0}).message;
  EXPECT_TRUE((reads_within_shape<1, float>(BoxSum<float>{1.0F})));
  EXPECT_TRUE(reads_within_shape<2>(Diagonal<box<2>>{}));
}

TEST(RecordingTest, AReadOutsideIsNamed) {
  EXPECT_EQ(reads_within_shape<2>(Diagonal<star<2>>{}).message,
            "input 1 is read at offset (1, -1, 0), outside of the declared shape star<2, 3>");
  EXPECT_EQ(reads_within_shape<2>(Diagonal<box<1>>{}).message,
            "input 1 is read at offset (0, 0, 2), outside of the declared shape box<1, 3>");
  EXPECT_FALSE(reads_within_shape<2>(Diagonal<point>{}));
}

TEST(RecordingTest, KnowsWhichInputsMayBeWrittenInPlace) {
  EXPECT_TRUE(reads_only_here<2>(Diagonal<box<2>>{}, 0));
  EXPECT_FALSE(reads_only_here<2>(Diagonal<box<2>>{}, 1));
  EXPECT_EQ((recorded_reads<1>(BoxSum<double>{1.0})).size(), 27U);
}

}  // namespace
}  // namespace halocline
