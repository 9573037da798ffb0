#include "framework/operator/fused_passes.hpp"

#include "framework/operator/vector_functors.hpp"
#include "framework/operator/vector_pass.hpp"

namespace halocline {

void advance(double alpha, double beta, Vector const& z, Vector& x, Vector& p) {
  visit_precision(x, [&]<class Real>(SweptVector<Real>& own) {
    SweptVector<Real>& direction = own.same_space(p);
    vector_functor::Advance<Real> const functor{static_cast<Real>(alpha), static_cast<Real>(beta)};
    vector_pass(std::tie(own, direction), functor, own, direction, own.same_space(z));
  });
}

double add_and_square(Vector& u, double a, Vector const& x) {
  double square = 0;
  visit_precision(u, [&]<class Real>(SweptVector<Real>& own) {
    square = vector_pass_sum(std::tie(own), vector_functor::AddAndSquare<Real>{static_cast<Real>(a)}, own,
                             own.same_space(x));
  });
  return square;
}

std::array<double, 2> add_scale_and_square(Vector& u, double a, Vector const& x, Vector const& d, Vector& z) {
  std::array<double, 2> sums{};
  visit_precision(u, [&]<class Real>(SweptVector<Real>& own) {
    SweptVector<Real>& scaled = own.same_space(z);
    vector_functor::UpdateAndScale<vector_functor::AddAndSquare<Real>> const functor{{static_cast<Real>(a)}};
    sums = vector_pass_sums<2>(std::tie(own, scaled), functor, own.same_space(d), own, own.same_space(x));
  });
  return sums;
}

double multiply_and_dot(Vector& u, Vector const& x, Vector const& y) {
  double dot = 0;
  visit_precision(u, [&]<class Real>(SweptVector<Real>& own) {
    dot = vector_pass_sum(std::tie(own), vector_functor::MultiplyAndDot<Real>{}, own.same_space(x), own.same_space(y));
  });
  return dot;
}

double convert_and_dot(Vector& u, Vector const& x, double scale, Vector const& y) {
  double dot = 0;
  visit_precision(u, [&]<class Real>(SweptVector<Real>& own) {
    own.in_its_precision(x, [&](auto const& from) {
      dot = vector_pass_sum(std::tie(own), vector_functor::ConvertAndDot<Real>{scale}, from, own.same_space(y));
    });
  });
  return dot;
}

}  // namespace halocline
