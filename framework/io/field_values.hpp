#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "framework/deck/field_source.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/operator/vector.hpp"
#include "framework/runtime/precision.hpp"

// What a deck gives as the values of a field, as an expression or as a file, is what fields and vectors get here. All
// is collective over the mesh's ranks, each of which reads its own part. What is wrong ends in one InputError that
// names the option `called`; a file must be the one that was judged with the deck.

namespace halocline {

template <class Real>
class Field;

/// The owned entries of a field with one component become the source; of an expression its ghosts as well.
template <class Real>
void fill(FieldSource const& source, std::string const& called, double time, Field<Real>& field);

/// x = the source at each unknown of a vector of fields.
template <class Real>
void evaluate(FieldSource const& source, std::string const& called, double time, Vector& x);

/// b = the integral of a source over the volume of each unknown, as that of an expression is.
template <class Real>
void integrate_source(FieldSource const& source, std::string const& called, double time, Vector const& volume,
                      Vector& b);

/// A source at any place in this rank's blocks, for coefficients that are wanted between the entries of a field: a
/// file's values on cells are interpolated linearly, beyond the outermost centres they are those of the centres. Of a
/// file this rank's part is held in memory. Copies share it.
class PointValues {
 public:
  PointValues(Expression expression) : source_(std::move(expression)) {}
  PointValues(FieldSource source, std::string const& called, std::shared_ptr<StructuredMesh const> const& mesh,
              Precision precision);

  /// Not finite where the expression is not.
  [[nodiscard]] double operator()(std::array<double, 3> const& at) const;
  [[nodiscard]] std::string const& text() const { return source_.text(); }
  [[nodiscard]] std::string described() const { return source_.described(); }

 private:
  struct Part;
  FieldSource source_;
  std::shared_ptr<Part const> part_;  ///< null of an expression
};

}  // namespace halocline
