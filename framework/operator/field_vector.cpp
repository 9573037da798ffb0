#include "framework/operator/field_vector.hpp"

#include <utility>

#include "framework/field/field.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

namespace {

template <class Real>
std::vector<std::vector<IndexRange>> all_owned(Fields<Real> const& fields) {
  std::vector<std::vector<IndexRange>> all;
  for (auto const& field : fields) {
    std::vector<IndexRange> owned;
    for (Block const& block : field->mesh().blocks()) owned.push_back(field->owned(block));
    all.insert(all.end(), static_cast<std::size_t>(field->components()), owned);
  }
  return all;
}

template <class Real>
Mesh const& mesh_of(Fields<Real> const& fields) {
  if (fields.empty()) throw DefectError("a vector of no fields");
  return fields.front()->mesh();
}

/// Entries that all ranks own.
template <class Real>
Index entries_of(Fields<Real> const& fields) {
  Index entries = 0;
  for (auto const& field : fields) {
    Extents const points = field->mesh().extents(field->centring());
    entries += points[0] * points[1] * points[2] * field->components();
  }
  return entries;
}

template <class Real>
std::size_t components_of(Fields<Real> const& fields) {
  std::size_t components = 0;
  for (auto const& field : fields) components += static_cast<std::size_t>(field->components());
  return components;
}

/// Pieces of memory on this rank: one for each field, component and block.
template <class Real>
std::size_t pieces_of(Fields<Real> const& fields) {
  return components_of(fields) * mesh_of(fields).blocks().size();
}

}  // namespace

template <class Real>
FieldVector<Real>::FieldVector(Fields<Real> fields) : FieldVector(fields, all_owned(fields)) {}

template <class Real>
FieldVector<Real>::FieldVector(std::shared_ptr<Field<Real>> field) : FieldVector(Fields<Real>{std::move(field)}) {}

template <class Real>
FieldVector<Real>::FieldVector(std::shared_ptr<Field<Real>> field, std::vector<IndexRange> const& unknowns)
    : FieldVector(Fields<Real>{field}, Unknowns(static_cast<std::size_t>(field->components()), unknowns)) {}

template <class Real>
FieldVector<Real>::FieldVector(std::shared_ptr<Field<Real>> field, std::vector<std::vector<IndexRange>> unknowns)
    : FieldVector(Fields<Real>{std::move(field)}, std::move(unknowns)) {}

template <class Real>
FieldVector<Real>::FieldVector(Fields<Real> fields, Unknowns unknowns)
    : SweptVector<Real>(mesh_of(fields).shared_communicator(), pieces_of(fields)),
      fields_(std::move(fields)),
      unknowns_(std::make_shared<Unknowns const>(std::move(unknowns))) {
  for (auto const& field : fields_) {
    if (&field->mesh() != &fields_.front()->mesh()) throw DefectError("the fields of a vector have different meshes");
  }
  if (unknowns_->size() != components_of(fields_)) throw DefectError("unknowns are given for each component");
  for (auto const& of_component : *unknowns_) {
    if (of_component.size() != fields_.front()->mesh().blocks().size()) {
      throw DefectError("unknowns are given for each block");
    }
  }
  this->count_unknowns();
}

template <class Real>
FieldVector<Real>::FieldVector(Fields<Real> fields, std::shared_ptr<Unknowns const> unknowns, Index size)
    : SweptVector<Real>(mesh_of(fields).shared_communicator(), pieces_of(fields), size),
      fields_(std::move(fields)),
      unknowns_(std::move(unknowns)) {}

template <class Real>
Field<Real>& FieldVector<Real>::field() const {
  Field<Real>& first = *fields_.front();
  if (fields_.size() != 1 || first.components() != 1) {
    throw DefectError("a vector of `" + first.name() + "` needs one field with one component");
  }
  return first;
}

template <class Real>
std::vector<FieldBase*> FieldVector<Real>::underlying_fields() {
  std::vector<FieldBase*> all;
  for (auto const& field : fields_) all.push_back(field.get());
  return all;
}

template <class Real>
std::unique_ptr<Vector> FieldVector<Real>::create() const {
  Fields<Real> fields;
  for (auto const& field : fields_) {
    fields.push_back(std::make_shared<Field<Real>>(field->shared_mesh(), field->description()));
  }
  return std::unique_ptr<Vector>(new FieldVector(std::move(fields), unknowns_, this->size()));
}

template <class Real>
FieldVector<Real> FieldVector<Real>::of_field(std::size_t n) const {
  Fields<Real> alone{fields_.at(n)};
  auto unknowns = std::make_shared<Unknowns const>(all_owned(alone));
  Index const size = entries_of(alone);
  return FieldVector(std::move(alone), std::move(unknowns), size);
}

template <class Real>
void FieldVector<Real>::swap(Vector& x) {
  auto& other = static_cast<FieldVector&>(this->same_space(x));
  // By the entries of all ranks, so that all do the same.
  if (this->size() == entries_of(fields_)) {
    for (std::size_t n = 0; n < fields_.size(); ++n) fields_[n]->swap_values(*other.fields_[n]);
    return;
  }
  auto const values = create();
  values->copy(*this);
  this->copy(other);
  other.copy(*values);
}

template <class Real>
void FieldVector<Real>::before_write() {
  for (auto const& field : fields_) field->finish_exchange();
}

template <class Real>
auto FieldVector<Real>::piece(std::size_t n) const -> Piece {
  std::span<Block const> const blocks = fields_.front()->mesh().blocks();
  Block const& block = blocks[n % blocks.size()];
  std::size_t component = n / blocks.size();
  std::size_t at = 0;
  while (component >= static_cast<std::size_t>(fields_[at]->components())) {
    component -= static_cast<std::size_t>(fields_[at++]->components());
  }
  Field<Real>& field = *fields_[at];
  Mesh const& mesh = field.mesh();
  return {field.view(block, static_cast<int>(component)),
          (*unknowns_)[n / blocks.size()][block.local],
          mesh.global_owned(block.id, field.centring()).begin,
          mesh.extents(field.centring()),
          execution(block),
          n / blocks.size()};
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
