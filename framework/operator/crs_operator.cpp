#include "framework/operator/crs_operator.hpp"

#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "framework/field/field.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/operator/crs_assembly.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/nan_aware.hpp"

namespace halocline {

namespace {

template <class Real>
using Values = Kokkos::View<Real*, Memory>;

/// A copy in the backend's memory.
template <class Real>
Values<Real> on_device(std::string const& name, std::vector<Real> const& from) {
  Values<Real> const to(Kokkos::view_alloc(name, Kokkos::WithoutInitializing), from.size());
  using HostView = Kokkos::View<Real const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::deep_copy(to, HostView(from.data(), from.size()));
  return to;
}

template <class Real>
double largest_row_sum(CrsRows<Real> const& rows) {
  double largest = 0;
  for (std::size_t row = 0; row + 1 < rows.offsets.size(); ++row) {
    double sum = 0;
    for (Index n = rows.offsets[row]; n < rows.offsets[row + 1]; ++n) {
      sum += std::abs(static_cast<double>(rows.values[static_cast<std::size_t>(n)]));
    }
    largest = larger(largest, sum);
  }
  return largest;
}

/// The diagonal in the order of the allocation.
template <class Real>
std::vector<Real> diagonal_of(CrsRows<Real> const& rows) {
  std::vector<Real> diagonal(rows.offsets.size() - 1);
  for (std::size_t row = 0; row < diagonal.size(); ++row) {
    for (Index n = rows.offsets[row]; n < rows.offsets[row + 1]; ++n) {
      auto const at = static_cast<std::size_t>(n);
      if (rows.columns[at] == static_cast<Index>(row)) diagonal[row] = rows.values[at];
    }
  }
  return diagonal;
}

}  // namespace

template <class Real>
struct CrsOperator<Real>::Matrix {
  KokkosSparse::CrsMatrix<Real, Index, Kokkos::Device<Execution, Memory>, void, Index> entries;

  explicit Matrix(CrsRows<Real> const& rows)
      : entries("halocline matrix", static_cast<Index>(rows.offsets.size()) - 1,
                static_cast<Index>(rows.offsets.size()) - 1, static_cast<Index>(rows.values.size()),
                on_device("values", rows.values), on_device("offsets", rows.offsets),
                on_device("columns", rows.columns)) {}
};

template <class Real>
CrsOperator<Real>::CrsOperator(Operator const& a, int radius) : diagonal_(a.create_vector()) {
  Field<Real>& field = as_field_vector<Real>(*diagonal_).field();
  Mesh const& mesh = field.mesh();
  std::vector<CrsRows<Real>> const rows = assemble_rows<Real>(a, radius);
  for (Block const& block : mesh.blocks()) {
    CrsRows<Real> const& mine = rows[block.local];
    matrices_.push_back(std::make_unique<Matrix>(mine));
    std::vector<Real> const diagonal = diagonal_of(mine);
    Kokkos::deep_copy(Kokkos::View<Real*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                          static_cast<Real*>(field.data(block)), diagonal.size()),
                      on_device("diagonal", diagonal));
    field.mark_written(block, field.owned(block), "diagonal of a matrix");
    nonzeros_ += static_cast<Index>(mine.values.size());
    norm_ = larger(norm_, largest_row_sum(mine));
  }
  nonzeros_ = mesh.communicator().sum(nonzeros_);
  norm_ = mesh.communicator().max(norm_);
  exchange_ = std::make_unique<Exchange>(std::vector<FieldBase const*>{&field},
                                         ExchangeOptions{.corners = true, .width = radius, .transport = nullptr});
}

template <class Real>
CrsOperator<Real>::~CrsOperator() = default;

template <class Real>
void CrsOperator<Real>::apply(Vector const& x, Vector& y) const {
  Field<Real>& from = as_field_vector<Real>(x).field();
  Field<Real>& to = as_field_vector<Real>(y).field();
  exchange_->exchange({&from});
  for (Block const& block : from.mesh().blocks()) {
    using Array = Kokkos::View<Real*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    auto const entries = static_cast<std::size_t>(from.layout(block).entries);
    Array const in(static_cast<Real*>(from.data(block)), entries);
    Array const out(static_cast<Real*>(to.data(block)), entries);
    KokkosSparse::spmv(execution(block), "N", Real{1}, matrices_[block.local]->entries, in, Real{0}, out);
    to.mark_written(block, to.owned(block), "product with a matrix");
  }
}

template <class Real>
bool CrsOperator<Real>::diagonal(Vector& d) const {
  d.copy(*diagonal_);
  return true;
}

template class CrsOperator<float>;
template class CrsOperator<double>;

}  // namespace halocline
