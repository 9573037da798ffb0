#pragma once

#include <memory>
#include <span>
#include <vector>

#include "framework/field/field_base.hpp"

namespace halocline {

/// Counts the owned values of fields that are not finite (NaN, plus or minus infinity), in one pass over each component
/// where the field is stored. Reuse one object for many checks: it allocates its working memory once.
class FiniteCheck {
 public:
  FiniteCheck();
  ~FiniteCheck();
  FiniteCheck(FiniteCheck const&) = delete;
  FiniteCheck& operator=(FiniteCheck const&) = delete;

  /// Enqueues the passes on the blocks' execution instances and returns.
  void start(std::span<FieldBase const* const> fields);
  /// Waits for the passes. Counts on this rank's blocks, by field and then component.
  [[nodiscard]] std::vector<Index> counts() const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace halocline
