#include <cmath>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/kernel/sweep.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/plugin/plugin.hpp"
#include "framework/runtime/communicator.hpp"

namespace {

using namespace halocline;

/// du/dt + velocity du/dx = 0 at one point: first order upwind.
struct Upwind {
  static constexpr Shape shape = star<1, 1>;
  double courant;  ///< velocity * step / cell width

  template <class P, class U>
  KOKKOS_FUNCTION double operator()(P const&, U const& u) const {
    return u[here] - courant * (u[here] - u[west]);
  }
};

class Transport final : public Physics {
 public:
  explicit Transport(PhysicsContext const& context)
      : mesh_(context.mesh),
        velocity_(context.deck.section("transport").real("velocity")),
        u_(mesh_, {.name = "u"}),
        next_(mesh_, {.name = "next"}),
        exchange_({&u_}) {
    u_.fill(context.deck.section("transport").expression("initial"), 0);
    next_.copy(u_);  // ghosts at non-periodic ends, which no exchange fills, keep their initial values
  }

  std::vector<FieldBase const*> fields() const override { return {&u_}; }

  std::vector<Quantity> quantities() const override {
    double total = 0;
    double magnitude = 0;
    double square = 0;
    for (Block const& block : mesh_->blocks()) {
      std::vector<double> cells(static_cast<std::size_t>(u_.owned(block).size()));
      u_.copy_owned(block, 0, std::as_writable_bytes(std::span(cells)));
      for (double const u : cells) {
        total += u * width();
        magnitude += std::abs(u) * width();
        square += u * u * width();
      }
    }
    Communicator const& ranks = mesh_->communicator();
    return {{"total", ranks.sum(total), ranks.sum(magnitude)}, {"norm", std::sqrt(ranks.sum(square))}};
  }
  std::vector<std::string> conserved() const override { return {"total"}; }
  double stable_step() const override { return width() / velocity_; }

  std::vector<SolveReport> advance(Step const& step) override {
    exchange_.exchange({&u_});
    for (Block const& block : mesh_->blocks()) {
      sweep(execution(block), u_.owned(block), Geometry<double>{}, next_.view(block),
            Upwind{velocity_ * step.size / width()}, std::as_const(u_).view(block));
    }
    u_.swap_values(next_);
    return {};
  }

 private:
  double width() const { return mesh_->axis(0).spacing(); }

  std::shared_ptr<StructuredMesh const> mesh_;
  double velocity_;
  Field<double> u_;
  Field<double> next_;
  Exchange exchange_;
};

PhysicsEntry transport() {
  Section options("transport", "Linear transport along x on a periodic mesh.");
  options.real("velocity", "Speed along +x.").above(0);
  options.expression("initial", "u at the start.");
  return {.name = "transport",
          .sentence = options.sentence(),
          .options = std::move(options),
          .precisions = {Precision::double_},
          .dimensions = {1},
          .create = [](PhysicsContext const& context) { return std::make_unique<Transport>(context); }};
}

}  // namespace

HALOCLINE_PLUGIN(transport);
