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

/// Which array the values of a field make.
struct FieldShape {
  int dimensions = 1;
  Extents cells{1, 1, 1};
  Periodicity periodic{};
  Centring centring = Centring::cell;
  std::function<Axis(int axis)> mesh_axis;  ///< asked for where it matters: a stretched one takes memory

  /// \param mesh the judged section `mesh` of a deck
  [[nodiscard]] static FieldShape of(Options const& mesh, Centring centring);
  [[nodiscard]] static FieldShape of(StructuredMesh const& mesh, Centring centring);
  /// Entries along each axis.
  [[nodiscard]] Extents extents() const;
};

/// The error of an option that a file is given for: "`flow.initial`: `u0.npy` … (deck.yaml:7:12)".
[[nodiscard]] InputError wrong_option(std::string const& option, FieldFile const& file, std::string const& why);

/// A file of a deck as the values of a field. What is wrong is told as InputError, which names the file.
class FieldFileReader {
 public:
  /// Opens the file. Throws where it does not fit the field.
  FieldFileReader(FieldFile const& given, FieldShape const& shape);

  [[nodiscard]] InputFile const& file() const { return array_->file(); }
  /// True if its entries are those of the field.
  [[nodiscard]] bool is_of_the_same_grid() const { return same_grid_; }
  /// The file's grid over the domain of the mesh. Throws where it is one of another domain.
  [[nodiscard]] std::array<FileAxis, 3> axes() const;

  /// Collects what InitialDataFrom says, or reads itself. Calls `visit` with a box of targets and their values, x
  /// fastest, box by box: all of `targets`, each made of the entries that `stencil` tells for its index along each
  /// axis. Memory is bounded. Entries that are no values in `precision` are noted: the first one in the file of those
  /// that were read.
  void read(IndexRange const& targets, std::function<LinearStencil(int axis, Index target)> const& stencil,
            Precision precision, std::function<void(IndexRange const&, double const*)> const& visit,
            BadEntry& bad) const;
  /// The entries of a box, in indices of the file's own, where those of periodic axes repeat: x fastest. Notes in `bad`
  /// as `read` does.
  void read_entries(IndexRange const& box, Precision precision, double* values, BadEntry& bad) const;
  /// Looks at all entries.
  [[nodiscard]] BadEntry look(Precision precision) const;
  /// What is said of an entry that is none.
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
