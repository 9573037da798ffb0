#pragma once

#include <memory>
#include <vector>

#include "framework/field/field_base.hpp"
#include "framework/operator/swept_vector.hpp"

namespace halocline {

/// The unknowns of one or more fields on one mesh, each with its own centring and components: their owned entries on
/// all blocks, or, for one field, a box of them on each block (nodes without those of a Dirichlet boundary), which may
/// differ between components (walls that hold one component of a vector). Vector
/// operations do not touch other entries of the fields, ghosts included; these are zero in vectors made by `create`. An
/// exchange may write ghosts through `fields()`; operations that write the vector wait for it.
template <class Real>
class FieldVector final : public SweptVector<Real> {
 public:
  /// All owned entries are unknowns. Collective. Throws DefectError without fields, or if they have different meshes.
  explicit FieldVector(Fields<Real> fields);
  explicit FieldVector(std::shared_ptr<Field<Real>> field);
  /// \param unknowns by Block::local, in local indices, inside the owned range; of all components
  FieldVector(std::shared_ptr<Field<Real>> field, std::vector<IndexRange> const& unknowns);
  /// \param unknowns by component, then Block::local
  FieldVector(std::shared_ptr<Field<Real>> field, std::vector<std::vector<IndexRange>> unknowns);

  [[nodiscard]] std::unique_ptr<Vector> create() const override;
  /// Does not move values, unless some owned entries are no unknowns.
  void swap(Vector& x) override;
  [[nodiscard]] std::vector<FieldBase*> underlying_fields() override;
  [[nodiscard]] Fields<Real> const& fields() const { return fields_; }
  /// The field of a vector with one field of one component; throws DefectError otherwise.
  [[nodiscard]] Field<Real>& field() const;
  /// Of a component; those of all fields are numbered one after the other.
  [[nodiscard]] IndexRange const& unknowns(Block const& block, std::size_t component = 0) const {
    return (*unknowns_)[component][block.local];
  }
  /// A vector of one of the fields, with its memory, if all owned entries of all fields are unknowns.
  [[nodiscard]] FieldVector of_field(std::size_t n) const;
  /// Of the first component, by Block::local.
  [[nodiscard]] std::vector<IndexRange> const& unknowns() const { return unknowns_->front(); }

 private:
  using Unknowns = std::vector<std::vector<IndexRange>>;
  using typename SweptVector<Real>::Piece;
  FieldVector(Fields<Real> fields, Unknowns unknowns);
  FieldVector(Fields<Real> fields, std::shared_ptr<Unknowns const> unknowns, Index size);
  [[nodiscard]] Piece piece(std::size_t n) const override;
  void before_write() override;

  Fields<Real> fields_;
  std::shared_ptr<Unknowns const> unknowns_;  ///< by component of all fields, then Block::local
};

/// `x` as the vector of fields of this precision. Throws DefectError for any other vector.
template <class Real>
[[nodiscard]] FieldVector<Real> const& as_field_vector(Vector const& x);

extern template class FieldVector<float>;
extern template class FieldVector<double>;

}  // namespace halocline
