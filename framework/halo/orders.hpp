#pragma once

#include <initializer_list>

#include "framework/halo/exchange.hpp"

namespace halocline {

/// Runs `sweep(block, range)` over all that is owned of a centring while the ghosts of `fields`, which the sweep reads
/// with a stencil of radius `width`, are on their way: interior first, shell after they have come.
template <class Sweep>
void consume(Exchange& exchange, std::initializer_list<FieldBase*> fields, Centring centring, int width,
             Sweep const& sweep) {
  Mesh const& mesh = (*fields.begin())->mesh();
  exchange.start(fields);
  for (Block const& block : mesh.blocks()) sweep(block, mesh.interior(block, centring, width));
  exchange.finish();
  for (Block const& block : mesh.blocks()) {
    for (IndexRange const& box : mesh.shell(block, centring, width)) sweep(block, box);
  }
}

/// Runs `sweep(block, range)`, which writes `fields` of one centring, so that their exchange (of `width` layers) runs
/// under the interior: shell first, then start, then interior. Call exchange.finish() before the ghosts are read.
template <class Sweep>
void produce(Exchange& exchange, std::initializer_list<FieldBase*> fields, Centring centring, int width,
             Sweep const& sweep) {
  Mesh const& mesh = (*fields.begin())->mesh();
  for (Block const& block : mesh.blocks()) {
    for (IndexRange const& box : mesh.shell(block, centring, width)) sweep(block, box);
  }
  exchange.start(fields);
  for (Block const& block : mesh.blocks()) sweep(block, mesh.interior(block, centring, width));
}

}  // namespace halocline
