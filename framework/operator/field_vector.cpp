#include "framework/operator/field_vector.hpp"

#include <utility>

#include "framework/field/field.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

namespace {

std::vector<IndexRange> all_owned(FieldBase const& field) {
  std::vector<IndexRange> owned;
  for (Block const& block : field.mesh().blocks()) owned.push_back(field.owned(block));
  return owned;
}

}  // namespace

template <class Real>
FieldVector<Real>::FieldVector(std::shared_ptr<Field<Real>> field) : FieldVector(field, all_owned(*field)) {}

template <class Real>
FieldVector<Real>::FieldVector(std::shared_ptr<Field<Real>> field, std::vector<IndexRange> unknowns)
    : SweptVector<Real>(field->mesh().shared_communicator(), field->mesh().blocks().size()),
      field_(std::move(field)),
      unknowns_(std::make_shared<std::vector<IndexRange> const>(std::move(unknowns))) {
  if (field_->components() != 1) throw DefectError("a vector of `" + field_->name() + "` needs one component");
  if (unknowns_->size() != field_->mesh().blocks().size()) throw DefectError("unknowns are given for each block");
  this->count_unknowns();
}

template <class Real>
FieldVector<Real>::FieldVector(FieldVector const& like, std::shared_ptr<Field<Real>> field)
    : SweptVector<Real>(like.communicator(), like.unknowns_->size(), like.size()),
      field_(std::move(field)),
      unknowns_(like.unknowns_) {}

template <class Real>
FieldBase* FieldVector<Real>::underlying_field() {
  return field_.get();
}

template <class Real>
std::unique_ptr<Vector> FieldVector<Real>::create() const {
  auto field = std::make_shared<Field<Real>>(field_->shared_mesh(), field_->description());
  return std::unique_ptr<Vector>(new FieldVector(*this, std::move(field)));
}

template <class Real>
auto FieldVector<Real>::piece(std::size_t n) const -> Piece {
  Mesh const& mesh = field_->mesh();
  Block const& block = mesh.blocks()[n];
  return {field_->view(block), (*unknowns_)[n], mesh.global_owned(block.id, field_->centring()).begin,
          mesh.extents(field_->centring()), execution(block)};
}

template <class Real>
FieldVector<Real> const& as_field_vector(Vector const& x) {
  auto const* vector = dynamic_cast<FieldVector<Real> const*>(&x);
  if (vector == nullptr) throw DefectError("an operator on fields was given a vector of another kind or precision");
  return *vector;
}

template class FieldVector<float>;
template class FieldVector<double>;
template FieldVector<float> const& as_field_vector(Vector const& x);
template FieldVector<double> const& as_field_vector(Vector const& x);

}  // namespace halocline
