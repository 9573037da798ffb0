#pragma once

#include <span>
#include <string>

#include "framework/field/initial_data_service.hpp"
#include "framework/runtime/rank_roles.hpp"

namespace halocline {

/// On a compute rank: its I/O rank evaluates expressions and reads files. `roles` must outlive this object.
class ServedInitialData final : public InitialDataService {
 public:
  explicit ServedInitialData(RankRoles const& roles) : roles_(roles) {}

  void evaluate(ExpressionRequest const& request, std::span<std::byte> to) override;
  BadEntry read(FileEntriesRequest const& request, std::span<double> to) override;
  /// Call when this rank has no more requests.
  void finish();

 private:
  [[nodiscard]] int server() const;
  void ask(std::string const& request) const;
  void receive(std::span<std::byte> to) const;

  RankRoles const& roles_;
};

/// On an I/O rank: answers the requests of its compute ranks until all of them have finished. `mesh` must have the axes
/// of the run's mesh; it may be distributed over other ranks.
void serve_initial_data(RankRoles const& roles, StructuredMesh const& mesh);

}  // namespace halocline
