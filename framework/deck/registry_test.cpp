#include "framework/deck/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

using testing::ElementsAre;

std::string message_of(std::function<void()> const& action) {
  try {
    action();
  } catch (InputError const& error) {
    return error.what();
  }
  return "no InputError";
}

struct Named {
  std::string name;
  int value = 0;
};

TEST(Registry, FindsByNameAndListsInOrder) {
  Registry<Named> registry("solver");
  registry.add({"jacobi", 1});
  Named const& jacobi = registry.find("jacobi");
  registry.add({"cg", 2});
  registry.add({"chebyshev", 3});
  EXPECT_EQ(registry.find("cg").value, 2);
  EXPECT_EQ(&registry.find("jacobi"), &jacobi);
  EXPECT_TRUE(registry.contains("chebyshev"));
  EXPECT_FALSE(registry.contains("CG"));
  EXPECT_THAT(registry.names(), ElementsAre("cg", "chebyshev", "jacobi"));
  EXPECT_THAT(registry.names_in_order(), ElementsAre("jacobi", "cg", "chebyshev"));
}

TEST(Registry, NamesTheNearestOrAllThatAreKnown) {
  Registry<Named> registry("solver");
  EXPECT_EQ(message_of([&] { static_cast<void>(registry.find("cg")); }), "`cg`: no such solver");
  registry.add({"jacobi", 1});
  registry.add({"cg", 2});
  EXPECT_EQ(message_of([&] { static_cast<void>(registry.find("jakobi")); }),
            "`jakobi`: no such solver; did you mean `jacobi`?");
  EXPECT_EQ(message_of([&] { static_cast<void>(registry.find("multigrid")); }),
            "`multigrid`: no such solver; known: cg, jacobi");
}

TEST(Registry, RefusesASecondOfOneName) {
  Registry<Named> registry("solver");
  registry.add({"cg", 1});
  EXPECT_EQ(message_of([&] { registry.add({"cg", 2}); }), "`cg`: there is already a solver of this name");
  EXPECT_EQ(registry.find("cg").value, 1);
}

}  // namespace
}  // namespace halocline
