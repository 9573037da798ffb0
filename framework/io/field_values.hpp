#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "framework/deck/field_source.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/operator/vector.hpp"
#include "framework/runtime/precision.hpp"

// Fills fields and vectors with values that a deck gives as an expression or a file. All functions are collective over
// the mesh's ranks, each of which reads its own part. Errors are reported by one InputError that names the option
// `called`; a file must be unchanged since it was validated with the deck.

namespace halocline {

template <class Real>
class Field;

/// Sets the owned entries of a field with one component to the source; for an expression also its ghosts.
template <class Real>
void fill(FieldSource const& source, std::string const& called, double time, Field<Real>& field);

/// Sets x to the source at each unknown of a vector of fields.
template <class Real>
void evaluate(FieldSource const& source, std::string const& called, double time, Vector& x);

/// Sets b to the integral of a source over the volume of each unknown, with the same rule as for an expression.
template <class Real>
void integrate_source(FieldSource const& source, std::string const& called, double time, Vector const& volume,
                      Vector& b);

/// A source at any position in this rank's blocks, for coefficients between the entries of a field. A file's values on
/// cells are interpolated linearly; beyond the outermost centres they are constant. This rank's part of a file is kept
/// in memory, and copies share it.
class PointValues {
 public:
  PointValues(Expression expression) : source_(std::move(expression)) {}
  PointValues(FieldSource source, std::string const& called, std::shared_ptr<StructuredMesh const> const& mesh,
              Precision precision);

  /// Not finite where the expression is not finite.
  [[nodiscard]] double operator()(std::array<double, 3> const& at) const;
  [[nodiscard]] std::string const& text() const { return source_.text(); }
  [[nodiscard]] std::string described() const { return source_.described(); }

 private:
  struct Part;
  FieldSource source_;
  std::shared_ptr<Part const> part_;  ///< null for an expression
};

}  // namespace halocline
