#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

#include "framework/field/ghost_events.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/runtime/region.hpp"

namespace halocline {

/// Sweeps the interior of a block while an exchange is under way. A sweep on the host stops at a few points, so that
/// MPI can advance the messages; once all have arrived, the rest is swept in one go.
template <class Sweep>
void sweep_interior(Exchange& exchange, Block const& block, IndexRange const& interior, Sweep const& sweep) {
  ScopedRegion const region("interior");
  int const axis = interior.extent(2) > 1 ? 2 : interior.extent(1) > 1 ? 1 : 0;
  auto const a = static_cast<std::size_t>(axis);
  Index const parts = std::min(exchange.test_points() + 1, interior.extent(axis));
  IndexRange rest = interior;
  for (Index part = 1; part < parts; ++part) {
    IndexRange box = rest;
    rest.begin[a] = box.end[a] = interior.begin[a] + interior.extent(axis) * part / parts;
    sweep(block, box);
    if (exchange.progress()) break;
  }
  sweep(block, rest);
}

/// Runs `sweep(block, range)` over all owned entries in one go.
template <class Sweep>
void sweep_owned(Mesh const& mesh, Centring centring, Sweep const& sweep) {
  ScopedRegion const region("sweep");
  for (Block const& block : mesh.blocks()) sweep(block, mesh.owned(block, centring));
}

/// A block's entries in boxes: the interior, whose stencils read no entry of another block, and the shell around it.
struct SplitRange {
  IndexRange interior;
  std::vector<IndexRange> shell;
};

/// Ranges of this rank's blocks, split for a stencil of radius `width`.
[[nodiscard]] inline std::vector<SplitRange> split(Mesh const& mesh, Centring centring, int width,
                                                   std::vector<IndexRange> const& ranges) {
  std::vector<SplitRange> parts;
  for (Block const& block : mesh.blocks()) {
    IndexRange const& mine = ranges[block.local];
    SplitRange& part = parts.emplace_back(SplitRange{intersection(mesh.interior(block, centring, width), mine), {}});
    for (IndexRange const& box : mesh.shell(block, centring, width)) {
      if (IndexRange const both = intersection(box, mine); !both.empty()) part.shell.push_back(both);
    }
  }
  return parts;
}

/// Runs `sweep(block, box, n)` over the boxes of all blocks (n: index of the block on this rank) while the ghosts of
/// `fields`, which the sweep reads, are in flight: interiors first, shells after the ghosts have arrived.
template <class Sweep>
void consume(Exchange& exchange, std::initializer_list<FieldBase*> fields, std::vector<SplitRange> const& ranges,
             Sweep const& sweep) {
  std::span<Block const> const blocks = (*fields.begin())->mesh().blocks();
  bool const is_split =
      std::any_of(ranges.begin(), ranges.end(), [](SplitRange const& range) { return !range.shell.empty(); });
  OnePass const pass;
  if (is_split && exchange.overlaps()) {
    exchange.start(fields);
  } else {
    exchange.exchange(fields);
  }
  std::size_t n = 0;
  {
    ScopedRegion const region(is_split ? "interior" : "sweep");
    for (Block const& block : blocks) sweep(block, ranges[block.local].interior, n++);
  }
  if (!is_split) return;
  exchange.finish();
  ScopedRegion const region("shell");
  for (Block const& block : blocks) {
    for (IndexRange const& box : ranges[block.local].shell) sweep(block, box, n++);
  }
}

/// Runs `sweep(block, range)`, which writes `fields` of one centring, so that their exchange (of `width` layers)
/// overlaps with the interior where that pays off: shell first, then start, then interior; elsewhere all of it, then
/// the exchange. Call exchange.finish() before reading ghosts.
template <class Sweep>
void produce(Exchange& exchange, std::span<FieldBase* const> fields, Centring centring, int width, Sweep const& sweep) {
  Mesh const& mesh = fields.front()->mesh();
  if (!exchange.wants_shell_first()) {
    sweep_owned(mesh, centring, sweep);
    return exchange.exchange(fields);
  }
  {
    ScopedRegion const region("shell");
    for (Block const& block : mesh.blocks()) {
      for (IndexRange const& box : mesh.shell(block, centring, width)) sweep(block, box);
    }
  }
  exchange.start(fields);
  for (Block const& block : mesh.blocks()) {
    sweep_interior(exchange, block, mesh.interior(block, centring, width), sweep);
  }
}

template <class Sweep>
void produce(Exchange& exchange, std::initializer_list<FieldBase*> fields, Centring centring, int width,
             Sweep const& sweep) {
  produce(exchange, std::span(fields.begin(), fields.size()), centring, width, sweep);
}

}  // namespace halocline
