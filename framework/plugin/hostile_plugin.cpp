// A plugin that breaks one promise, chosen by an environment variable: HOSTILE_PLUGIN="advance: throws". Without it,
// the physics `hostile` counts its steps.
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string_view>

#include "framework/deck/mistakes.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/plugin/plugin.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"

namespace {

using namespace halocline;

std::string_view choice() {
  char const* const text = std::getenv("HOSTILE_PLUGIN");
  return text == nullptr ? "" : text;
}

bool chosen(std::string_view what) { return choice() == what; }

/// The failures available in every function: "PLACE: throws", …
void act(std::string const& place, Options const* deck = nullptr) {
  auto const is = [&](char const* way) { return chosen(place + ": " + way); };
  if (is("throws")) throw std::runtime_error("no such table");
  if (is("throws a number")) throw 42;
  if (is("throws InputError")) throw InputError("`hostile.table`: no such table");
  if (is("throws SolveError")) throw SolveError("the inner solve did not converge");
  if (is("throws InputOutputError")) throw InputOutputError("`table`: cannot be read");
  if (is("throws DefectError")) throw DefectError("two tables");
  if (is("runs out of memory")) throw std::bad_alloc();
  if (is("exits")) std::exit(0);
  if (is("crashes")) std::abort();
  if (deck == nullptr) return;
  if (is("asks for what it did not declare")) static_cast<void>(deck->section("hostile").real("undeclared"));
  if (is("asks for another type")) static_cast<void>(deck->section("hostile").real("table"));
}

/// Runs when the dynamic loader loads the plugin.
[[maybe_unused]] bool const loaded = (act("load"), true);

class Hostile final : public Physics {
 public:
  explicit Hostile(PhysicsContext const& context) : deck_(context.deck), mesh_(context.mesh) {}

  [[nodiscard]] std::vector<FieldBase const*> fields() const override {
    act("fields");
    if (chosen("fields: null")) return {nullptr};
    return {};
  }
  [[nodiscard]] std::vector<Quantity> quantities() const override {
    act("quantities");
    if (chosen("quantities: two of a name")) return {{"steps"}, {"steps"}};
    if (chosen("quantities: other ones later") && steps_ > 0) return {{"tables", 0}};
    return {{"steps", static_cast<double>(steps_)}};
  }
  [[nodiscard]] std::vector<std::string> conserved() const override {
    if (chosen("conserved: no quantity")) return {"mass"};
    return {};
  }
  [[nodiscard]] Traces take_traces() override {
    if (chosen("traces: too few values")) return {{"a", "b"}, {0, 1}, {1, 2, 3}};
    if (chosen("traces: two of a name")) return {{"a", "a"}, {0}, {1, 2}};
    if (chosen("traces: other ones later")) return {{steps_ == 0 ? "a" : "b"}, {0}, {1}};
    return {};
  }
  [[nodiscard]] double stable_step() const override {
    act("stable_step");
    return 1e9;
  }
  [[nodiscard]] std::vector<SolveReport> advance(Step const& step) override {
    ++steps_;
    if (step.number == 3) act("advance", &deck_);
    if (step.number == 3 && mesh_->communicator().rank() == 1) act("advance on rank 1", &deck_);
    return {};
  }

 private:
  Options deck_;
  std::shared_ptr<StructuredMesh const> mesh_;
  Index steps_ = 0;
};

std::string name_of_the_physics() {
  if (chosen("entry: no name")) return "";
  std::string_view const called = "entry: called ";
  if (choice().starts_with(called)) return std::string(choice().substr(called.size()));
  if (chosen("entry: name with a dot")) return "hostile.physics";
  return "hostile";
}

/// A deck of two words: "hostile 4" counts to four.
DeckFormat two_words() {
  std::string const first = "hostile ";
  DeckFormat format{.name = chosen("format: no name") ? "" : "two words",
                    .sentence = "`hostile` and a number of steps.",
                    .recognises =
                        [first](std::string const& text) {
                          act("recognises");
                          return text.starts_with(first);
                        },
                    .read =
                        [first](std::string const& name, std::string const& text, Mistakes&) {
                          act("read");
                          Location const at{name, 1, 1};
                          deck::Node root;
                          root.kind = deck::Node::Kind::section;
                          root.set("physics", at, deck::scalar("hostile", at));
                          root.section("mesh", at).set("cells", at, deck::scalar("8", at));
                          deck::Node& time = root.section("time", at);
                          time.set("step", at, deck::scalar("0.5", at));
                          std::string const steps = text.substr(first.size(), text.find('\n') - first.size());
                          bool const silent = chosen("read: reports no mistake");
                          time.set("steps", at, silent ? deck::reported(at) : deck::scalar(steps, at));
                          return root;
                        }};
  if (chosen("format: no recognises")) format.recognises = {};
  if (chosen("format: no read")) format.read = {};
  return format;
}

PhysicsEntry hostile() {
  act("entry");
  std::string const name = name_of_the_physics();
  Section options(chosen("entry: other section") ? "friendly" : name, "Counts steps, or breaks a promise.");
  options.choice("table", "A table.", std::vector<std::string>{"one", "two"})
      .defaults_to(std::string(chosen("entry: mistaken default")  ? "three"
                               : chosen("entry: another default") ? "two"
                                                                  : "one"));
  options.check([](Options const&, Mistakes&) { act("check"); });
  if (chosen("entry: two options of a name")) options.real("table", "Another table.");
  PhysicsEntry entry{.name = name,
                     .sentence = "Counts steps, or breaks a promise.",
                     .options = std::move(options),
                     .steps_by_itself = true,
                     .validate = [](Options const& deck, Mistakes&) { act("validate", &deck); },
                     .create = [](PhysicsContext const& context) -> std::unique_ptr<Physics> {
                       act("create", &context.deck);
                       if (chosen("create: null")) return nullptr;
                       return std::make_unique<Hostile>(context);
                     },
                     .deck_formats = {two_words()}};
  if (chosen("entry: no create")) entry.create = {};
  if (chosen("entry: undeclared steps")) entry.steps_by_itself = false;
  if (chosen("entry: no precision")) entry.precisions = {};
  if (chosen("entry: no dimension")) entry.dimensions = {};
  if (chosen("entry: four dimensions")) entry.dimensions = {3, 4};
  if (chosen("entry: no kind of mesh")) entry.meshes = {};
  if (chosen("ghosts: fewer than none")) entry.ghosts = [](Options const&) { return -1; };
  return entry;
}

}  // namespace

HALOCLINE_PLUGIN(hostile);
