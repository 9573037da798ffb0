#include "solvers/linear/gmres.hpp"

#include <cmath>
#include <utility>

namespace halocline {

namespace {

double norm_of(std::vector<double> const& column) {
  double square = 0;
  for (double const entry : column) square += entry * entry;
  return std::sqrt(square);
}

}  // namespace

Gmres::Gmres(Settings settings, std::unique_ptr<Preconditioner> preconditioner)
    : KrylovSolver(settings.flexible ? "fgmres" : "gmres", settings.criteria, std::move(preconditioner)),
      settings_(settings) {}

void Gmres::make_vectors(Operator const& a) {
  auto const make = [&a](std::vector<std::unique_ptr<Vector>>& vectors, Index count) {
    vectors.clear();
    for (Index n = 0; n < count; ++n) vectors.push_back(a.create_vector());
  };
  make(basis_, settings_.restart + 1);
  if (has_preconditioner()) make(preconditioned_, settings_.flexible ? settings_.restart : 1);
}

std::optional<Outcome> Gmres::iterate(ResidualSolve& solve, Operator const& a, Vector& x) {
  double const small = 10 * epsilon(x.precision());
  columns_.clear();
  rotations_.clear();
  right_ = {solve.residual()};
  basis_.front()->scale(1 / solve.residual());
  bool exhausted = false;
  while (!exhausted && solve.should_iterate() && static_cast<Index>(columns_.size()) < settings_.restart) {
    std::vector<double> column = next_direction(a);
    double const norm = norm_of(column);
    if (!std::isfinite(norm)) return solve.not_a_number();
    // The Krylov space is exhausted: it contains the solution, if there is one.
    exhausted = column.back() <= small * norm;
    rotate(column);
    if (std::abs(column.back()) <= small * norm) {
      // The image of the direction lies in the span of earlier images: it gains nothing.
      add_solution(x);
      return solve.fail({Outcome::breakdown, "the operator is singular"});
    }
    columns_.push_back(std::move(column));
    if (auto const failure = solve.measure(std::abs(right_.back()))) return failure;
  }
  add_solution(x);
  return std::nullopt;
}

std::unique_ptr<Vector> const& Gmres::direction(std::size_t n) const {
  if (!has_preconditioner()) return basis_[n];
  return preconditioned_[settings_.flexible ? n : 0];
}

/// Appends A M^-1 v of the last vector v to the basis; returns its products with the earlier ones, then its norm.
std::vector<double> Gmres::next_direction(Operator const& a) {
  std::size_t const last = columns_.size();
  Vector& next = *basis_[last + 1];
  a.apply(preconditioned(*basis_[last], direction(last)), next);
  std::vector<double> products = make_orthogonal(next);
  double const norm = std::sqrt(next.square());
  products.push_back(norm);
  if (norm > 0) next.scale(1 / norm);
  return products;
}

std::vector<double> Gmres::make_orthogonal(Vector& next) const {
  std::vector<Vector const*> before;
  for (std::size_t n = 0; n <= columns_.size(); ++n) before.push_back(basis_[n].get());
  std::vector<double> products(before.size(), 0.0);
  if (settings_.orthogonalisation == Orthogonalisation::modified) {
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

void Gmres::Rotation::operator()(double& upper, double& lower) const {
  double const kept = upper;
  upper = cosine * kept + sine * lower;
  lower = cosine * lower - sine * kept;
}

/// Reduces a column to upper triangular form, with the right-hand side; its last entry becomes the diagonal entry.
void Gmres::rotate(std::vector<double>& column) {
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
void Gmres::add_solution(Vector& x) {
  std::vector<double> y(columns_.size());
  for (std::size_t row = columns_.size(); row-- > 0;) {
    double rest = right_[row];
    for (std::size_t column = row + 1; column < columns_.size(); ++column) rest -= columns_[column][row] * y[column];
    y[row] = rest / columns_[row][row];
  }
  if (y.empty()) return;
  if (!has_preconditioner() || settings_.flexible) {
    for (std::size_t n = 0; n < y.size(); ++n) x.add(y[n], *direction(n));
    return;
  }
  Vector& sum = *basis_.front();
  sum.scale(y.front());
  for (std::size_t n = 1; n < y.size(); ++n) sum.add(y[n], *basis_[n]);
  x.add(1, preconditioned(sum, direction(0)));
}

}  // namespace halocline
