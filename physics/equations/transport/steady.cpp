#include "physics/equations/transport/steady.hpp"

#include <utility>
#include <vector>

#include "framework/deck/validation.hpp"
#include "framework/grid/walls.hpp"
#include "framework/operator/field_vector.hpp"
#include "physics/equations/points.hpp"
#include "physics/equations/stationary_problem.hpp"
#include "physics/equations/transport/section.hpp"
#include "physics/equations/transport/terms.hpp"

namespace halocline::transport {
namespace {

template <class Real>
class Steady final : public StationaryProblem<Real> {
 public:
  Steady(PhysicsContext const& context, Options const& own, std::string const& field)
      : Steady(context, own, field, Discretisation(describe<Real>(own, own, context.mesh))) {}

  [[nodiscard]] std::vector<Quantity> quantities() const override {
    std::vector<Quantity> all = StationaryProblem<Real>::quantities();
    all.insert(all.begin() + 2, {"peclet", peclet_});  // after the mean and the maximum
    return all;
  }

 private:
  Steady(PhysicsContext const& context, Options const& own, std::string const& field,
         Discretisation const& discretisation)
      : Steady(context, own, field, discretisation, TransportTerms<Real>(discretisation)) {}
  Steady(PhysicsContext const& context, Options const& own, std::string const& field,
         Discretisation const& discretisation, TransportTerms<Real>&& terms)
      : StationaryProblem<Real>(context, own, discretisation.grid(), discretisation.description().conditions,
                                terms.make_operator(0, 1), field),
        peclet_(terms.peclet()) {
    terms.add_walls(0, 1, this->right_hand_side());
    Field<Real>& b = as_field_vector<Real>(this->right_hand_side()).field();
    PointSources<Real> points;
    for (Options const& source : own.list("sources")) {
      points.add(*context.mesh, b, source.reals("position"), 1, point_strength(source));
    }
    points.add_to(b, 1, 0);
  }

  double peclet_;
};

}  // namespace

void validate_steady(Options const& own, Options const& mesh, Mistakes& mistakes) {
  std::string const advice = "give a section `time` to make it unsteady";
  if (!own.list("receivers").empty()) {
    mistakes.add(own.location("receivers"), own.full_name("receivers"), "a steady run has no steps to record",
                 "leave them out, or " + advice);
  }
  auto const refuse = [&](Options const& section, std::string const& option, auto const& given) {
    if (!given.depends_on_time()) return;
    add_mistake(section, option, "'" + given.text() + "' depends on t, but the problem is steady", mistakes, advice);
  };
  refuse(own, "source", own.field("source"));
  if (own.has("initial")) refuse(own, "initial", own.field("initial"));
  if (own.has("exact")) refuse(own, "exact", own.expression("exact"));
  for (Options const& source : own.list("sources")) refuse(source, "strength", source.expression("strength"));
  for (Options const& wall : walls(own.section("boundary"), mesh)) refuse(wall, "value", wall.expression("value"));
  if (!own.field("reaction").is_zero() || walls_make_regular(own.section("boundary"), mesh)) return;
  mistakes.add(own.location(), own.full_name("boundary"), "u is determined only up to a constant",
               "give a wall of kind dirichlet or robin, or a reaction");
}

std::unique_ptr<Physics> make_steady(PhysicsContext const& context, std::string const& physics,
                                     std::string const& field) {
  Options const own = context.deck.section(physics);
  if (context.precision == Precision::single) return std::make_unique<Steady<float>>(context, own, field);
  return std::make_unique<Steady<double>>(context, own, field);
}

}  // namespace halocline::transport
