#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "framework/runtime/error.hpp"
#include "physics/nbody/body_file.hpp"

namespace halocline::nbody {
namespace {

std::vector<Body> bodies_of(std::string const& text) {
  std::istringstream stream(text);
  return read_csv(stream, "b.csv");
}

TEST(CsvBodies, MayBeWrittenInManyWays) {
  std::string const row = "1,2.5,-3,0,0.25,0,4\n";
  for (std::string const& text : {
           row,
           std::string("1,2.5,-3,0,0.25,0,4"),
           "\xEF\xBB\xBF" + row,
           "\xEF\xBB\xBFx,y,z,vx,vy,vz,m\n" + row,
           "# a remark\n\n" + row + "\n # another one\n",
           "x, y, z, vx, vy, vz, mass\n" + row,
           "\"X\",\"Y\",\"Z\",\"VX\",\"VY\",\"VZ\",\"M\"\r\n" + row,
           "a,b,c,d,e,f,g\n" + row,
           std::string("+1.0,\"2.5\",-3., -0 ,\t+.25,0,4e0\r\n"),
       }) {
    SCOPED_TRACE(text);
    std::vector<Body> const bodies = bodies_of(text);
    ASSERT_EQ(bodies.size(), 1);
    EXPECT_THAT(bodies[0].position, testing::ElementsAre(1, 2.5, -3));
    EXPECT_THAT(bodies[0].velocity, testing::ElementsAre(0, 0.25, 0));
    EXPECT_EQ(bodies[0].mass, 4);
  }
}

TEST(CsvBodies, AreRefusedByCell) {
  std::string const row = "0,0,0,0,0,0,1\n";
  struct {
    std::string text, message;
  } const cases[] = {
      {"l.5,0,0,0,0,0,1\n" + row, "`b.csv`:1: x is `l.5`, which is not a number; expected seven numbers"},
      {"a,b,c,d,e,f,1\n" + row, "`b.csv`:1: x is `a`, which is not a number"},
      {"x,y,z,m,vx,vy,vz\n" + row, "`b.csv`:1: column 4 is named `m`; the columns of a file of bodies are x, y, z, vx"},
      {"m1,X,y,z,vx,vy,vz\n" + row, "`b.csv`:1: column 2 is named `X`"},
      {"x,y,z,vx,vy,vz\n" + row, "`b.csv`:1: has 6 names"},
      {"nan,nan,nan,nan,nan,nan,nan\n" + row, "`b.csv`:1: x is nan, but must be finite"},
      {row + "x,y,z,vx,vy,vz,m\n", "`b.csv`:2: x is `x`, which is not a number"},
      {"1.0d0,0,0,0,0,0,1\n", "x is `1.0d0`, which is not a number"},
      {"0,0x1p3,0,0,0,0,1\n", "y is `0x1p3`, which is not a number"},
      {"0,0,+-1,0,0,0,1\n", "z is `+-1`, which is not a number"},
      {"0,0,,0,0,0,1\n", "z is ``, which is not a number"},
      {"1;2;3;0;0;0;1\n", "x is `1;2;3;0;0;0;1`, which is not a number"},
      {"0,0,0,1e400,0,0,1\n", "vx is `1e400`, above the largest number of double precision; scale the problem"},
      {"0,0,0,0,-1e400,0,1\n", "vy is `-1e400`, above the largest number"},
      {"0,0,0,0,0,1e-400,1\n", "vz is `1e-400`, below the smallest number of double precision; scale the problem, or"},
      {"0,0,0,0,0,0,-inf\n", "mass is -inf, but must be finite"},
      {"0,0,0,0,0,0,-1\n", "mass is -1, but must be at least 0"},
      {"0,0,0\n", "`b.csv`:1: expected seven numbers separated by commas, x, y, z, vx, vy, vz, mass, and found 3"},
      {"0,0,0,0,0,0,1,\n", "and found 8"},
      {"# none\n", "`b.csv` holds no bodies"},
      {"x,y,z,vx,vy,vz,m\n", "`b.csv` holds no bodies"},
  };
  for (auto const& [text, message] : cases) {
    SCOPED_TRACE(text);
    try {
      (void)bodies_of(text);
      ADD_FAILURE() << "was accepted";
    } catch (InputError const& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(message));
    }
  }
}

}  // namespace
}  // namespace halocline::nbody
