#pragma once

#include <array>
#include <vector>

#include "framework/mesh/index_range.hpp"

namespace halocline {

/// A chain of stages over one block, each of which may read the previous stage's results one unknown away on every
/// axis: colours of Gauss-Seidel, a prolongation before them or a restriction after them. Stage s runs s unknowns
/// behind the first one, so that one pass over memory performs all (wavefront blocking; Weiss et al., Memory
/// characteristics of iterative methods, SC 1999), with the same bits as one stage after the other.
///
/// In three dimensions the front processes one tile of a slice's rows at a time: the data of all stages of a tile stay
/// in one core's cache, while whole slices would need the cache shared by all cores. Tiles are skewed like the front:
/// the tile of stage s lies s rows before that of the first stage.
///
/// Beside a neighbouring block, stage s can only run s unknowns away from the border. The rest, its shell, waits for
/// ghosts with the results of stage s - 1.
struct Wavefront {
  IndexRange box;                             ///< local indices of the block's unknowns
  std::array<std::array<bool, 2>, 3> open{};  ///< sides (axis; lower, upper) with a neighbouring block
  std::array<Index, 3> alignment{1, 1, 1};    ///< of the aligned stage, relative to the box's start: 1 or 2
  int axis = 0;                               ///< the last axis of the mesh, along which the front moves
  Index bytes_per_unknown = 0;                ///< of the data of all stages together

  /// Where the stage `lag` behind the first needs no new ghosts; if `aligned`, in whole units of `alignment`.
  [[nodiscard]] IndexRange interior(Index lag, bool aligned) const;
  /// The rest of the box, as disjoint boxes.
  [[nodiscard]] std::vector<IndexRange> shell(Index lag, bool aligned) const;
  /// Starts of the threads' pieces, and the end of the last: cuts along `axis`.
  [[nodiscard]] std::vector<Index> cuts(int stages, int threads) const;
  /// The axis that is divided into tiles: the one before `axis`, if there is one.
  [[nodiscard]] int tiled_axis() const { return axis > 0 ? axis - 1 : 0; }
  /// Starts of the tiles, and the end of the last. One tile in less than three dimensions, where slices are rows.
  [[nodiscard]] std::vector<Index> tiles(int stages) const;
  /// How far the front moves at a time: pieces long enough to vectorise, short enough for the caches.
  [[nodiscard]] Index step() const;
  /// Number of stages of one pass for which the front stays in the caches; even.
  [[nodiscard]] int stages_per_pass(int stages) const;
};

/// One stage on one piece of a block: `run(stages, s, piece)`.
using RunStage = void (*)(void const* stages, int stage, IndexRange const& piece);

/// The stages `first` … `last - 1`, run in one pass over memory. The aligned stage, if any, is the last of a wavefront
/// and an even number of stages behind the first.
struct WavefrontPass {
  int first = 0;
  int last = 0;
  int aligned_stage = -1;
};

/// The interiors of all stages of one block, on the threads of the host.
void run_wavefront_interior(Wavefront const& wavefront, WavefrontPass const& pass, void const* stages, RunStage run);
/// One stage on its shell.
void run_wavefront_shell(Wavefront const& wavefront, WavefrontPass const& pass, int stage, void const* stages,
                         RunStage run);

}  // namespace halocline
