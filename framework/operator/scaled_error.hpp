#pragma once

#include "framework/operator/vector.hpp"

namespace halocline {

/// The largest of |error| / (absolute + relative max(|before|, |after|)) over all unknowns of all ranks, 0 where there
/// is nothing to be found, NaN if any is; of vectors of fields. Collective. The same number for any number of ranks.
[[nodiscard]] double largest_scaled_error(Vector const& error, Vector const& before, Vector const& after,
                                          double absolute, double relative);

}  // namespace halocline
