#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "framework/deck/options.hpp"
#include "framework/deck/section.hpp"
#include "framework/field/field.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/plugin/physics.hpp"

// Sources and receivers, which act in single cells. A position selects the cell that contains it; on a border, the
// upper cell.

namespace halocline::wave {

/// Declares the list `sources`.
[[nodiscard]] Section source_section();
/// Declares the list `receivers`.
[[nodiscard]] Section receiver_section();
/// Adds a mistake for every position outside the mesh.
void validate_positions(std::vector<Options> const& points, Options const& mesh, Mistakes& mistakes);

/// Adds a mistake for every name that is not a valid column header or is used twice.
void validate_names(std::vector<Options> const& receivers, Mistakes& mistakes);

/// A cell of a block of this rank.
struct OwnedCell {
  Block const* block;
  Index entry;  ///< index in the block's allocation
};

/// Pulses emitted in single cells: Ricker's wavelet, the second derivative of a Gaussian (Ricker, 1953, Geophysics 18,
/// equation 2).
template <class Real>
class Sources {
 public:
  /// \param start time at which the run starts
  Sources(std::vector<Options> const& sources, double start, StructuredMesh const& mesh, Field<Real> const& like);
  /// Adds `factor` times each source's strength at `time`, per volume of its cell, to its cell of u.
  void add(double factor, double time, Field<Real>& u) const;

 private:
  struct Source {
    OwnedCell cell;
    double amplitude;  ///< divided by the volume of the cell
    double frequency;  ///< where the spectrum has its maximum
    double middle;     ///< time of the wavelet's centre
  };
  std::vector<Source> sources_;  ///< those in cells of this rank
};

/// Single cells whose values are recorded at every step.
template <class Real>
class Receivers {
 public:
  Receivers(std::vector<Options> const& receivers, std::shared_ptr<StructuredMesh const> mesh, Field<Real> const& like);
  /// Records u at `time`. Enqueued on the blocks' streams.
  void record(double time, Field<Real> const& u);
  /// All values that all ranks have recorded since the last call. Collective.
  [[nodiscard]] Traces take();

 private:
  /// Cells of one block and their recorded values.
  struct OfBlock {
    Block const* block;
    std::vector<std::size_t> receivers;  ///< by cell
    Kokkos::View<Index*, Memory> entries;
    Kokkos::View<Real**, Kokkos::LayoutRight, Memory> values;  ///< by step, then cell
  };
  void make_room();

  std::shared_ptr<StructuredMesh const> mesh_;
  std::vector<std::string> names_;
  std::vector<OfBlock> blocks_;
  std::vector<double> times_;  ///< of the records
};

}  // namespace halocline::wave
