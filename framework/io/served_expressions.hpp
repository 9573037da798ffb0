#pragma once

#include <span>

#include "framework/field/expression_service.hpp"
#include "framework/runtime/rank_roles.hpp"

namespace halocline {

/// On a compute rank: has expressions evaluated by its I/O rank. `roles` outlives this object.
class ServedExpressions final : public ExpressionService {
 public:
  explicit ServedExpressions(RankRoles const& roles) : roles_(roles) {}

  void evaluate(ExpressionRequest const& request, std::span<std::byte> to) override;
  /// To be called when this rank has no more to ask for.
  void finish();

 private:
  [[nodiscard]] int server() const;

  RankRoles const& roles_;
};

/// On an I/O rank: evaluates what the compute ranks that it serves ask for, until all of them have finished. `mesh` has
/// the axes of the run's; it may belong to other ranks.
void serve_expressions(RankRoles const& roles, StructuredMesh const& mesh);

}  // namespace halocline
