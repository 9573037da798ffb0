#pragma once

#include <memory>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/tree.hpp"
#include "framework/deck/values.hpp"

namespace halocline::deck {

/// Validates a parsed deck against its declaration: types, ranges, names, unknown, missing and duplicate entries, then
/// the checks of every section. A list may have 100,000 entries. All mistakes are added to `mistakes`; the values are
/// complete only if there are none.
[[nodiscard]] std::shared_ptr<Options::Values const> validate(std::shared_ptr<ResolvedSection const> const& root,
                                                              Node const& node, Mistakes& mistakes);

}  // namespace halocline::deck
