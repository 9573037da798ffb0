#pragma once

#include <memory>
#include <span>
#include <vector>

#include "framework/field/field_base.hpp"

namespace halocline {

/// Counts the owned values of fields that are no finite numbers: NaN and both infinities. One pass over each component,
/// in the memory of the fields. It keeps its working memory, so that one for many checks allocates once.
class FiniteCheck {
 public:
  FiniteCheck();
  ~FiniteCheck();
  FiniteCheck(FiniteCheck const&) = delete;
  FiniteCheck& operator=(FiniteCheck const&) = delete;

  /// Enqueues the passes on the executions of the blocks, and returns.
  void start(std::span<FieldBase const* const> fields);
  /// Waits for them. On this rank's blocks, by field and then component.
  [[nodiscard]] std::vector<Index> counts() const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace halocline
