#pragma once

#include <memory>
#include <optional>

#include "physics/advection/advection_operator.hpp"
#include "physics/equations/evolving_problem.hpp"

namespace halocline::advection {

/// V du/dt + K u = V source + wall terms; K is the operator of the discretisation.
template <class Real>
class AdvectionSystem final : public VolumeSystem<Real> {
 public:
  /// Collective. Throws as `assemble` and VolumeSystem do.
  AdvectionSystem(Discretisation const& discretisation, Options const& own, double start, Vector const& like);

  Operator const& shifted(double scale) override;
  Operator const& stiffness() override;
  double euler_step() override { return 1 / rate_; }

  [[nodiscard]] double peclet() const { return peclet_; }
  [[nodiscard]] bool is_solenoidal() const { return is_solenoidal_; }

 private:
  Discretisation discretisation_;
  std::optional<Rows<Real>> rows_;       ///< of K, until an operator is made of them
  std::unique_ptr<Operator> stiffness_;  ///< null until first used
  std::unique_ptr<Operator> shifted_;    ///< for the scale in `scale_`
  double scale_ = 0;
  double peclet_;
  double rate_;
  bool is_solenoidal_;
};

extern template class AdvectionSystem<float>;
extern template class AdvectionSystem<double>;

}  // namespace halocline::advection
