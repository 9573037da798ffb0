#include "solvers/linear/gmres.hpp"

#include <cmath>
#include <utility>

#include "solvers/linear/residual_solve.hpp"

namespace halocline {

/// One solve.
class GmresIteration {
 public:
  GmresIteration(Gmres& solver, Operator const& a, Vector const& b, Vector& x)
      : s_(solver),
        a_(a),
        x_(x),
        solve_(solver.settings_.flexible ? "fgmres" : "gmres", solver.settings_.criteria, solver.observer(), a, b, x,
               solver.operator_norm_) {}

  SolveReport run() {
    Vector& r = *s_.basis_.front();
    if (!s_.obstacle_.empty()) return solve_.end(Outcome::breakdown, r, s_.obstacle_);
    auto outcome = solve_.begin(r);
    while (!outcome) {
      outcome = cycle();
      if (!outcome) outcome = solve_.look(r);
    }
    return solve_.end(*outcome, r);
  }

 private:
  /// A rotation of two rows that makes the lower entry zero.
  struct Rotation {
    double cosine;
    double sine;
    void operator()(double& upper, double& lower) const {
      double const kept = upper;
      upper = cosine * kept + sine * lower;
      lower = cosine * lower - sine * kept;
    }
  };

  /// Builds a basis from the residual in its first vector, and adds to x what makes the residual smallest.
  std::optional<Outcome> cycle() {
    columns_.clear();
    rotations_.clear();
    right_ = {solve_.residual()};
    s_.basis_.front()->scale(1 / solve_.residual());
    bool exhausted = false;
    while (!exhausted && solve_.goes_on() && static_cast<Index>(columns_.size()) < s_.settings_.restart) {
      std::vector<double> column = next_direction();
      if (!std::isfinite(column.back())) {
        return solve_.fail(Outcome::not_a_number, "a vector of the basis is not a finite number");
      }
      // The space holds all that A makes of the residual: the solution is in it, if there is one.
      exhausted = column.back() <= 10 * epsilon(x_.precision()) * norm_of(column);
      rotate(column);
      if (std::abs(column.back()) <= 10 * epsilon(x_.precision()) * norm_of(column)) {
        // The operator maps the direction to others that it has mapped before: nothing is to be had of it.
        add_solution();
        return solve_.fail(Outcome::breakdown, "the operator is singular");
      }
      columns_.push_back(std::move(column));
      if (auto const failure = solve_.measure(std::abs(right_.back()))) return failure;
    }
    add_solution();
    return std::nullopt;
  }

  [[nodiscard]] std::size_t last() const { return columns_.size(); }
  [[nodiscard]] Vector& direction(std::size_t n) const {
    if (!s_.preconditioner_) return *s_.basis_[n];
    return *s_.preconditioned_[s_.settings_.flexible ? n : 0];
  }

  /// Appends A M^-1 v of the last vector v to the basis; returns its products with those before, then its norm.
  std::vector<double> next_direction() {
    Vector& z = direction(last());
    if (s_.preconditioner_) s_.preconditioner_->apply(*s_.basis_[last()], z);
    Vector& next = *s_.basis_[last() + 1];
    a_.apply(z, next);
    std::vector<double> products = orthogonalised(next);
    double const norm = std::sqrt(next.square());
    products.push_back(norm);
    if (norm > 0) next.scale(1 / norm);
    return products;
  }

  std::vector<double> orthogonalised(Vector& next) {
    std::vector<Vector const*> before;
    for (std::size_t n = 0; n <= last(); ++n) before.push_back(s_.basis_[n].get());
    std::vector<double> products(before.size(), 0.0);
    if (s_.settings_.orthogonalisation == Orthogonalisation::modified) {
      for (std::size_t n = 0; n < before.size(); ++n) {
        products[n] = next.dot(*before[n]);
        next.add(-products[n], *before[n]);
      }
      return products;
    }
    std::vector<double> part(before.size());
    for (int pass = 0; pass < 2; ++pass) {
      next.dots(before, part);
      for (std::size_t n = 0; n < before.size(); ++n) {
        products[n] += part[n];
        next.add(-part[n], *before[n]);
      }
    }
    return products;
  }

  static double norm_of(std::vector<double> const& column) {
    double square = 0;
    for (double const entry : column) square += entry * entry;
    return std::sqrt(square);
  }

  /// Brings a column to upper triangular form, and the right-hand side along; its last entry becomes the diagonal's.
  void rotate(std::vector<double>& column) {
    for (std::size_t n = 0; n < rotations_.size(); ++n) rotations_[n](column[n], column[n + 1]);
    double& diagonal = column[column.size() - 2];
    double const length = std::hypot(diagonal, column.back());
    Rotation const rotation = length > 0 ? Rotation{diagonal / length, column.back() / length} : Rotation{1, 0};
    rotation(diagonal, column.back());
    column.pop_back();
    rotations_.push_back(rotation);
    right_.push_back(0);
    rotation(right_[right_.size() - 2], right_.back());
  }

  /// x = x + M^-1 V y, where y minimises the residual.
  void add_solution() {
    std::vector<double> y(columns_.size());
    for (std::size_t row = columns_.size(); row-- > 0;) {
      double rest = right_[row];
      for (std::size_t column = row + 1; column < columns_.size(); ++column) rest -= columns_[column][row] * y[column];
      y[row] = rest / columns_[row][row];
    }
    if (!s_.preconditioner_ || s_.settings_.flexible) {
      for (std::size_t n = 0; n < y.size(); ++n) x_.add(y[n], direction(n));
      return;
    }
    if (y.empty()) return;
    Vector& sum = *s_.basis_.front();
    sum.scale(y.front());
    for (std::size_t n = 1; n < y.size(); ++n) sum.add(y[n], *s_.basis_[n]);
    s_.preconditioner_->apply(sum, direction(0));
    x_.add(1, direction(0));
  }

  Gmres& s_;
  Operator const& a_;
  Vector& x_;
  ResidualSolve solve_;
  std::vector<std::vector<double>> columns_;  ///< of the triangular matrix, each down to its diagonal
  std::vector<Rotation> rotations_;
  std::vector<double> right_;  ///< the last entry is the residual, but for its sign
};

Gmres::Gmres(Settings settings, std::unique_ptr<Preconditioner> preconditioner)
    : settings_(settings), preconditioner_(std::move(preconditioner)) {}
Gmres::~Gmres() = default;

void Gmres::prepare(Operator const& a) {
  obstacle_.clear();
  operator_norm_ = a.norm_bound();
  auto const make = [&a](std::vector<std::unique_ptr<Vector>>& vectors, Index count) {
    vectors.clear();
    for (Index n = 0; n < count; ++n) vectors.push_back(a.create_vector());
  };
  make(basis_, settings_.restart + 1);
  if (!preconditioner_) return;
  make(preconditioned_, settings_.flexible ? settings_.restart : 1);
  try {
    preconditioner_->prepare(a);
  } catch (UnsuitableOperator const& error) {
    obstacle_ = error.what();
  }
}

SolveReport Gmres::solve(Operator const& a, Vector const& b, Vector& x) { return GmresIteration(*this, a, b, x).run(); }

}  // namespace halocline
