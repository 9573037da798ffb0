#include "solvers/time/time_integrator.hpp"

#include <gtest/gtest.h>

#include <string>

#include "framework/deck/deck.hpp"
#include "framework/runtime/error.hpp"
#include "solvers/time/test_methods.hpp"
#include "solvers/time/test_steps.hpp"
#include "solvers/time/time_section.hpp"

namespace halocline {
namespace {

constexpr RateParts rate_alone{.explicit_part = true, .implicit_part = false};
constexpr RateParts both{.explicit_part = true, .implicit_part = true};
constexpr RateParts solvable{.explicit_part = false, .implicit_part = true};

TEST(Integrators, AreThoseThatThePartsOfARateAllow) {
  for (std::string const& name : integrators().names()) {
    Treatment const treatment = integrators().find(name).treatment;
    EXPECT_EQ(mistakes_of_method(name, rate_alone).empty(), treatment == Treatment::explicit_) << name;
    EXPECT_EQ(mistakes_of_method(name, both).empty(), treatment != Treatment::implicit) << name;
    EXPECT_EQ(mistakes_of_method(name, solvable), "") << name;
  }
  EXPECT_EQ(
      mistakes_of_method("sdirk2", rate_alone),
      "`time.method`: sdirk2 solves linear systems, and the physics declares none (`rate_parts`) (deck:1:16); use "
      "one of bogacki_shampine, dormand_prince, explicit_euler, rk4, rkl2, ssp_rk2, ssp_rk3, or leave it out");
  EXPECT_NE(mistakes_of_method("bdf2", both).find("must be explicit (deck:1:16); use one of"), std::string::npos);
}

TEST(Integrators, AreKnownByTheirExactNames) {
  EXPECT_NE(mistakes_of_method("rk44", solvable).find("got 'rk44'"), std::string::npos);
  EXPECT_NE(mistakes_of_method("RK4", solvable), "");
}

TEST(Integrators, AreTheOnesThatTheDeckNames) {
  auto const made = [](std::string const& time) {
    Section root("", "A deck.");
    root.section(time_section());
    return make_time_integrator(Deck("deck", "time: " + time).read(root).section("time"), "rk4");
  };
  EXPECT_EQ(made("{}")->stable_factor(), integrators().find("rk4").stable_factor);
  EXPECT_EQ(made("{method: rkl2, rkl2: {stages: 5}}")->stable_factor(), 7);
  SmallSystem system = implicit_test_equation(-1);
  NumbersState u({1, 0});
  static_cast<void>(made("{method: theta, theta: {theta: 0.75}}")->advance(system, 0, 1, u));
  EXPECT_NEAR(u.values[0], 0.75 / 1.75, 1e-15);
}

TEST(Integrators, TellWhatTheyAreGoodFor) {
  for (std::string const& name : integrators().names()) {
    IntegratorEntry const& entry = integrators().find(name);
    EXPECT_TRUE(entry.sentence.ends_with('.')) << name;
    EXPECT_TRUE(entry.notes.use.ends_with('.')) << name;
    EXPECT_FALSE(entry.notes.reference.empty()) << name;
    EXPECT_EQ(entry.declare().name(), name);
    EXPECT_GT(entry.states, 0) << name;
    EXPECT_GT(entry.numbers_moved, 0) << name;
  }
}

}  // namespace
}  // namespace halocline
