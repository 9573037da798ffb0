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

// Sources and receivers: what happens in single cells. A position stands for the cell that it lies in; on the border of
// two, for the upper one.

namespace halocline::wave {

/// Declares the list `sources`.
[[nodiscard]] Section source_section();
/// Declares the list `receivers`.
[[nodiscard]] Section receiver_section();
/// Adds a mistake for every position that is not one of the mesh.
void judge_positions(std::vector<Options> const& points, Options const& mesh, Mistakes& mistakes);

/// Adds a mistake for every name that cannot head a column, or that heads another one already.
void judge_names(std::vector<Options> const& receivers, Mistakes& mistakes);

/// A cell of a block of this rank.
struct OwnedCell {
  Block const* block;
  Index entry;  ///< of the block's allocation
};

/// Pulses that come out of single cells: Ricker's wavelet, the second derivative of a Gaussian (Ricker, 1953,
/// Geophysics 18, equation 2).
template <class Real>
class Sources {
 public:
  /// \param start of the run, in time
  Sources(std::vector<Options> const& sources, double start, StructuredMesh const& mesh, Field<Real> const& like);
  /// Adds `factor` times each source's strength at `time`, per volume of its cell, to its cell of u.
  void add(double factor, double time, Field<Real>& u) const;

 private:
  struct Source {
    OwnedCell cell;
    double amplitude;  ///< divided by the volume of the cell
    double frequency;  ///< of the largest amplitude
    double middle;     ///< time of the wavelet's
  };
  std::vector<Source> sources_;  ///< in cells of this rank
};

/// Single cells that are recorded step by step.
template <class Real>
class Receivers {
 public:
  Receivers(std::vector<Options> const& receivers, std::shared_ptr<StructuredMesh const> mesh, Field<Real> const& like);
  /// Records u at `time`. Enqueued on the blocks' streams.
  void record(double time, Field<Real> const& u);
  /// What all ranks have recorded since the last call. Collective.
  [[nodiscard]] Traces take();

 private:
  /// Cells of one block and the values that they had.
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
  std::vector<double> times_;  ///< of what is recorded
};

}  // namespace halocline::wave
