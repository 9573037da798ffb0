#include "framework/deck/parameter_list.hpp"

#include <gtest/gtest.h>

#include <Teuchos_Array.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "framework/deck/deck.hpp"
#include "framework/deck/section.hpp"

namespace halocline {
namespace {

using Json = nlohmann::json;

Section root_section() {
  Section root("deck", "A run.");
  root.text("title", "Said of the run.").defaults_to("none");
  root.text("devices", "Which, or how many.").or_list().optional();
  root.boolean("reproducible", "To the bit.").defaults_to(false);
  root.integer("seed", "Of random numbers.").defaults_to(std::int64_t{7});
  Section& mesh = root.section("mesh", "The mesh.");
  mesh.integers("cells", "Cells along each axis.", 1, 3);
  mesh.reals("upper", "Where it ends.", 1, 3).defaults_to(std::vector<double>{1, 0.1});
  mesh.booleans("periodic", "Which axes are.", 1, 3).defaults_to(std::vector<bool>{false, true});
  Section& time = root.section("time", "Time steps.");
  time.real("step", "Length of a step.").defaults_to(0.1);
  time.real("end", "Where it ends.").optional();
  time.choice("unit", "Of both.", {"s", "h"}).defaults_to("s");
  root.field("initial", "At the start.").defaults_to("0");
  Section region("regions", "A part of the mesh.");
  region.expression("density", "Of its matter.");
  region.path("table", "Of its values.").optional();
  root.list(region);
  return root;
}

Options read(std::string const& text) { return Deck("d.yaml", text).read(root_section()); }

Json of(Teuchos::ParameterEntry const& entry) {
  Json found;
  auto const take = [&]<class Type>(Type const&) {
    if (entry.isType<Type>()) found = Teuchos::getValue<Type>(entry);
    if (entry.isType<Teuchos::Array<Type>>()) found = Teuchos::getValue<Teuchos::Array<Type>>(entry).toVector();
  };
  take(int());
  take(static_cast<long long>(0));
  take(double());
  take(std::string());
  if (entry.isType<bool>()) found = Teuchos::getValue<bool>(entry);
  return found;
}

/// The list must equal Options::json, except that booleans in arrays become numbers and elements of lists have numbers
/// as names.
void expect_same(Teuchos::ParameterList const& list, Json const& json) {
  EXPECT_EQ(list.numParams(), static_cast<int>(json.size())) << list.name();
  for (auto const& [name, value] : json.items()) {
    ASSERT_TRUE(list.isParameter(name)) << name;
    if (value.is_object()) {
      expect_same(list.sublist(name), value);
    } else if (value.is_array() && (value.empty() || value[0].is_object())) {
      Json numbered = Json::object();
      for (std::size_t n = 0; n < value.size(); ++n) numbered[std::to_string(n)] = value[n];
      expect_same(list.sublist(name), numbered);
    } else if (value.is_array() && value[0].is_boolean()) {
      EXPECT_EQ(of(list.getEntry(name)), Json(value.get<std::vector<int>>())) << name;
    } else {
      EXPECT_EQ(of(list.getEntry(name)), value) << name;
      EXPECT_EQ(of(list.getEntry(name)).is_number_float(), value.is_number_float()) << name;
    }
  }
}

TEST(ParameterList, SaysWhatTheDeckSays) {
  for (std::string const text : {"mesh: {cells: [4, 3]}\n",
                                 "mesh: {cells: [4]}\ntitle: a run\ndevices: [gpu 0, gpu 1]\nseed: 9000000000\ntime: "
                                 "{end: 1}\nreproducible: true\n"
                                 "initial: 'x*y'\nregions: [{density: 'x'}, {density: 2, table: a.csv}]\n",
                                 "mesh: {cells: [4, 5000000000]}\ninitial: {file: u.npy}\n"}) {
    SCOPED_TRACE(text);
    Options const deck = read(text);
    expect_same(parameter_list(deck), Json::parse(deck.json()));
  }
}

TEST(ParameterList, HasTypesThatPackagesOfTrilinosAskFor) {
  Teuchos::ParameterList list = parameter_list(
      read("mesh: {cells: [4, 3], periodic: [true, false]}\nregions: [{density: 'x'}, {density: 2, table: a.csv}]\n"));
  EXPECT_EQ(list.name(), "deck");
  EXPECT_EQ(list.get<int>("seed"), 7);
  EXPECT_EQ(list.sublist("mesh").get<Teuchos::Array<int>>("cells").toVector(), (std::vector<int>{4, 3}));
  EXPECT_EQ(list.sublist("mesh").get<Teuchos::Array<int>>("periodic").toVector(), (std::vector<int>{1, 0}));
  EXPECT_EQ(list.sublist("mesh").get<Teuchos::Array<double>>("upper").toVector(), (std::vector<double>{1, 0.1}));
  EXPECT_EQ(list.sublist("time").get<double>("step"), 0.1);
  EXPECT_EQ(list.sublist("time").get<std::string>("unit"), "s");
  EXPECT_FALSE(list.sublist("time").isParameter("end"));
  EXPECT_FALSE(list.get<bool>("reproducible"));
  EXPECT_EQ(list.get<std::string>("initial"), "0");
  EXPECT_EQ(list.sublist("regions").sublist("1").get<std::string>("density"), "2");
  EXPECT_EQ(list.sublist("regions").sublist("1").get<std::string>("table"), "a.csv");
  EXPECT_EQ(parameter_list(read("mesh: {cells: [4]}\nseed: 2147483647\n")).get<int>("seed"), 2147483647);
  EXPECT_EQ(parameter_list(read("mesh: {cells: [4]}\nseed: 2147483648\n")).get<long long>("seed"), 2147483648);
  EXPECT_EQ(
      parameter_list(read("mesh: {cells: [3000000000]}\n")).sublist("mesh").get<Teuchos::Array<long long>>("cells")[0],
      3000000000);
}

TEST(ParameterList, TellsDefaultsAndWhatParametersMean) {
  Options const deck = read("mesh: {cells: [4, 3]}\ntime: {step: 0.1}\n");
  Teuchos::ParameterList const list = parameter_list(deck);
  EXPECT_TRUE(list.getEntry("seed").isDefault());
  EXPECT_FALSE(list.sublist("mesh").getEntry("cells").isDefault());
  EXPECT_FALSE(list.sublist("time").getEntry("step").isDefault()) << "given, though it is the default";
  EXPECT_EQ(list.getEntry("seed").docString(), "Of random numbers.");
}

/// A single section; its owner may change the copy.
TEST(ParameterList, IsACopyOfASection) {
  Options const mesh = read("mesh: {cells: [4, 3]}\n").section("mesh");
  Teuchos::ParameterList list = parameter_list(mesh);
  EXPECT_EQ(list.name(), "mesh");
  list.set("cells", "many");
  list.set("more", 1);
  EXPECT_EQ(mesh.integers("cells"), (std::vector<std::int64_t>{4, 3}));
  EXPECT_FALSE(parameter_list(mesh).isParameter("more"));
}

}  // namespace
}  // namespace halocline
