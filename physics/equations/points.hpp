#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "framework/deck/options.hpp"
#include "framework/deck/section.hpp"
#include "framework/field/field.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/plugin/physics.hpp"

// Sources and receivers, which act in single cells. A position selects the cell that contains it; on a border, the
// upper cell.

namespace halocline {

/// Of a uniform mesh.
[[nodiscard]] double cell_volume(StructuredMesh const& mesh);
/// Of the cell that a position selects.
[[nodiscard]] double cell_volume(StructuredMesh const& mesh, std::vector<double> const& position);

/// Declares the option `position` of a section.
void declare_position(Section& section);
/// Declares the list `receivers`.
///
/// \param recorded what is recorded, for its sentence: "u"
[[nodiscard]] Section receiver_section(std::string const& recorded);
/// Adds a mistake for every position outside the mesh.
void validate_positions(std::vector<Options> const& points, Options const& mesh, Mistakes& mistakes);
/// Adds a mistake for every receiver outside the mesh, and for every name that is not a valid column header or is used
/// twice.
void validate_receivers(std::vector<Options> const& receivers, Options const& mesh, Mistakes& mistakes);

/// The option `strength` of a source, an expression, at its position. The function throws InputError, naming the
/// option, where it is not finite.
[[nodiscard]] std::function<double(double time)> point_strength(Options const& source);

/// A source in a single cell.
struct PointSource {
  std::vector<double> position;
  std::function<double(double time)> strength;  ///< its integral over the cell
};

/// A cell of a block of this rank.
struct OwnedCell {
  Block const* block;
  Index entry;  ///< index in the block's allocation
};

/// What acts on one field in single cells.
template <class Real>
class PointSources {
 public:
  /// The next one. Its strength is `amplitude` times `shape(time)`.
  void add(StructuredMesh const& mesh, Field<Real> const& like, std::vector<double> const& position, double amplitude,
           std::function<double(double time)> shape);
  /// Whether there are any, on any rank.
  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// Adds `factor` times each one's strength at `time` to its cell of u.
  void add_to(Field<Real>& u, double factor, double time) const;

 private:
  struct Source {
    OwnedCell cell;
    double amplitude;
    std::function<double(double)> shape;
  };
  std::vector<Source> sources_;  ///< those in cells of this rank
  std::size_t count_ = 0;        ///< on all ranks
};

/// Single cells whose values are recorded at every step: of one field under the receiver's name, of several under
/// `name.field`.
template <class Real>
class Receivers {
 public:
  /// \param like fields of one layout
  Receivers(std::vector<Options> const& receivers, std::shared_ptr<StructuredMesh const> mesh,
            Fields<Real> const& like);
  /// Records the fields at `time`. Enqueued on the blocks' streams.
  void record(double time, Fields<Real> const& fields);
  /// All values that all ranks have recorded since the last call. Collective.
  [[nodiscard]] Traces take();

 private:
  /// Cells of one block and their recorded values.
  struct OfBlock {
    Block const* block;
    std::vector<std::size_t> receivers;  ///< by cell
    Kokkos::View<Index*, Memory> entries;
    Kokkos::View<Real**, Kokkos::LayoutRight, Memory> values;  ///< by step; for each field, by cell
  };
  void make_room();

  std::shared_ptr<StructuredMesh const> mesh_;
  std::size_t fields_;
  std::vector<std::string> names_;
  std::vector<OfBlock> blocks_;
  std::vector<double> times_;  ///< of the records
};

}  // namespace halocline
