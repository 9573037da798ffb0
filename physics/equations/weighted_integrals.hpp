#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/operator/field_vector.hpp"
#include "framework/plugin/physics.hpp"

namespace halocline {

/// A reported number: the integral of a field of the state times a field that does not change.
struct WeightedIntegral {
  std::string name;
  std::string field;   ///< empty: 1
  std::string weight;  ///< empty: 1

  /// Whether it is the integral of this field alone.
  [[nodiscard]] bool is_of(std::string const& one) const { return field == one && weight.empty(); }
};

/// Some of them on the cells of a mesh.
template <class Real>
class WeightedIntegrals {
 public:
  /// Collective.
  ///
  /// \param volume  of each cell
  /// \param state   fields at the start; a field's values bound the terms of its integral from then on
  /// \param weights fields that are named as weights
  WeightedIntegrals(std::vector<WeightedIntegral> const& declared, FieldVector<Real> const& volume,
                    Fields<Real> const& state, Fields<Real> const& weights);

  /// Adds the present ones in the order in which they were declared. Integrals of one field take one pass. Collective.
  void add(FieldVector<Real> const& state, std::vector<Quantity>& all) const;

 private:
  /// Of one field of the state.
  struct OfField {
    std::size_t field;
    std::vector<std::shared_ptr<Vector const>> weights;  ///< each times the volume
    std::vector<std::size_t> places;                     ///< among `quantities_`
  };
  std::vector<Quantity> quantities_;  ///< as they were at the start
  std::vector<OfField> of_fields_;
};

extern template class WeightedIntegrals<float>;
extern template class WeightedIntegrals<double>;

}  // namespace halocline
