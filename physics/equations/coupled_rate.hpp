#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/grid/volumes.hpp"
#include "framework/kernel/box_loops.hpp"
#include "framework/kernel/sweep.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/multigrid/rediscretised_operator.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/nan_aware.hpp"
#include "framework/runtime/shortest_text.hpp"
#include "physics/equations/coupled_diffusion.hpp"
#include "physics/equations/diffusion.hpp"
#include "physics/equations/implicit_rate.hpp"
#include "physics/equations/stage_sweeps.hpp"
#include "solvers/linear/solver.hpp"

// The solve for a linear part with coupled fields. Only the sources of physics that couple their fields include this:
// with more than two fields it is compiled there.

namespace halocline {

/// Of a CoupledDiffusion on the cells of a mesh.
template <int Count>
struct CoupledDescription {
  std::shared_ptr<StructuredMesh const> mesh;
  std::vector<BoundaryConditions> walls;  ///< of each unknown
  Values<double, Count> diffusivity{};    ///< at least 0
  Matrix<double, Count> reaction{};
  Values<double, Count> mass{};
};

/// The largest entry of a reaction over the least mass that arithmetic of this precision resolves: beyond it the block
/// of a cell may be singular.
template <class Real>
inline constexpr double fastest_reaction = 0.0625 / static_cast<double>(std::numeric_limits<Real>::epsilon());

template <int Count>
[[nodiscard]] double reaction_over_mass(CoupledDescription<Count> const& description) {
  double most = 0;
  for (int row = 0; row < Count; ++row) {
    for (double const entry : description.reaction.entry[row]) {
      most = larger(most, std::abs(entry) / description.mass[row]);
    }
  }
  return most;
}

/// The operator, which can coarsen itself: by pairs of cells along all axes, so that cells much longer along one axis
/// than along another cost iterations. Collective. Throws InputError for walls as make_diffusion does.
template <class Real, int Axes, int Count>
[[nodiscard]] std::unique_ptr<Operator> make_coupled_diffusion(CoupledDescription<Count> const& description) {
  using Functor = CoupledDiffusion<Real, Axes, Count>;
  using Line = Kokkos::View<Real*, Memory>;
  // Functors have pointers; the equation, which every level shares, keeps the memory.
  auto const lines = std::make_shared<std::vector<Line>>();
  RediscretisedEquation<Real, Functor, 0, CellTransfers<Real>> equation{.mesh = description.mesh};
  equation.functor_on = [lines, description](StructuredMesh const& mesh) {
    Functor functor{};
    auto const keep = [&](std::vector<double> const& values) {
      lines->push_back(on_device<Real>(values));
      return lines->back().data();
    };
    for (int axis = 0; axis < Axes; ++axis) {
      auto const a = static_cast<std::size_t>(axis);
      std::vector<double> below;
      std::vector<double> above;
      for (int c = 0; c < Count; ++c) {
        ControlVolumes const line =
            control_volumes(mesh, axis, Centring::cell, description.walls[static_cast<std::size_t>(c)]);
        bool const is_periodic = line.periodic_gap > 0;
        std::vector<double> own;
        for (Index n = 0; n < line.size(); ++n) {
          double const width = line.width[static_cast<std::size_t>(n)];
          double const lower = line.conductance(n) / width;
          double const upper = line.conductance(n + 1) / width;
          own.push_back(lower + upper);
          if (c > 0) continue;
          below.push_back(n > 0 || is_periodic ? lower : 0);
          above.push_back(n + 1 < line.size() || is_periodic ? upper : 0);
        }
        functor.own[a][c] = keep(own);
        if (c == 0) functor.width[a] = keep(line.width);
      }
      functor.below[a] = keep(below);
      functor.above[a] = keep(above);
    }
    for (int row = 0; row < Count; ++row) {
      functor.diffusivity[row] = static_cast<Real>(description.diffusivity[row]);
      functor.mass[row] = static_cast<Real>(description.mass[row]);
      for (int column = 0; column < Count; ++column) {
        functor.reaction.entry[row][column] = static_cast<Real>(description.reaction.entry[row][column]);
      }
    }
    return functor;
  };
  equation.unknowns_on = [](StructuredMesh const& mesh) { return all_cells(mesh, Count); };
  if constexpr (std::is_same_v<Real, double>) {
    bool const has_single = reaction_over_mass(description) < fastest_reaction<float>;
    if (has_single)
      equation.single_precision = [description] { return make_coupled_diffusion<float, Axes, Count>(description); };
  }
  return make_rediscretised_operator(std::move(equation));
}

namespace equation {

/// factor times the product of the inputs
template <class Real>
struct ScaledProduct {
  static constexpr Shape shape = point;
  Real factor;
  template <class P, class... X>
  KOKKOS_FUNCTION Real operator()(P const&, X const&... x) const {
    return (factor * ... * x[here]);
  }
};

/// Factors w with w[m] C[m][n] = w[n] C[n][m], as reactions in detailed balance have them, if there are any.
template <class Real, int Count>
[[nodiscard]] std::optional<Values<double, Count>> symmetric_weights(Matrix<Real, Count> const& matrix) {
  Values<double, Count> weights{};
  auto const entry = [&](int row, int column) { return static_cast<double>(matrix.entry[row][column]); };
  // From a row with a known weight to all that are coupled with it; Count rounds reach every row.
  for (int first = 0; first < Count; ++first) {
    if (weights[first] == 0) weights[first] = 1;
    for (int round = 0; round < Count; ++round) {
      for (int row = 0; row < Count; ++row) {
        for (int column = 0; column < Count; ++column) {
          if (row == column || weights[row] == 0 || entry(row, column) == 0) continue;
          double const ratio = entry(row, column) / entry(column, row);
          if (!(std::isfinite(ratio) && ratio > 0)) return std::nullopt;
          double const wanted = weights[row] * ratio;
          if (weights[column] == 0) weights[column] = wanted;
          // Entries may be rounded products, and each row on the way adds a quotient and a product.
          double const rounding = 16 * Count * static_cast<double>(std::numeric_limits<Real>::epsilon());
          if (!(std::abs(weights[column] - wanted) <= rounding * wanted)) return std::nullopt;
        }
      }
    }
  }
  return weights;
}

/// left C right, symmetric where factors of rows and columns make it so.
template <int Count>
struct ScaledCoupling {
  Values<double, Count> left{};
  Values<double, Count> right{};
  Matrix<double, Count> matrix{};
  bool is_symmetric = false;
};

/// Where fields only pass into each other, C has columns, or for temperatures rows, that add up to zero. The factors
/// are then those that keep it so, and the entries add up to zero exactly: what is exchanged must not be lost in
/// rounding.
template <class Real, int Count>
[[nodiscard]] ScaledCoupling<Count> scaled(Matrix<Real, Count> const& coupling) {
  ScaledCoupling<Count> result;
  double const rounding = 16 * Count * static_cast<double>(std::numeric_limits<Real>::epsilon());
  auto const entry = [&](int row, int column) { return static_cast<double>(coupling.entry[row][column]); };
  auto const weights = symmetric_weights(coupling);
  result.is_symmetric = weights.has_value();
  bool columns_cancel = true;
  for (int column = 0; column < Count; ++column) {
    double sum = 0;
    double magnitude = 0;
    for (int row = 0; row < Count; ++row) {
      sum += entry(row, column);
      magnitude += std::abs(entry(row, column));
    }
    columns_cancel = columns_cancel && std::abs(sum) <= rounding * magnitude;
  }
  for (int n = 0; n < Count; ++n) {
    result.left[n] = weights && !columns_cancel ? (*weights)[n] : 1;
    result.right[n] = weights && columns_cancel ? 1 / (*weights)[n] : 1;
  }
  for (int row = 0; row < Count; ++row) {
    for (int column = 0; column < Count; ++column) {
      // Of two entries that are equal but for rounding, the same one.
      int const m = result.is_symmetric && column < row ? column : row;
      int const n = result.is_symmetric && column < row ? row : column;
      result.matrix.entry[row][column] = result.left[m] * entry(m, n) * result.right[n];
    }
  }
  if (!result.is_symmetric) return result;
  for (int row = 0; row < Count; ++row) {
    double others = 0;
    for (int column = 0; column < Count; ++column) {
      if (column != row) others += result.matrix.entry[row][column];
    }
    double& diagonal = result.matrix.entry[row][row];
    if (std::abs(diagonal + others) <= rounding * std::abs(diagonal)) diagonal = -others;
  }
  return result;
}

/// The inverse of a stable step of explicit Euler: half of a bound of the eigenvalues where they are real, else all of
/// it.
template <class Real, int Count>
[[nodiscard]] double coupling_euler_rate(Matrix<Real, Count> const& coupling) {
  auto const weights = symmetric_weights(coupling);
  double bound = 0;
  double in_other_units = 0;  // of the symmetric matrix that is similar to C
  for (int row = 0; row < Count; ++row) {
    double sum = 0;
    double scaled_sum = 0;
    for (int column = 0; column < Count; ++column) {
      double const size = std::abs(static_cast<double>(coupling.entry[row][column]));
      sum += size;
      if (weights) scaled_sum += size * std::sqrt((*weights)[row] / (*weights)[column]);
    }
    bound = larger(bound, sum);
    in_other_units = larger(in_other_units, scaled_sum);
  }
  return weights ? smaller(bound, in_other_units) / 2 : bound;
}

}  // namespace equation

/// g(t, u) = C u + D div grad u of fields on cells, including the values of their walls, solved for together.
template <class Real, int Axes, int Count>
class CoupledRate final : public ImplicitRate<Real> {
 public:
  /// \param walls       of each field
  /// \param diffusivity D of each field, at least 0, in length^2 / time
  /// \param coupling    C, in 1 / time
  CoupledRate(std::shared_ptr<StructuredMesh const> const& mesh, std::vector<BoundaryConditions> const& walls,
              Values<Real, Count> const& diffusivity, Matrix<Real, Count> const& coupling,
              std::unique_ptr<LinearSolver> solver)
      : description_{.mesh = mesh, .walls = walls},
        coupling_(equation::scaled(coupling)),
        solver_(std::move(solver)),
        volume_(description_.mesh, FieldDescription{.name = "volume", .ghosts = 0}) {
    for (int n = 0; n < Count; ++n) {
      diffusivity_[n] = static_cast<double>(diffusivity[n]);
      sources_.emplace_back(DiffusionDescription{.mesh = description_.mesh,
                                                 .conditions = description_.walls[static_cast<std::size_t>(n)]});
    }
    fill_volumes(control_volume_grid(description_.mesh, Centring::cell, description_.walls.front()), volume_);
  }

  [[nodiscard]] std::vector<SolveReport> solve(double time, double scale, FieldVector<Real> const& given,
                                               FieldVector<Real>& result) override {
    Fields<Real> const& right = given.fields();
    Fields<Real> const& out = result.fields();
    prepare(scale);
    Field<Real>& b = *as_field_vector<Real>(*b_).fields().front();
    Field<Real>& x = *as_field_vector<Real>(*x_).fields().front();
    for (int n = 0; n < Count; ++n) {
      auto const at = static_cast<std::size_t>(n);
      double const left = coupling_.left[n];
      for (Block const& block : volume_.mesh().blocks()) {
        scale_cells(block, b.view(block, n), left, std::as_const(volume_).view(block),
                    std::as_const(*right[at]).view(block));
        scale_cells(block, x.view(block, n), 1 / coupling_.right[n], std::as_const(*out[at]).view(block));
      }
      sources_[at].add(time, left * scale * diffusivity_[n], *b_, n);
    }
    SolveReport report = solver_->solve(*operator_, *b_, *x_);
    for (int n = 0; n < Count; ++n) {
      Field<Real>& to = *out[static_cast<std::size_t>(n)];
      for (Block const& block : volume_.mesh().blocks()) {
        scale_cells(block, to.view(block), coupling_.right[n], std::as_const(x).view(block, n));
      }
    }
    return {std::move(report)};
  }

  [[nodiscard]] bool is_symmetric() const override { return coupling_.is_symmetric; }

  void serialize(StateArchive& state) override {
    serialize_prepared(state, "solver/coupled", scale_, solver_.get(), [this](double scale) { prepare(scale); });
  }

 private:
  /// to = factor times the product of x
  template <class... X>
  void scale_cells(Block const& block, FieldView<Real> const& to, double factor, X const&... x) const {
    sweep(execution(block), volume_.owned(block), Geometry<Real>{}, to,
          equation::ScaledProduct<Real>{static_cast<Real>(factor)}, x...);
  }

  void prepare(double scale) {
    if (operator_ != nullptr && scale == scale_) return;
    for (int row = 0; row < Count; ++row) {
      description_.mass[row] = coupling_.left[row] * coupling_.right[row];
      description_.diffusivity[row] = scale * diffusivity_[row] * description_.mass[row];
      for (int column = 0; column < Count; ++column) {
        description_.reaction.entry[row][column] = -scale * coupling_.matrix.entry[row][column];
      }
    }
    if (double const reaction = reaction_over_mass(description_); !(reaction < fastest_reaction<Real>)) {
      throw SolveError("fields turn into each other " + shortest_text(reaction) +
                       " times within a step, more than this precision resolves (" +
                       shortest_text(fastest_reaction<Real>) + "); use `precision: double` or shorter steps");
    }
    operator_ = make_coupled_diffusion<Real, Axes, Count>(description_);
    scale_ = scale;
    solver_->prepare(*operator_);
    if (b_ != nullptr) return;
    b_ = operator_->create_vector();
    x_ = operator_->create_vector();
  }

  CoupledDescription<Count> description_;
  Values<double, Count> diffusivity_{};
  equation::ScaledCoupling<Count> coupling_;  ///< C
  std::unique_ptr<LinearSolver> solver_;
  Field<Real> volume_;
  std::vector<BoundarySource<Real>> sources_;  ///< of walls, with conductivity 1
  std::unique_ptr<Operator> operator_;         ///< left (1 - scale g) right, for the scale in `scale_`
  double scale_ = 0;
  std::unique_ptr<Vector> b_, x_;
};

namespace equation {

template <class Real, int Axes, int Fields>
struct CoupledSolve {
  [[nodiscard]] static std::unique_ptr<ImplicitRate<Real>> make(std::shared_ptr<StructuredMesh const> const& mesh,
                                                                std::vector<BoundaryConditions> const& walls,
                                                                Values<Real, Fields> const& diffusivity,
                                                                Matrix<Real, Fields> const& coupling,
                                                                std::unique_ptr<LinearSolver> solver);
  [[nodiscard]] static double euler_rate(Matrix<Real, Fields> const& coupling) { return coupling_euler_rate(coupling); }
};

// Not in the class, where it would be inline and compiled wherever it is called.
template <class Real, int Axes, int Fields>
std::unique_ptr<ImplicitRate<Real>> CoupledSolve<Real, Axes, Fields>::make(
    std::shared_ptr<StructuredMesh const> const& mesh, std::vector<BoundaryConditions> const& walls,
    Values<Real, Fields> const& diffusivity, Matrix<Real, Fields> const& coupling,
    std::unique_ptr<LinearSolver> solver) {
  return std::make_unique<CoupledRate<Real, Axes, Fields>>(mesh, walls, diffusivity, coupling, std::move(solver));
}

// Of two fields they are in the library.
extern template struct CoupledSolve<float, 1, 2>;
extern template struct CoupledSolve<double, 1, 2>;
extern template struct CoupledSolve<float, 2, 2>;
extern template struct CoupledSolve<double, 2, 2>;
extern template struct CoupledSolve<float, 3, 2>;
extern template struct CoupledSolve<double, 3, 2>;

}  // namespace equation

extern template std::unique_ptr<Operator> make_coupled_diffusion<float, 1, 2>(CoupledDescription<2> const&);
extern template std::unique_ptr<Operator> make_coupled_diffusion<double, 1, 2>(CoupledDescription<2> const&);
extern template std::unique_ptr<Operator> make_coupled_diffusion<float, 2, 2>(CoupledDescription<2> const&);
extern template std::unique_ptr<Operator> make_coupled_diffusion<double, 2, 2>(CoupledDescription<2> const&);
extern template std::unique_ptr<Operator> make_coupled_diffusion<float, 3, 2>(CoupledDescription<2> const&);
extern template std::unique_ptr<Operator> make_coupled_diffusion<double, 3, 2>(CoupledDescription<2> const&);

}  // namespace halocline
