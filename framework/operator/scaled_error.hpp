#pragma once

#include <span>

#include "framework/mesh/index_range.hpp"
#include "framework/operator/vector.hpp"

namespace halocline {

template <class Real>
class Field;

/// The largest of |error| / (absolute + relative max(|before|, |after|)) over all unknowns of all ranks, for vectors of
/// fields; 0 without unknowns, NaN if any value is. Collective. The same number for any number of ranks.
[[nodiscard]] double largest_scaled_error(Vector const& error, Vector const& before, Vector const& after,
                                          double absolute, double relative);

/// The same for fields, over the given entries of this rank's blocks: `entries` by Block::local, in local indices.
template <class Real>
[[nodiscard]] double scaled_error_of_rank(Field<Real> const& error, Field<Real> const& before, Field<Real> const& after,
                                          std::span<IndexRange const> entries, double absolute, double relative);

}  // namespace halocline
