#include "framework/kernel/test_recording.hpp"

#include <gtest/gtest.h>

#include "framework/kernel/test_sweeps.hpp"

namespace halocline {
namespace {

using namespace kernel_test;

/// Declares a smaller shape than it reads.
template <Shape Declared>
struct Diagonal {
  static constexpr Shape shape = Declared;
  template <class P, class U, class K>
  KOKKOS_FUNCTION double operator()(P const&, U const& u, K const& k) const {
    return u[here] + k[Offset<1, -1>{}] + k[along<2, 2>];
  }
};

/// The same, with a separate shape for the second input.
template <Shape Second>
struct Narrow : Diagonal<box<2>> {
  static constexpr Shape input_shape(int n) { return n == 0 ? point : Second; }
};

TEST(ShapeTest, AxesSayHowFarAFunctorReads) {
  EXPECT_TRUE((line<2, 1>.contains(0, -2, 0)));
  EXPECT_FALSE((line<2, 1>.contains(0, 3, 0)));
  EXPECT_FALSE((line<2, 1>.contains(1, 0, 0)));
  EXPECT_TRUE((star<2, 2>.contains(0, 2, 0)));
  EXPECT_FALSE((star<2, 2>.contains(0, 0, 1)));
  EXPECT_FALSE(star<2>.contains(1, 1, 0));
  EXPECT_TRUE((box<2, 2>.contains(2, -2, 0)));
  EXPECT_EQ((line<1, 2>.dimensions()), 3);
  EXPECT_EQ((line<1, 0>.dimensions()), 1);
  EXPECT_EQ((star<1, 2>.dimensions()), 2);
  EXPECT_EQ(point.dimensions(), 0);
}

TEST(ShapeTest, AShapeCoversWhatItContains) {
  EXPECT_TRUE((star<2>.covers(line<2, 2>)));
  EXPECT_FALSE((star<2, 2>.covers(line<1, 2>)));
  EXPECT_FALSE((star<1>.covers(line<2, 0>)));
  EXPECT_FALSE((star<2>.covers(box<1, 2>)));
  EXPECT_TRUE((star<2>.covers(box<2, 1>)));
  EXPECT_TRUE((box<1>.covers(star<1>)));
  EXPECT_TRUE((line<1, 2>.covers(point)));
  EXPECT_TRUE(point.covers(point));
}

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
  EXPECT_EQ((reads_within_shape<2>(Narrow<line<2, 2>>{}).message),
            "input 1 is read at offset (1, -1, 0), outside of the declared shape line<2, 2>");
  EXPECT_EQ((reads_within_shape<2>(Narrow<point>{}).message),
            "input 1 is read at offset (1, -1, 0), outside of the declared shape point");
}

TEST(RecordingTest, KnowsWhichInputsMayBeWrittenInPlace) {
  EXPECT_TRUE(reads_only_here<2>(Diagonal<box<2>>{}, 0));
  EXPECT_FALSE(reads_only_here<2>(Diagonal<box<2>>{}, 1));
  EXPECT_EQ((recorded_reads<1>(BoxSum<double>{1.0})).size(), 27U);
}

}  // namespace
}  // namespace halocline
