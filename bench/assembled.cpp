#include "bench/assembled.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "bench/measure.hpp"
#include "bench/poisson.hpp"
#include "framework/kernel/cg_recurrence.hpp"
#include "framework/operator/crs_operator.hpp"
#include "framework/operator/generic_steps.hpp"
#include "framework/runtime/error.hpp"

namespace halocline::benchmarking {
namespace {

/// Iterations of conjugate gradients without preconditioner or stopping test.
class Iterations {
 public:
  Iterations(Operator const& a, Vector const& b)
      : steps_(cg_steps(a)),
        b_(b),
        square_(b.square()),
        x_(a.create_vector()),
        r_(a.create_vector()),
        p_(a.create_vector()),
        q_(a.create_vector()) {
    start();
  }
  void advance() {
    double const curvature = steps_->direction_apply_and_dot(deferred_, recurrence_.beta, *r_, *x_, p_, q_);
    if (!recurrence_.find_alpha(curvature)) throw DefectError("assembled: the operator is not positive definite");
    deferred_ = recurrence_.alpha;
    recurrence_.find_beta(steps_->update_and_square(deferred_, *p_, *q_, *r_, {}).square);
    // Restart before convergence: small systems are solved before they are timed, and subnormal numbers change the
    // time.
    if (!(recurrence_.product > 1e-20 * square_)) start();
  }
  /// Relative to the initial residual.
  [[nodiscard]] double residual() const { return std::sqrt(recurrence_.product / square_); }

 private:
  void start() {
    r_->copy(b_);
    recurrence_ = {.product = square_};
    deferred_ = 0;
  }

  std::shared_ptr<CgSteps const> steps_;
  Vector const& b_;
  double square_;
  std::unique_ptr<Vector> x_, r_, p_, q_;
  CgRecurrence recurrence_;
  double deferred_ = 0;
};

template <class Real>
std::vector<Row> time_cube(Index cells, Options const& options) {
  Precision const precision = sizeof(Real) == 4 ? Precision::single : Precision::double_;
  Extents const extents{cells, cells, cells};
  std::vector<Row> rows;
  {
    auto const stencil = poisson(cells, precision);
    CrsOperator<Real> const matrix(*stencil, 1);
    auto const unit = static_cast<double>(std::numeric_limits<Real>::epsilon());
    auto const unknowns = std::pow(static_cast<double>(cells), 3);
    double const matrix_bytes =
        static_cast<double>(matrix.nonzeros()) * (sizeof(Real) + sizeof(int)) + unknowns * sizeof(int);
    auto const form = [](std::vector<double> const& seconds, double peer, Row row) {
      row.form = "assembled";
      row.seconds = seconds;
      row.peer = {"stencil", peer};
      return row;
    };

    auto const x = stencil->create_vector();
    auto const y = stencil->create_vector();
    auto const expected = stencil->create_vector();
    fill_randomly(*x);
    matrix.apply(*x, *y);
    stencil->apply(*x, *expected);
    y->add(-1, *expected);
    if (!(y->maximum() <= 16 * unit * stencil->norm_bound())) {
      throw DefectError("assembled: the matrix is not the stencil");
    }
    Row product;
    product.problem = problem_of<Real>("product with a matrix", extents);
    // x is read, y is written.
    product.bytes = matrix_bytes + 2 * unknowns * sizeof(Real);
    rows.push_back(form(time_each([&] { matrix.apply(*x, *y); }, options.repetitions),
                        median(time_each([&] { stencil->apply(*x, *y); }, options.repetitions)), product));

    Iterations ours(matrix, *x);
    Iterations theirs(*stencil, *x);
    for (int n = 0; n < 20; ++n) {
      ours.advance();
      theirs.advance();
    }
    // For the first residuals the effect of rounding is a small multiple of the unit roundoff.
    if (!(std::abs(ours.residual() / theirs.residual() - 1) <= 1e3 * unit)) {
      throw DefectError("assembled: conjugate gradients with the matrix are not those with the stencil");
    }
    Row iteration;
    iteration.problem = problem_of<Real>("iteration of conjugate gradients", extents);
    // Reads x, p and r and writes them; reads p and writes the product; reads the product and r and writes r.
    iteration.bytes = matrix_bytes + 10 * unknowns * sizeof(Real);
    double const by_stencil = median(time_each([&] { theirs.advance(); }, options.repetitions));
    rows.push_back(form(time_each([&] { ours.advance(); }, options.repetitions), by_stencil, iteration));
  }
  for (Row& row : rows) row.copy_seconds = fastest_copy(static_cast<Index>(row.bytes), options.repetitions);
  return rows;
}

}  // namespace

std::vector<Row> assembled(Options const& options) {
  std::vector<Row> rows;
  for (Index const cells : sizes(options, 3, {96, 192}, {96, 256, 384})) {
    for (auto* const time : {&time_cube<double>, &time_cube<float>}) {
      for (Row& row : time(cells, options)) rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace halocline::benchmarking
