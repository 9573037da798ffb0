#pragma once

#include <span>
#include <string>

#include "framework/field/initial_data_service.hpp"
#include "framework/runtime/rank_roles.hpp"

namespace halocline {

/// On a compute rank: has expressions evaluated and files read by its I/O rank. `roles` outlives this object.
class ServedInitialData final : public InitialDataService {
 public:
  explicit ServedInitialData(RankRoles const& roles) : roles_(roles) {}

  void evaluate(ExpressionRequest const& request, std::span<std::byte> to) override;
  BadEntry read(FileEntriesRequest const& request, std::span<double> to) override;
  /// To be called when this rank has no more to ask for.
  void finish();

 private:
  [[nodiscard]] int server() const;
  void ask(std::string const& request) const;
  void receive(std::span<std::byte> to) const;

  RankRoles const& roles_;
};

/// On an I/O rank: evaluates and reads what the compute ranks that it serves ask for, until all of them have finished.
/// `mesh` has the axes of the run's; it may belong to other ranks.
void serve_initial_data(RankRoles const& roles, StructuredMesh const& mesh);

}  // namespace halocline
