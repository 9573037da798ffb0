#pragma once

#include <limits>
#include <memory>
#include <optional>

#include "physics/equations/linear_terms.hpp"
#include "physics/equations/rate_of_fields.hpp"
#include "physics/equations/transport/rows.hpp"

namespace halocline::transport {

/// The terms of a discretisation.
template <class Real>
class TransportTerms final : public LinearTerms<Real> {
 public:
  /// Collective. Throws as `assemble` and BoundarySource do.
  explicit TransportTerms(Discretisation discretisation);

  [[nodiscard]] std::unique_ptr<Operator> make_operator(double mass, double scale) override;
  void add_walls(double time, double scale, Vector& b) const override { walls_.add(time, scale, b); }
  [[nodiscard]] std::optional<double> euler_rate() const override { return rate_; }

  /// For terms that are also stable with a step that another rate allows.
  void limit_euler_rate(double rate) { rate_ = std::min(rate_, rate); }
  /// As those of Rows.
  [[nodiscard]] double peclet() const { return peclet_; }
  [[nodiscard]] bool is_solenoidal() const { return is_solenoidal_; }

 private:
  Discretisation discretisation_;
  std::optional<Rows<Real>> rows_;  ///< until an operator is made
  BoundarySource<Real> walls_;
  double peclet_;
  double rate_;
  bool is_solenoidal_;
};

/// A field that a flow carries.
template <class Real>
struct Carried {
  RateOfField<Real> rate;
  double peclet;       ///< infinite without diffusion
  bool is_solenoidal;  ///< as in Rows
};

/// Collective. Throws as TransportTerms does.
///
/// \param is_split methods solve for diffusion alone
/// \param solver   null if nothing is solved for
template <class Real>
[[nodiscard]] Carried<Real> carried(Discretisation const& discretisation, bool is_split,
                                    std::shared_ptr<FieldVector<Real> const> volume,
                                    std::unique_ptr<LinearSolver> solver);

extern template class TransportTerms<float>;
extern template class TransportTerms<double>;

}  // namespace halocline::transport
