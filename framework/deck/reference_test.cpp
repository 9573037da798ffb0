#include "framework/deck/reference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <vector>

#include "framework/deck/deck.hpp"
#include "framework/deck/expression.hpp"
#include "framework/deck/field_source.hpp"
#include "framework/deck/nearest_name.hpp"
#include "framework/deck/validation.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

Section root_section() {
  Section root("", "A run.");
  root.choice("physics", "What | is solved.", {"flow", "lattice"});
  Section& mesh = root.section("mesh", "The mesh.");
  mesh.integers("cells", "Cells.", 1, 3).at_least(1).unit("cells");
  mesh.real("time", "Seconds.").unit("s").optional();
  Section& solver = root.section("solver", "The solver.");
  solver.choice("method", "Its name.", {"cg", "chebyshev"}).defaults_to("cg");
  solver.sections("method", [] {
    Section cg("cg", "Conjugate gradients.");
    cg.real("tolerance", "Ends it.").above(0).below(1).defaults_to(1e-10);
    Section chebyshev("chebyshev", "Chebyshev.");
    chebyshev.real("bound", "Of the eigenvalues.");
    return std::vector<Section>{cg, chebyshev};
  });
  Section region("regions", "A part.");
  region.expression("density", "Of it.");
  root.list(region);
  return root;
}

std::string message_of(std::string const& path) {
  try {
    (void)listing(root_section(), path);
  } catch (InputError const& error) {
    return error.what();
  }
  return "";
}

TEST(Listing, TellsOfAllOfASectionOrOfAnOption) {
  EXPECT_EQ(listing(root_section(), ""),
            "physics: What | is solved. (one of flow, lattice; required)\n"
            "mesh.cells: Cells. (1 to 3 integers, at least 1 cells; required)\n"
            "mesh.time: Seconds. (a number, in s; optional)\n"
            "solver.method: Its name. (one of cg, chebyshev; default cg)\n"
            "solver.cg.tolerance: Ends it. (a number, above 0 and below 1; default 1e-10)\n"
            "solver.chebyshev.bound: Of the eigenvalues. (a number; required)\n"
            "regions[].density: Of it. (a number or an expression of x, y, z and t; required)\n");
  EXPECT_EQ(listing(root_section(), "solver.cg"),
            "solver.cg: Conjugate gradients.\n\n"
            "solver.cg.tolerance: Ends it. (a number, above 0 and below 1; default 1e-10)\n");
  EXPECT_EQ(listing(root_section(), "regions[0].density"),
            "regions.density: Of it.\n  a number or an expression of x, y, z and t; required\n");
  EXPECT_EQ(message_of("solver.cgg"), "`cgg`: unknown in solver; did you mean `cg`?");
  EXPECT_EQ(message_of("mash"), "`mash`: unknown in the deck; did you mean `mesh`?");
  EXPECT_EQ(message_of("solver.cg.tolerance.least"),
            "`least`: unknown in solver.cg.tolerance, which is an option and has nothing below it");
}

TEST(Markdown, HasATableForEachSection) {
  std::string const page = markdown(root_section());
  EXPECT_NE(page.find("\n## solver.cg\n\nConjugate gradients.\n\n| option | value | default | meaning |\n"
                      "| --- | --- | --- | --- |\n"
                      "| `tolerance` | a number, above 0 and below 1 | `1e-10` | Ends it. |\n"),
            std::string::npos);
  EXPECT_NE(page.find("| `physics` | one of flow, lattice | required | What \\| is solved. |\n"), std::string::npos);
  EXPECT_NE(page.find("| `time` | a number (s) | none | Seconds. |\n"), std::string::npos);
  EXPECT_NE(page.find("\n## regions[]\n"), std::string::npos);
}

TEST(Schema, SaysWhatTheDeclarationSays) {
  auto const schema = nlohmann::json::parse(json_schema(root_section()));
  EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
  auto const& tolerance = schema["properties"]["solver"]["properties"]["cg"]["properties"]["tolerance"];
  EXPECT_EQ(tolerance["exclusiveMinimum"], 0);
  EXPECT_EQ(tolerance["exclusiveMaximum"], 1);
  EXPECT_EQ(tolerance["default"], 1e-10);
  EXPECT_EQ(tolerance["type"], "number");
  EXPECT_EQ(schema["properties"]["physics"]["enum"], nlohmann::json({"flow", "lattice"}));
  EXPECT_EQ(schema["additionalProperties"], false);
  auto const& needs = schema["allOf"][0];
  EXPECT_EQ(needs["required"], nlohmann::json({"physics", "mesh"}));
  // Chebyshev's bound is required only where it is chosen.
  auto const& choice = needs["properties"]["solver"]["allOf"][0];
  EXPECT_EQ(choice["if"]["properties"]["method"]["const"], "chebyshev");
  EXPECT_EQ(choice["then"]["properties"]["chebyshev"]["required"][0], "bound");
}

TEST(OptionsRecord, HoldsEveryValue) {
  Options const deck = Deck("d", "physics: flow\nmesh: {cells: 4}\nregions: [{density: x}]\n").read(root_section());
  auto const record = nlohmann::json::parse(deck.json());
  EXPECT_EQ(record["physics"], "flow");
  EXPECT_EQ(record["mesh"], nlohmann::json({{"cells", {4}}}));
  EXPECT_EQ(record["solver"]["cg"]["tolerance"], 1e-10);
  EXPECT_EQ(record["regions"][0]["density"], "x");
}

/// A section with a field that has a default, and one that has none.
Section field_section() {
  Section sound("sound", "A sound.");
  sound.field("speed", "Of it.").defaults_to(1);
  sound.field("initial", "At the start.").optional();
  return sound;
}

TEST(FieldOption, IsAnExpressionOrAFile) {
  Options const given = Deck("d",
                             "initial: {file: u.raw, type: float32, dims: [4, 3], offset: 8, byte_order: big}\n"
                             "speed: 2*x\n")
                            .read(field_section());
  FieldSource const speed = given.field("speed");
  EXPECT_EQ(speed.file(), nullptr);
  EXPECT_EQ((*speed.expression())(3, 0, 0, 0), 6);
  EXPECT_FALSE(speed.is_constant());
  ASSERT_TRUE(given.has("initial"));
  FieldSource const initial = given.field("initial");
  ASSERT_NE(initial.file(), nullptr);
  EXPECT_EQ(initial.file()->path, "u.raw");
  EXPECT_EQ(initial.file()->format, FieldFile::Format::raw);
  EXPECT_EQ(initial.file()->dims, (std::vector<std::int64_t>{4, 3}));
  EXPECT_EQ(initial.file()->offset, 8);
  EXPECT_TRUE(initial.file()->big_endian);
  EXPECT_EQ(initial.file()->location.text(), "d:1:10");
  EXPECT_FALSE(initial.is_zero());
  EXPECT_EQ(initial.text(), "u.raw");
  ASSERT_EQ(given.field_files().size(), 1U);
  EXPECT_EQ(given.field_files()[0].first, "initial");
  auto const record = nlohmann::json::parse(given.json());
  EXPECT_EQ(record["initial"]["file"], "u.raw");
  EXPECT_EQ(record["speed"], "2*x");
  Options const left_out = Deck("d", "{}").read(field_section());
  EXPECT_FALSE(left_out.has("initial"));
  EXPECT_EQ(left_out.field("speed").constant(), 1);
  EXPECT_TRUE(left_out.field_files().empty());
}

TEST(FieldOption, IsDescribedOnce) {
  std::string const words = "a number, an expression of x, y, z and t or a file";
  EXPECT_THAT(listing(field_section(), "initial"), testing::HasSubstr("initial.dataset: "));
  EXPECT_THAT(listing(field_section(), "initial.component"), testing::StartsWith("initial.component: "));
  std::string const page = markdown(field_section());
  EXPECT_THAT(page, testing::HasSubstr("| `speed` | " + words + " | `1` | Of it. |"));
  EXPECT_EQ(page.find("## Fields from files"), page.rfind("## Fields from files"));
  EXPECT_EQ(markdown(root_section()).find("Fields from files"), std::string::npos);
  auto const choices = nlohmann::json::parse(json_schema(field_section()))["properties"]["initial"]["anyOf"];
  EXPECT_EQ(choices[0]["type"], nlohmann::json({"number", "string"}));
  EXPECT_EQ(choices[1]["required"], nlohmann::json({"file"}));
  EXPECT_EQ(choices[1]["additionalProperties"], false);
}

/// Checks that access it end silently.
TEST(FieldOption, WithAMistakeIsNotValidatedFurther) {
  Section sound = field_section();
  sound.check([](Options const& given, Mistakes& mistakes) {
    mistakes.add(given.location(), "speed", given.field("speed").text());
  });
  try {
    static_cast<void>(Deck("d", "speed: {file: f, tipe: float32}\n").read(sound));
    FAIL();
  } catch (InputError const& error) {
    EXPECT_STREQ(error.what(), "`tipe`: unknown in speed (d:1:18); did you mean `type`?");
  }
}

TEST(Declaration, RefusesWhatCannotBe) {
  Section section("s", "A section.");
  section.integer("n", "A number.").defaults_to(1);
  EXPECT_THROW(section.real("n", "Again."), DefectError);
  EXPECT_THROW(section.section("n", "Again."), DefectError);
  EXPECT_THROW(section.integer("m", "A number.").defaults_to("text"), DefectError);
  section.integer("k", "A number.").at_least(1).defaults_to(0);
  EXPECT_THROW((void)Deck("test.yaml", "{}").read(section), DefectError);
}

TEST(NearestName, FindsWhatIsMeant) {
  std::vector<std::string> const names{"iterations", "relative_tolerance", "cg", "jacobi"};
  EXPECT_EQ(nearest_name("iteratons", names), "iterations");
  EXPECT_EQ(nearest_name("ITERATIONS", names), "iterations");
  EXPECT_EQ(nearest_name("jacbi", names), "jacobi");
  EXPECT_EQ(nearest_name("gc", names), "cg");
  EXPECT_EQ(nearest_name("tolerance", names), "relative_tolerance");
  EXPECT_EQ(nearest_name("multigrid", names), "");
  EXPECT_EQ(nearest_name("x", names), "");
  EXPECT_EQ(nearest_name("", names), "");
  EXPECT_EQ(nearest_name(std::string(100000, 'i'), names), "");
  EXPECT_EQ(advice_for("xyz", names), "known: iterations, relative_tolerance, cg, jacobi");
}

TEST(Expression, IsAFunctionOfPositionAndTime) {
  Expression const expression("sin(pi*x)*exp(-t) + y^2 - z");
  EXPECT_DOUBLE_EQ(expression(0.5, 2, 3, 0), 1 + 4 - 3);
  EXPECT_DOUBLE_EQ(expression(0.5, 0, 0, 1), std::exp(-1.0));
  EXPECT_TRUE(expression.depends_on_time());
  EXPECT_FALSE(expression.is_constant());
  Expression const copy = expression;
  EXPECT_DOUBLE_EQ(copy(0.5, 2, 3, 0), 2);
  EXPECT_TRUE(Expression("2*pi").is_constant());
  EXPECT_EQ(Expression(0.1)(1, 2, 3, 4), 0.1);
  EXPECT_EQ(Expression("x <= 1 ? 5 : 6")(1, 0, 0, 0), 5);
  EXPECT_FALSE(Expression("x").depends_on_time());
  for (std::string const wrong : {"", "x +", "(x", "x)", "x = 1", "x, y", "u", "sin x", "\"a\""})
    EXPECT_THROW(Expression{wrong}, InputError) << wrong;
}

TEST(Validation, ProductsAndBytes) {
  EXPECT_EQ(product(std::vector<std::int64_t>{3, 4, 5}), 60);
  EXPECT_EQ(product(std::vector<std::int64_t>{std::int64_t{1} << 32, std::int64_t{1} << 30}), std::int64_t{1} << 62);
  EXPECT_EQ(product(std::vector<std::int64_t>{std::int64_t{1} << 32, std::int64_t{1} << 31}), std::nullopt);
  EXPECT_EQ(readable_bytes(512), "512 B");
  EXPECT_EQ(readable_bytes(1536), "1.5 KiB");
  EXPECT_EQ(readable_bytes(8.0 * 1024 * 1024 * 1024), "8 GiB");
  Mistakes mistakes;
  check_memory({"d.yaml", 3, 4}, "mesh.cells", 2048, 2048, mistakes);
  EXPECT_TRUE(mistakes.empty());
  check_memory({"d.yaml", 3, 4}, "mesh.cells", 2048, 1024, mistakes);
  EXPECT_EQ(mistakes.text(), "`mesh.cells`: needs 2 KiB of memory, and 1 KiB are available (d.yaml:3:4)");
}

}  // namespace
}  // namespace halocline
