#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/field/boundary.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/operator/solve_report.hpp"
#include "physics/equations/implicit_rate.hpp"
#include "physics/equations/linear_terms.hpp"
#include "solvers/linear/solver.hpp"

namespace halocline {

/// The linear part of the rate of one field, by operators: for methods that solve for it, and for what sweeps do not
/// evaluate.
template <class Real>
class RateOfField {
 public:
  /// \param terms     that the solver solves for; all terms where nothing is solved for
  /// \param rest      further terms, which are never solved for; may be null
  /// \param volume    of each cell
  /// \param solver    null if nothing is solved for
  RateOfField(std::shared_ptr<StructuredMesh const> mesh, std::unique_ptr<LinearTerms<Real>> terms,
              std::unique_ptr<LinearTerms<Real>> rest, std::shared_ptr<FieldVector<Real> const> volume,
              std::unique_ptr<LinearSolver> solver);

  /// As those of ImplicitRate, for vectors of this one field.
  [[nodiscard]] SolveReport solve(double time, double scale, FieldVector<Real> const& right, FieldVector<Real>& out);
  [[nodiscard]] bool evaluate(RatePart part, double time, FieldVector<Real> const& y, FieldVector<Real>& out);
  [[nodiscard]] double euler_rate();

  /// Serializes the state that the solver keeps; prepares the solver for that.
  void serialize(StateArchive& state, std::string const& group);

 private:
  struct Part {
    std::unique_ptr<LinearTerms<Real>> terms;
    std::unique_ptr<Operator> stiffness{};  ///< K; null until first used
  };
  void prepare(double scale);
  void find_stiffness(Part& part);
  /// out = f(time) - K y, with the sign reversed
  void subtract(Part& part, double time, FieldVector<Real> const& y, Vector& out);
  [[nodiscard]] double euler_rate(Part& part);

  std::shared_ptr<StructuredMesh const> mesh_;
  Part solved_;
  Part explicit_;
  std::shared_ptr<FieldVector<Real> const> volume_;
  std::unique_ptr<LinearSolver> solver_;
  std::unique_ptr<Operator> operator_;  ///< V - scale (V g), for the scale in `scale_`
  double scale_ = 0;
  std::unique_ptr<Vector> minus_inverse_volume_, b_, sum_;  ///< null until first used
  std::unique_ptr<Vector> x_;  ///< null where operators can use a state's own memory, with one layer of ghosts …
  std::optional<BoundaryFill> zero_walls_;  ///< … which then become zero beyond walls, as operators expect
};

/// The linear part of the rates of fields that are solved for one by one.
template <class Real>
class RateOfFields final : public ImplicitRate<Real> {
 public:
  /// The next field, with the group of its solver's state; without `rate` its g is zero.
  void add(std::string group, std::optional<RateOfField<Real>> rate);

  [[nodiscard]] std::vector<SolveReport> solve(double time, double scale, FieldVector<Real> const& right,
                                               FieldVector<Real>& out) override;
  [[nodiscard]] bool evaluate(RatePart part, double time, FieldVector<Real> const& y, FieldVector<Real>& out) override;
  [[nodiscard]] double euler_rate() override;
  void serialize(StateArchive& state) override;

 private:
  struct OfField {
    std::string group;
    std::optional<RateOfField<Real>> rate;
  };
  std::vector<OfField> of_fields_;
};

extern template class RateOfField<float>;
extern template class RateOfField<double>;
extern template class RateOfFields<float>;
extern template class RateOfFields<double>;

}  // namespace halocline
