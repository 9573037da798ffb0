#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>

#include "framework/deck/field_source.hpp"
#include "framework/deck/options.hpp"
#include "framework/field/initial_data_service.hpp"
#include "framework/io/array_file.hpp"
#include "framework/io/file_axis.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/precision.hpp"

namespace halocline {

/// Shape of the array for the values of a field.
struct FieldShape {
  int dimensions = 1;
  Extents cells{1, 1, 1};
  Periodicity periodic{};
  Centring centring = Centring::cell;
  std::function<Axis(int axis)> mesh_axis;  ///< called only if needed: a stretched axis takes memory

  /// \param mesh the validated section `mesh` of a deck
  [[nodiscard]] static FieldShape of(Options const& mesh, Centring centring);
  [[nodiscard]] static FieldShape of(StructuredMesh const& mesh, Centring centring);
  /// Entries along each axis.
  [[nodiscard]] Extents extents() const;
};

/// The error for an option that is given by a file: "`flow.initial`: `u0.npy` … (deck.yaml:7:12)".
[[nodiscard]] InputError wrong_option(std::string const& option, FieldFile const& file, std::string const& why);

/// Reads the values of a field from a file of a deck. Errors are InputErrors that name the file.
class FieldFileReader {
 public:
  /// Opens the file. Throws if it does not fit the field.
  FieldFileReader(FieldFile const& given, FieldShape const& shape);

  [[nodiscard]] InputFile const& file() const { return array_->file(); }
  /// True if its entries are on the field's own grid.
  [[nodiscard]] bool is_of_the_same_grid() const { return same_grid_; }
  /// The file's grid on the domain of the mesh. Throws if its domain differs.
  [[nodiscard]] std::array<FileAxis, 3> axes() const;

  /// Reads from the InitialDataFrom service if there is one, otherwise from the file. Calls `visit` box by box for all
  /// of `targets`, with the values of each box, x fastest; `stencil` gives the entries for a target's index along each
  /// axis. Memory is bounded. Stores in `bad` the first entry in the file, among those read, that is not a valid value
  /// in `precision`.
  void read(IndexRange const& targets, std::function<LinearStencil(int axis, Index target)> const& stencil,
            Precision precision, std::function<void(IndexRange const&, double const*)> const& visit,
            BadEntry& bad) const;
  /// Reads the entries of a box in indices of the file, which repeat on periodic axes: x fastest. Sets `bad` as `read`
  /// does.
  void read_entries(IndexRange const& box, Precision precision, double* values, BadEntry& bad) const;
  /// Checks all entries and returns the first invalid one.
  [[nodiscard]] BadEntry first_bad(Precision precision) const;
  /// The error for an invalid entry.
  [[nodiscard]] InputError refusal(BadEntry const& bad, Precision precision) const;

 private:
  void require_component() const;
  void require_extents();
  void require_axes();
  [[nodiscard]] Axis cells_along(int axis) const;
  void note(IndexRange const& box, Precision precision, double const* values, BadEntry& bad) const;

  FieldFile given_;
  FieldShape shape_;
  std::unique_ptr<ArrayFile> array_;
  bool on_nodes_ = false;
  bool same_grid_ = false;
  Extents entries_{1, 1, 1};  ///< of the file's grid, without the repeated nodes of periodic axes
};

}  // namespace halocline
