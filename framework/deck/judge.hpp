#pragma once

#include <memory>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/tree.hpp"
#include "framework/deck/values.hpp"

namespace halocline::deck {

/// Holds a deck as read to its declaration: types, ranges, names, what is unknown, missing or given twice, then the
/// checks of every section. A list may have 100,000 entries. All that is wrong goes to `mistakes`; the values are whole
/// only if there is nothing.
[[nodiscard]] std::shared_ptr<Options::Values const> judge(std::shared_ptr<ResolvedSection const> const& root,
                                                           Node const& node, Mistakes& mistakes);

}  // namespace halocline::deck
