#pragma once

#include <memory>
#include <vector>

#include "framework/mesh/mesh.hpp"
#include "framework/operator/swept_vector.hpp"

namespace halocline {

template <class Real>
class Field;

/// The unknowns of a field with one component: its owned entries on all blocks, or a box of them on each block (nodes
/// without those of a Dirichlet boundary). Vector operations do not touch other entries of the field, ghosts included;
/// these are zero in vectors made by `create`. An exchange may write ghosts through `field()`.
template <class Real>
class FieldVector final : public SweptVector<Real> {
 public:
  /// All owned entries are unknowns. Collective. Throws DefectError for a field with several components.
  explicit FieldVector(std::shared_ptr<Field<Real>> field);
  /// \param unknowns by Block::local, in local indices, inside the owned range
  FieldVector(std::shared_ptr<Field<Real>> field, std::vector<IndexRange> unknowns);

  [[nodiscard]] std::unique_ptr<Vector> create() const override;
  [[nodiscard]] FieldBase* underlying_field() override;
  [[nodiscard]] Field<Real>& field() const { return *field_; }
  [[nodiscard]] IndexRange const& unknowns(Block const& block) const { return (*unknowns_)[block.local]; }
  /// By Block::local.
  [[nodiscard]] std::vector<IndexRange> const& unknowns() const { return *unknowns_; }

 private:
  using typename SweptVector<Real>::Piece;
  FieldVector(FieldVector const& like, std::shared_ptr<Field<Real>> field);
  [[nodiscard]] Piece piece(std::size_t n) const override;

  std::shared_ptr<Field<Real>> field_;
  std::shared_ptr<std::vector<IndexRange> const> unknowns_;
};

/// `x` as the vector of a field of this precision. Throws DefectError for any other vector.
template <class Real>
[[nodiscard]] FieldVector<Real> const& as_field_vector(Vector const& x);

extern template class FieldVector<float>;
extern template class FieldVector<double>;

}  // namespace halocline
