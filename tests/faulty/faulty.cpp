// A physics that fails as its options select, for tests of non-finite numbers in a run.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/plugin/plugin.hpp"
#include "framework/runtime/communicator.hpp"

namespace {

using namespace halocline;

double number_of(std::string const& text) {
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  return text[0] == '-' ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}

template <class Real>
class Faulty final : public Physics {
 public:
  explicit Faulty(PhysicsContext const& context)
      : mesh_(context.mesh),
        where_(context.deck.section("faulty").choice("where")),
        bad_(number_of(context.deck.section("faulty").choice("value"))),
        step_(context.deck.section("faulty").integer("step")),
        rank_(context.deck.section("faulty").integer("rank")),
        u_(mesh_, {.name = "u"}),
        v_(mesh_, {.name = "v", .centring = Centring::node, .components = 2}) {
    if (step_ == 0) go_wrong();
  }

  std::vector<FieldBase const*> fields() const override { return {&u_, &v_}; }
  std::vector<Quantity> quantities() const override { return {{"steps", static_cast<double>(done_)}, {"made", made_}}; }
  double stable_step() const override { return stable_; }

  /// u becomes the number of the step.
  std::vector<SolveReport> advance(Step const& step) override {
    done_ = step.number;
    u_.fill(static_cast<Real>(step.number));
    if (done_ == step_) go_wrong();
    return where_ == "solve" && done_ == step_ ? std::vector<SolveReport>(1) : std::vector<SolveReport>();
  }

 private:
  void go_wrong() {
    bool const mine = rank_ < 0 || rank_ == mesh_->communicator().rank();
    if ((where_ == "u" || where_ == "solve") && mine) spoil(u_, 0);
    if (where_ == "component" && mine) spoil(v_, 1);
    if (where_ == "quantity" && mine) made_ = bad_;
    if (where_ == "stable_step") stable_ = bad_;
    if (where_ == "no_stable_step") stable_ = 0;
    if (where_ == "lost_by_max") {
      spoil(u_, 0);
      stable_ = 1 / std::max(0.0, std::numeric_limits<double>::quiet_NaN());
    }
  }

  /// Overwrites the last entry of each block.
  void spoil(Field<Real>& field, int component) const {
    for (Block const& block : mesh_->blocks()) {
      std::vector<Real> values(static_cast<std::size_t>(field.owned(block).size()));
      field.copy_owned(block, component, std::as_writable_bytes(std::span(values)));
      values.back() = static_cast<Real>(bad_);
      field.set_owned(block, component, std::as_bytes(std::span(values)));
    }
  }

  std::shared_ptr<StructuredMesh const> mesh_;
  std::string where_;
  double bad_;
  Index step_;
  Index rank_;
  Field<Real> u_;
  Field<Real> v_;
  Index done_ = 0;
  double made_ = 1;
  double stable_ = 1;
};

PhysicsEntry faulty() {
  Section options("faulty", "Goes wrong.");
  options.choice("where", "What becomes a number that is none.",
                 std::vector<std::string>{"nowhere", "u", "component", "quantity", "stable_step", "no_stable_step",
                                          "lost_by_max", "solve"});
  options.choice("value", "What it becomes.", std::vector<std::string>{"nan", "inf", "-inf"})
      .defaults_to(std::string("nan"));
  options.integer("step", "After which.").defaults_to(std::int64_t{3});
  options.integer("rank", "Where alone; -1: on all.").defaults_to(std::int64_t{-1});
  return {.name = "faulty",
          .sentence = options.sentence(),
          .options = std::move(options),
          .steps_by_itself = true,
          .validate = {},
          .create = create_physics<Faulty>};
}

}  // namespace

HALOCLINE_PLUGIN(faulty);
