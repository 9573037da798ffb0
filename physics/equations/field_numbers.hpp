#pragma once

#include <vector>

#include "framework/field/field.hpp"

namespace halocline {

/// Sums and extremes of a field over the cells of all ranks.
struct FieldNumbers {
  double sum = 0;        ///< of u, or of u times the volume of its cell
  double magnitude = 0;  ///< the same sum of |u|, which bounds the rounding of the first
  double least = 0;
  double most = 0;
};

/// Which of them are needed.
struct FieldNeeds {
  bool sums = false;
  bool extremes = false;
};

/// The numbers of several fields of one mesh; NaN where an entry is. All sweeps are enqueued before the first is waited
/// for, and ranks combine all results at once. Collective.
///
/// \param volume of each cell; null: sums count each cell once
template <class Real>
[[nodiscard]] std::vector<FieldNumbers> measure(Fields<Real> const& fields, std::vector<FieldNeeds> const& needs,
                                                Field<Real> const* volume);

extern template std::vector<FieldNumbers> measure(Fields<float> const&, std::vector<FieldNeeds> const&,
                                                  Field<float> const*);
extern template std::vector<FieldNumbers> measure(Fields<double> const&, std::vector<FieldNeeds> const&,
                                                  Field<double> const*);

}  // namespace halocline
