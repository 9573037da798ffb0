#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/precision.hpp"

namespace halocline {

/// Which values of an expression of x, y, z and t are wanted: those at the entries of a box of a mesh, in global
/// indices, which may lie beyond the mesh as ghosts do.
struct ExpressionRequest {
  std::string text;
  double time = 0;
  Centring centring = Centring::cell;
  IndexRange box;
  Precision precision = Precision::double_;
};

/// Bytes of its values.
[[nodiscard]] Index bytes_of(ExpressionRequest const& request);
/// Puts them into `to`, x fastest, without gaps: the bits that Field::fill gives a field.
void evaluate(StructuredMesh const& mesh, ExpressionRequest const& request, std::span<std::byte> to);

/// Whoever evaluates expressions for this rank: an I/O rank that generates its initial data.
class ExpressionService {
 public:
  virtual ~ExpressionService() = default;
  ExpressionService(ExpressionService const&) = delete;
  ExpressionService& operator=(ExpressionService const&) = delete;

  virtual void evaluate(ExpressionRequest const& request, std::span<std::byte> to) = 0;

 protected:
  ExpressionService() = default;
};

/// While one of these lives, Field::fill has the values of expressions from `service`, but for constants. Null: this
/// rank evaluates itself, as without one.
class ExpressionsFrom {
 public:
  explicit ExpressionsFrom(ExpressionService* service);
  ~ExpressionsFrom();
  ExpressionsFrom(ExpressionsFrom const&) = delete;
  ExpressionsFrom& operator=(ExpressionsFrom const&) = delete;

  /// Null where this rank evaluates itself.
  [[nodiscard]] static ExpressionService* current();

 private:
  ExpressionService* before_;
};

}  // namespace halocline
