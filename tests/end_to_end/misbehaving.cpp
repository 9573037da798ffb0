// An external physics that fails in the way its deck selects, for tests of how runs end.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/plugin/plugin.hpp"
#include "framework/runtime/communicator.hpp"

namespace {

using namespace halocline;

bool volatile goes_on = true;

/// Overflows the stack; the last operation prevents tail-call optimisation.
int deeper(int depth) {
  int volatile room[1024];
  room[depth % 1024] = goes_on ? deeper(depth + 1) : depth;
  return room[(depth + 1) % 1024];
}

void misbehave(std::string const& how) {
  if (how == "segfault") *static_cast<int volatile*>(nullptr) = 1;
  if (how == "stack") static_cast<void>(deeper(0));
  if (how == "trap") __builtin_trap();
  if (how == "divide") std::raise(SIGFPE);
  if (how == "abort") std::abort();
  if (how == "exit") std::exit(7);
  if (how == "throw") throw std::runtime_error("no way on");
  if (how == "sleep") std::this_thread::sleep_for(std::chrono::seconds(2000));
  if (how == "pause") std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

class Misbehaving final : public Physics {
 public:
  explicit Misbehaving(PhysicsContext const& context)
      : deck_(context.deck.section("misbehaving")),
        how_(deck_.choice("how")),
        at_(deck_.integer("at")),
        mine_(context.mesh->communicator().rank() == deck_.integer("rank") || deck_.integer("rank") < 0),
        u_(context.mesh, {.name = "u"}),
        coarse_(context.mesh->coarsened(), {.name = "coarse"}),
        flux_(context.mesh, {.name = "flux", .centring = Centring::face_x}) {
    if (mine_ && deck_.choice("where") == "set-up") misbehave(how_);
  }
  ~Misbehaving() override {
    if (mine_ && deck_.choice("where") == "destructor") misbehave(how_);
  }
  Misbehaving(Misbehaving const&) = delete;
  Misbehaving& operator=(Misbehaving const&) = delete;

  std::vector<FieldBase const*> fields() const override {
    if (how_ == "two fields of a name") return {&u_, &u_};
    if (how_ == "another mesh") return {&u_, &coarse_};
    if (how_ == "fields on faces") return {&u_, &flux_};
    return {&u_};
  }
  std::vector<Quantity> quantities() const override {
    if (is_due("quantities")) misbehave(how_);
    return {{"steps", static_cast<double>(done_), 0}};
  }
  double stable_step() const override {
    return how_ == "unstable" && done_ >= at_ ? 0.25 : std::numeric_limits<double>::infinity();
  }
  std::vector<SolveReport> advance(Step const& step) override {
    done_ = step.number;
    if (is_due("advance")) misbehave(how_);
    return {};
  }

 private:
  [[nodiscard]] bool is_due(std::string const& where) const {
    return mine_ && deck_.choice("where") == where && (done_ == at_ || how_ == "pause");
  }

  Options deck_;
  std::string how_;
  Index at_;
  bool mine_;
  Index done_ = 0;
  Field<double> u_;
  Field<double> coarse_;
  Field<double> flux_;
};

PhysicsEntry misbehaving() {
  Section options("misbehaving", "Goes wrong.");
  options
      .choice(
          "how", "What happens.",
          std::vector<std::string>{"segfault", "stack", "trap", "divide", "abort", "exit", "throw", "sleep", "pause",
                                   "nothing", "unstable", "two fields of a name", "another mesh", "fields on faces"})
      .defaults_to(std::string("pause"));
  options.choice("where", "Where it does.", std::vector<std::string>{"advance", "set-up", "quantities", "destructor"})
      .defaults_to(std::string("advance"));
  options.integer("at", "Step that it happens in.").defaults_to(std::int64_t{1});
  options.integer("rank", "Rank that it happens on; -1: all.").defaults_to(std::int64_t{-1});
  return {.name = "misbehaving",
          .sentence = options.sentence(),
          .options = std::move(options),
          .precisions = {Precision::double_},
          .steps_by_itself = true,
          .validate = {},
          .create = [](PhysicsContext const& context) { return std::make_unique<Misbehaving>(context); }};
}

}  // namespace

HALOCLINE_PLUGIN(misbehaving);
