#pragma once

#include <array>
#include <vector>

#include "framework/mesh/index_range.hpp"

namespace halocline {

/// A chain of stages over one block, of which each may read what the one before made of the next unknown on every axis:
/// colours of Gauss-Seidel, a prolongation before or a restriction behind them. Stage s is run s unknowns
/// behind the first one, so that one pass over memory does them all (a wavefront; Weiss et al., Memory characteristics
/// of iterative methods, SC 1999), with the same bits as stage after stage.
///
/// In three dimensions the front goes through a tile of the rows of a slice at a time: what all stages hold of a tile
/// stays in the cache of one core, where whole slices would need the one that all cores share. Tiles are skewed as the
/// front is: that of stage s lies s rows before that of the first stage.
///
/// Beside a neighbouring block, stage s can only run s unknowns away from the border: the rest, its shell, waits for
/// ghosts that hold stage s - 1.
struct Wavefront {
  IndexRange box;                             ///< local indices of the block's unknowns
  std::array<std::array<bool, 2>, 3> open{};  ///< sides (axis; lower, upper) where a block is next to this one
  std::array<Index, 3> alignment{1, 1, 1};    ///< of the stage that is told so, counted from the box's begin: 1 or 2
  int axis = 0;                               ///< the last axis of the mesh: the one that the front runs along
  Index bytes_per_unknown = 0;                ///< what all stages together hold of one unknown

  /// Where the stage that is `lag` behind the first one needs no new ghosts; if `aligned`, whole units of `alignment`.
  [[nodiscard]] IndexRange interior(Index lag, bool aligned) const;
  /// The rest of the box, as disjoint boxes.
  [[nodiscard]] std::vector<IndexRange> shell(Index lag, bool aligned) const;
  /// Where the pieces that threads work on begin, and the end of the last: cuts along `axis`.
  [[nodiscard]] std::vector<Index> cuts(int stages, int threads) const;
  /// The axis that tiles cut: the one before `axis`, if there is one.
  [[nodiscard]] int tiled_axis() const { return axis > 0 ? axis - 1 : 0; }
  /// Where tiles begin, and the end of the last. One tile in less than three dimensions, whose slices are rows.
  [[nodiscard]] std::vector<Index> tiles(int stages) const;
  /// How far the front goes at a time: pieces long enough to vectorise, short enough for the caches.
  [[nodiscard]] Index step() const;
  /// Stages that one pass may hold so that the front stays in the caches; even.
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
