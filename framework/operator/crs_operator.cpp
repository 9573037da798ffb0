#include "framework/operator/crs_operator.hpp"

#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "framework/field/field.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/kernel/backends.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/operator/cg_steps.hpp"
#include "framework/operator/crs_assembly.hpp"
#include "framework/operator/crs_host_product.hpp"
#include "framework/operator/crs_local_rows.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/nan_aware.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "framework/operator/crs_cuda_product.hpp"
#endif

namespace halocline {

namespace {

template <class Real>
using Array = Kokkos::View<Real*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// A block's part of a vector, in the order of the allocation.
template <class Real>
[[nodiscard]] Array<Real> array_of(Field<Real>& field, Block const& block) {
  return Array<Real>(static_cast<Real*>(field.data(block)), static_cast<std::size_t>(field.layout(block).entries));
}

/// The sum of a row's magnitudes: reduced to the maximum, and to the number of NaN, which a maximum loses.
template <class Real>
struct LargestRowSum {
  CrsRows<Real> rows;
  KOKKOS_FUNCTION void operator()(std::size_t row, double& largest, int& not_numbers) const {
    double sum = 0;
    for (int n = rows.offsets(row); n < rows.offsets(row + 1); ++n) {
      sum += Kokkos::abs(static_cast<double>(rows.values(static_cast<std::size_t>(n))));
    }
    if (sum > largest) largest = sum;
    if (Kokkos::isnan(sum)) ++not_numbers;
  }
};

template <class Real>
[[nodiscard]] double largest_row_sum(Execution const& where, CrsRows<Real> const& rows) {
  double largest = 0;
  int not_numbers = 0;
  Kokkos::parallel_reduce(Kokkos::RangePolicy<Execution>(where, 0, rows.offsets.extent(0) - 1),
                          LargestRowSum<Real>{rows}, Kokkos::Max<double>(largest), not_numbers);
  return not_numbers > 0 ? std::numeric_limits<double>::quiet_NaN() : largest;
}

template <class Real>
struct CopyDiagonal {
  CrsRows<Real> rows;
  Array<Real> diagonal;
  KOKKOS_FUNCTION void operator()(std::size_t row) const {
    diagonal(row) = 0;
    for (int n = rows.offsets(row); n < rows.offsets(row + 1); ++n) {
      auto const at = static_cast<std::size_t>(n);
      if (rows.columns(at) == static_cast<int>(row)) diagonal(row) = rows.values(at);
    }
  }
};

/// The product by Kokkos Kernels, where the framework has no kernel of its own.
template <class Real>
class KernelsProduct {
 public:
  static constexpr bool has_dot = false;

  KernelsProduct(CrsRows<Real> const& rows, BlockLayout const& /*layout*/, IndexRange const& /*unknowns*/)
      : matrix_("halocline matrix", static_cast<int>(rows.offsets.extent(0)) - 1,
                static_cast<int>(rows.offsets.extent(0)) - 1, static_cast<int>(rows.values.extent(0)), rows.values,
                rows.offsets, rows.columns) {}
  /// Enqueues y = A x.
  void multiply(Execution const& where, Real const* x, Real* y, bool /*with_dot*/) {
    auto const rows = static_cast<std::size_t>(matrix_.numRows());
    using Input = Kokkos::View<Real const*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    KokkosSparse::spmv(where, "N", Real{1}, matrix_, Input(x, rows), Real{0}, Array<Real>(y, rows));
  }
  [[nodiscard]] double dot() const { return 0; }

 private:
  KokkosSparse::CrsMatrix<Real, int, Kokkos::Device<Execution, Memory>, void, int> matrix_;
};

template <class Real>
using Product =
#if defined(KOKKOS_ENABLE_CUDA)
    std::conditional_t<kernel::is_host<Execution>, CrsHostProduct<Real>, CrsCudaProduct<Real>>;
#else
    std::conditional_t<kernel::is_host<Execution>, CrsHostProduct<Real>, KernelsProduct<Real>>;
#endif

}  // namespace

template <class Real>
struct CrsOperator<Real>::Matrix {
  CrsRows<Real> rows;
  Product<Real> product;
};

/// Steps of conjugate gradients whose product includes p . A p where one kernel computes both.
template <class Real>
class CrsOperator<Real>::Steps final : public CgSteps {
 public:
  explicit Steps(CrsOperator const& a) : a_(a) {}
  double apply_dot(Vector const& x, Vector& y) const override {
    a_.multiply(x, y, Product<Real>::has_dot);
    if (!Product<Real>::has_dot) return x.dot(y);
    double sum = 0;
    for (auto const& matrix : a_.matrices_) sum += matrix->product.dot();
    return as_field_vector<Real>(x).field().mesh().communicator().sum(sum);
  }

 private:
  CrsOperator const& a_;
};

template <class Real>
CrsOperator<Real>::CrsOperator(Operator const& a, int radius)
    : diagonal_(a.create_vector()), steps_(std::make_unique<Steps>(*this)) {
  Field<Real>& field = as_field_vector<Real>(*diagonal_).field();
  Mesh const& mesh = field.mesh();
  std::vector<CrsRows<Real>> const rows = assemble_rows<Real>(a, radius);
  for (Block const& block : mesh.blocks()) {
    CrsRows<Real> const& mine = rows[block.local];
    std::size_t const count = mine.offsets.extent(0) - 1;
    matrices_.push_back(std::unique_ptr<Matrix>(
        new Matrix{mine, {mine, field.layout(block), as_field_vector<Real>(*diagonal_).unknowns(block)}}));
    Kokkos::parallel_for(Kokkos::RangePolicy<Execution>(execution(block), 0, count),
                         CopyDiagonal<Real>{mine, array_of(field, block)});
    field.mark_written(block, field.owned(block), "diagonal of a matrix");
    nonzeros_ += static_cast<Index>(mine.values.extent(0));
    norm_ = larger(norm_, largest_row_sum(execution(block), mine));
  }
  nonzeros_ = mesh.communicator().sum(nonzeros_);
  norm_ = mesh.communicator().max(norm_);
  exchange_ = std::make_unique<Exchange>(std::vector<FieldBase const*>{&field},
                                         ExchangeOptions{.corners = true, .width = radius, .transport = nullptr});
}

template <class Real>
CrsOperator<Real>::~CrsOperator() = default;

template <class Real>
CgSteps const* CrsOperator<Real>::cg() const {
  return steps_.get();
}

template <class Real>
void CrsOperator<Real>::apply(Vector const& x, Vector& y) const {
  multiply(x, y, false);
}

/// y = A x and, if `with_dot`, x . y on this rank.
template <class Real>
void CrsOperator<Real>::multiply(Vector const& x, Vector& y, bool with_dot) const {
  Field<Real>& from = as_field_vector<Real>(x).field();
  Field<Real>& to = as_field_vector<Real>(y).field();
  exchange_->exchange({&from});
  for (Block const& block : from.mesh().blocks()) {
    matrices_[block.local]->product.multiply(execution(block), static_cast<Real const*>(from.data(block)),
                                             static_cast<Real*>(to.data(block)), with_dot);
    to.mark_written(block, to.owned(block), "product with a matrix");
  }
}

template <class Real>
bool CrsOperator<Real>::diagonal(Vector& d) const {
  d.copy(*diagonal_);
  return true;
}

template <class Real>
auto CrsOperator<Real>::local_blocks() const {
  // Throws SolveError where a diagonal entry is zero.
  std::unique_ptr<Vector> const inverse = diagonal_->create();
  inverse->copy(*diagonal_);
  inverse->invert();
  auto const& like = as_field_vector<Real>(*diagonal_);
  std::vector<CrsLocalRows<Real>> blocks;
  for (Block const& block : like.field().mesh().blocks()) {
    blocks.push_back(
        local_rows(execution(block), matrices_[block.local]->rows, like.field().layout(block), like.unknowns(block)));
  }
  return blocks;
}

template <class Real>
std::unique_ptr<MatrixSolve> CrsOperator<Real>::make_gauss_seidel(int sweeps) const {
  return make_crs_gauss_seidel(local_blocks(), as_field_vector<Real>(*diagonal_), sweeps);
}

template <class Real>
std::unique_ptr<MatrixSolve> CrsOperator<Real>::make_incomplete_lu(int fill) const {
  return make_crs_incomplete_lu(local_blocks(), as_field_vector<Real>(*diagonal_), fill);
}

template class CrsOperator<float>;
template class CrsOperator<double>;

}  // namespace halocline
