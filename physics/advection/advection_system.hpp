#pragma once

#include <algorithm>
#include <memory>
#include <optional>

#include "physics/advection/advection_operator.hpp"
#include "physics/equations/evolving_problem.hpp"

namespace halocline::advection {

/// V du/dt + K u = V source + wall terms; K is the operator of the discretisation. IMEX methods solve for diffusion
/// alone.
template <class Real>
class AdvectionSystem final : public VolumeSystem<Real> {
 public:
  /// Collective. Throws as `assemble` and VolumeSystem do.
  AdvectionSystem(Discretisation const& discretisation, Options const& own, double start, Vector const& like);

  void split() override;
  Operator const& shifted(double scale) override;
  Operator const& stiffness() override;
  Operator const* explicit_stiffness() override { return transport_.get(); }
  double euler_step() override { return 1 / rate_; }
  /// A step that is stable for all terms is also stable where diffusion is solved for.
  double explicit_euler_step() override { return 1 / std::min(transport_rate_, rate_); }

  [[nodiscard]] double peclet() const { return peclet_; }
  [[nodiscard]] bool is_solenoidal() const { return is_solenoidal_; }

 private:
  /// The same discretisation with a part of its terms.
  [[nodiscard]] Discretisation with(Terms terms) const;

  Discretisation discretisation_;
  Terms solved_ = Terms::all;            ///< of `shifted`
  std::optional<Rows<Real>> rows_;       ///< of K, until an operator is made of them
  std::unique_ptr<Operator> stiffness_;  ///< null until first used
  std::unique_ptr<Operator> shifted_;    ///< for the scale in `scale_`
  std::unique_ptr<Operator> transport_;  ///< made by `split`; null if there is neither flow nor reaction
  double scale_ = 0;
  double peclet_;
  double rate_;
  double transport_rate_ = 0;  ///< after `split`
  bool is_solenoidal_;
};

extern template class AdvectionSystem<float>;
extern template class AdvectionSystem<double>;

}  // namespace halocline::advection
