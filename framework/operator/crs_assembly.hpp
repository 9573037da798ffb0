#pragma once

#include <vector>

#include "framework/mesh/index_range.hpp"
#include "framework/operator/operator.hpp"

namespace halocline {

/// One block's rows of a matrix in host memory, numbered by place in the block's allocation.
template <class Real>
struct CrsRows {
  std::vector<Index> offsets;  ///< where each row begins; one more than there are rows
  std::vector<Index> columns;
  std::vector<Real> values;
};

/// The rows of all of this rank's blocks, by Block::local. Collective. See CrsOperator.
template <class Real>
[[nodiscard]] std::vector<CrsRows<Real>> assemble_rows(Operator const& a, int radius);

}  // namespace halocline
