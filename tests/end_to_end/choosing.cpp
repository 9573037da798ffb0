// A physics that suggests its steps, for tests of step selection. The suggestion varies with the state, and differs
// between ranks by rounding. When it is loaded, it creates the file that CHOOSING_LOADED names.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/operator/state_archive.hpp"
#include "framework/plugin/plugin.hpp"
#include "framework/runtime/communicator.hpp"

namespace {

using namespace halocline;

bool const is_loaded = [] {
  if (char const* const file = std::getenv("CHOOSING_LOADED")) std::ofstream{file};
  return true;
}();

class Choosing final : public Physics {
 public:
  explicit Choosing(PhysicsContext const& context)
      : mesh_(context.mesh),
        what_(context.deck.section("choosing").choice("what")),
        length_(context.deck.section("choosing").real("length")),
        u_(mesh_, {.name = "u"}) {}

  std::vector<FieldBase const*> fields() const override { return {&u_}; }
  /// The spread of the steps over all ranks: 0 if they have taken the same steps, to the bit.
  std::vector<Quantity> quantities() const override {
    Communicator const& ranks = mesh_->communicator();
    return {{"time", time_}, {"spread", ranks.max(size_) - ranks.min(size_)}, {"size", size_}};
  }
  double stable_step() const override {
    return what_ == "stable" ? of_this_rank() : std::numeric_limits<double>::infinity();
  }
  double suggested_step() const override {
    return what_ == "suggested" || what_ == "vanishing" ? of_this_rank() : std::numeric_limits<double>::infinity();
  }
  std::vector<SolveReport> advance(Step const& step) override {
    size_ = step.size;
    time_ = step.time + step.size;
    ++done_;
    u_.fill(time_);
    return {};
  }
  bool serialize(StateArchive& state) override {
    state.number("time", time_);
    state.number("size", size_);
    state.count("done", done_);
    state.field("u", u_);
    return true;
  }

 private:
  [[nodiscard]] double of_this_rank() const {
    if (what_ == "vanishing" && done_ == 4) return 1e-300;
    double const length = length_ * (1 + 0.5 * std::sin(3 * time_));
    return length * (1 + 1e-15 * mesh_->communicator().rank());
  }

  std::shared_ptr<StructuredMesh const> mesh_;
  std::string what_;
  double length_;
  double size_ = 0;
  double time_ = 0;
  Index done_ = 0;
  Field<double> u_;
};

PhysicsEntry choosing() {
  Section options("choosing", "Chooses steps.");
  options.choice("what", "What it says.", std::vector<std::string>{"stable", "suggested", "vanishing", "nothing"})
      .defaults_to(std::string("stable"));
  options.real("length", "About how long steps are.").above(0).defaults_to(0.25);
  return {.name = "choosing",
          .sentence = options.sentence(),
          .options = std::move(options),
          .precisions = {Precision::double_},
          .suggests_steps =
              [](Options const& deck) {
                std::string const what = deck.section("choosing").choice("what");
                return what == "suggested" || what == "vanishing";
              },
          .steps_by_itself = true,
          .validate = {},
          .create = [](PhysicsContext const& context) { return std::make_unique<Choosing>(context); }};
}

}  // namespace

HALOCLINE_PLUGIN(choosing);
