#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <limits>
#include <utility>

#include "framework/kernel/portable.hpp"

// A form of star stencils for devices without one of their own, by Kokkos' teams. A team has a tile of columns along
// the slowest axis and walks along it. Each column keeps the values before and behind its point in registers;
// neighbours across columns are in scratch memory (P. Micikevicius, GPGPU-2, 2009: 3D finite difference computation on
// GPUs). A tile is a stack of reduction tiles, so sums have the bits of the portable form.

namespace halocline::kernel {

/// Threads of a team: on devices each has one column of every reduction tile of the stack.
template <class Execution>
inline constexpr int threads_of_tile = is_host<Execution> ? 1 : ReductionTiles::columns;

/// Whether the functor of a task declares `is_rare`.
template <class Task>
concept RareTask = requires {
  requires Task::FunctorType::is_rare;
};

/// The tiles of a task.
template <class Task>
struct TileShape {
  static constexpr int dimensions = Task::shape.dimensions();
  static constexpr int slowest = dimensions == 3 ? 2 : 1;
  /// Columns of a reduction tile, as ReductionTiles has them in wide ranges.
  static constexpr int width = dimensions == 3 ? 128 : ReductionTiles::columns;
  static constexpr int rows = ReductionTiles::columns / width;

  /// What a column may read of the n-th input across columns.
  static constexpr int reach_x(int n) { return Task::input_shape(n).reach(0); }
  static constexpr int reach_y(int n) { return dimensions == 3 ? Task::input_shape(n).reach(1) : 0; }
  /// And along itself.
  static constexpr int reach_along(int n) { return Task::input_shape(n).reach(slowest); }
  static constexpr bool is_staged(int n) { return reach_x(n) + reach_y(n) > 0; }

  /// Bytes of scratch memory before that of the n-th input, for this many reduction tiles.
  template <std::size_t... N, class... Real>
  static constexpr int offset(int n, int tall, InputsAt<std::index_sequence<N...>, Real...> const*) {
    int const bytes[] = {
        0, (is_staged(static_cast<int>(N)) ? 2 * plane(static_cast<int>(N), tall) * static_cast<int>(sizeof(Real))
                                           : 0)...};
    int sum = 0;
    for (int input = 0; input < n; ++input) sum += (bytes[input + 1] + 15) / 16 * 16;
    return sum;
  }
  static constexpr int offset(int n, int tall) {
    return offset(n, tall, static_cast<std::remove_const_t<decltype(Task::in)> const*>(nullptr));
  }
  static constexpr int pitch(int n) { return width + 2 * reach_x(n); }
  /// Entries of a plane of the n-th input with what is read around the tile.
  static constexpr int plane(int n, int tall) { return pitch(n) * (rows * tall + 2 * reach_y(n)); }

  static constexpr int values_of_column() {
    int values = Task::sums * 2;
    for (int n = 0; n < decltype(Task::in)::count; ++n) values += 1 + 2 * reach_along(n);
    return values;
  }
  /// Reduction tiles of a stack: tall tiles read less around them, but two teams should fit into the scratch memory of
  /// a compute unit (64 KiB), and the values of the columns into registers.
  static constexpr int fitting_stack() {
    int tall = dimensions == 3 ? 4 : 1;
    while (tall > 1 && (offset(decltype(Task::in)::count, tall) > (32 << 10) || tall * values_of_column() > 48))
      tall /= 2;
    return tall;
  }
  static constexpr int stack = fitting_stack();
  static constexpr int height = rows * stack;
  static constexpr int scratch_bytes = offset(decltype(Task::in)::count, stack);

  /// A functor may declare `is_rare`, or be long: then it gains nothing here, and no kernel is compiled for it.
  static constexpr bool possible = !RareTask<Task> && Task::shape.kind == ShapeKind::star && Task::radius > 0 &&
                                   Task::radius <= 4 && dimensions > 1 && !Task::is_long &&
                                   decltype(Task::in)::count > 0 && scratch_bytes <= (64 << 10);
};

/// Smaller ranges have too few tiles for a device.
inline constexpr Index fewest_tiled_points = Index{1} << 20U;

/// Whether the tiles of a task fit the reduction tiles of a range.
template <class Task>
[[nodiscard]] bool suits_tiles(IndexRange const& range) {
  if constexpr (TileShape<Task>::possible) {
    ReductionTiles const reduction_tiles(range);
    return !range.empty() && reduction_tiles.dimensions == TileShape<Task>::dimensions &&
           reduction_tiles.columns_x == TileShape<Task>::width;
  } else {
    return false;
  }
}

/// What a functor sees of an input in a tile: values of its own column, and of a plane in scratch memory.
template <class Real, class In, int Slowest>
struct TiledReader {
  Real const* column;  ///< at its point
  Real const* plane;   ///< at its point
  int pitch;

  template <int I, int J, int K>
  KOKKOS_FORCEINLINE_FUNCTION Real operator[](Offset<I, J, K>) const {
    static_assert(ReadWithinShape<In, I, J, K>::value);
    if constexpr (I == 0 && (Slowest == 1 || J == 0)) {
      return column[Slowest == 1 ? J : K];
    } else {
      return plane[I + (Slowest == 1 ? 0 : J * pitch)];
    }
  }
};

/// One input of a tile, on one thread.
template <class Task, std::size_t N, class Real, int Columns>
struct TiledInput {
  using Tile = TileShape<Task>;
  static constexpr int n = static_cast<int>(N);
  // Constants, since device code calls no function of the host, not even one that is evaluated by the compiler.
  static constexpr int along = Tile::reach_along(n);
  static constexpr int reach_x = Tile::reach_x(n);
  static constexpr int reach_y = Tile::reach_y(n);
  static constexpr int pitch = Tile::pitch(n);
  static constexpr int plane = Tile::plane(n, Tile::stack);
  static constexpr int offset = Tile::offset(n, Tile::stack);
  static constexpr bool is_staged = Tile::is_staged(n);
  static constexpr bool is_read_here = Task::input_shape(n).radius == 0;
  Real held[Columns][2 * along + 1];
  Real* planes;  ///< two, of which one is read while the other is filled
};

template <class Task, int Threads, class Positions, class... Real>
struct TiledInputsOf;
template <class Task, int Threads, std::size_t... N, class... Real>
struct TiledInputsOf<Task, Threads, std::index_sequence<N...>, Real...>
    : TiledInput<Task, N, Real, TileShape<Task>::stack * ReductionTiles::columns / Threads>... {};

/// One work item is one thread of a team.
template <class Task, class Accumulator, int Threads>
struct TiledSweep {
  using Tile = TileShape<Task>;
  static constexpr int columns = Tile::stack * ReductionTiles::columns / Threads;

  Task task;
  ReductionTiles reduction_tiles;
  Index begin[3];
  Index end[3];
  Index stacks;             ///< along y
  Accumulator* of_columns;  ///< as PortableColumns has them

  TiledSweep(Task const& a_task, IndexRange const& range, Accumulator* accumulators)
      : task(a_task),
        reduction_tiles(range),
        begin{range.begin[0], range.begin[1], range.begin[2]},
        end{range.end[0], range.end[1], range.end[2]},
        stacks((reduction_tiles.count[1] + Tile::stack - 1) / Tile::stack),
        of_columns(accumulators) {
    if (Tile::dimensions == 2) stacks = reduction_tiles.count[1];
  }
  [[nodiscard]] Index teams() const { return reduction_tiles.count[0] * stacks * reduction_tiles.count[2]; }

  /// The position of a team's tile, and of a thread in it.
  struct Place {
    Index x, y;   ///< of the tile's first column; y is z in 2D
    Index first;  ///< along the columns
    Index last;
    int thread;
    int turn = 0;  ///< which of the two planes is filled
  };

  /// The column with this number in the tile.
  KOKKOS_FORCEINLINE_FUNCTION static int x_of(int column) { return column % ReductionTiles::columns % Tile::width; }
  KOKKOS_FORCEINLINE_FUNCTION static int y_of(int column) {
    return column / ReductionTiles::columns * Tile::rows + column % ReductionTiles::columns / Tile::width;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool has_x(Index x) const { return x >= begin[0] && x < end[0]; }
  KOKKOS_FORCEINLINE_FUNCTION bool has_y(Index y) const { return y >= begin[across] && y < end[across]; }
  static constexpr int across = Tile::dimensions == 3 ? 1 : 2;

  template <class Real>
  KOKKOS_FORCEINLINE_FUNCTION static Real const* at(BlockView<Real const> const& view, Index x, Index y, Index along) {
    return Tile::dimensions == 3 ? view.at(x, y, along) : view.at(x, along, y);
  }

  /// Loads what is before the first point of each column; the last entry follows by `advance`.
  template <std::size_t N, class Real>
  KOKKOS_FORCEINLINE_FUNCTION void prime(TiledInput<Task, N, Real, columns>& input, BlockView<Real const> const& view,
                                         Place const& place) const {
    constexpr int along = TiledInput<Task, N, Real, columns>::along;
    for (int c = 0; c < columns; ++c) {
      int const column = place.thread + c * Threads;
      Index const x = place.x + x_of(column), y = place.y + y_of(column);
      if (!has_x(x) || !has_y(y)) continue;
      for (int d = 1; d <= 2 * along; ++d) input.held[c][d] = *at(view, x, y, place.first + d - 1 - along);
    }
  }

  /// Moves all columns to the point at `s`, and fills a plane with this point and what is around the tile.
  template <std::size_t N, class Real>
  KOKKOS_FORCEINLINE_FUNCTION void advance(TiledInput<Task, N, Real, columns>& input, BlockView<Real const> const& view,
                                           Place const& place, Index s) const {
    using Input = TiledInput<Task, N, Real, columns>;
    constexpr int reach_x = Input::reach_x;
    constexpr int reach_y = Input::reach_y;
    Real* const plane = input.planes + place.turn * Input::plane;
    for (int c = 0; c < columns; ++c) {
      int const column = place.thread + c * Threads;
      Index const x = place.x + x_of(column), y = place.y + y_of(column);
      if (!has_x(x) || !has_y(y)) continue;
      for (int d = 0; d < 2 * Input::along; ++d) input.held[c][d] = input.held[c][d + 1];
      input.held[c][2 * Input::along] = *at(view, x, y, s + Input::along);
      if constexpr (Input::is_staged)
        plane[x_of(column) + reach_x + (y_of(column) + reach_y) * Input::pitch] = input.held[c][Input::along];
    }
    if constexpr (Input::is_staged) {
      for (int n = place.thread; n < Input::plane; n += Threads) {
        Index const x = place.x + n % Input::pitch - reach_x, y = place.y + n / Input::pitch - reach_y;
        bool const in_tile = x >= place.x && x < place.x + Tile::width && y >= place.y && y < place.y + Tile::height;
        bool const beside = has_y(y) && x >= begin[0] - reach_x && x < end[0] + reach_x;
        bool const above = has_x(x) && y >= begin[across] - reach_y && y < end[across] + reach_y;
        if ((beside || above) && !(in_tile && has_x(x) && has_y(y))) plane[n] = *at(view, x, y, s);
      }
    }
  }

  template <std::size_t N, class Real>
  KOKKOS_FORCEINLINE_FUNCTION auto reader(TiledInput<Task, N, Real, columns> const& input,
                                          BlockView<Real const> const& view, Place const& place, int c,
                                          Index const (&p)[3]) const {
    using Input = TiledInput<Task, N, Real, columns>;
    using In = InputShape<typename Task::FunctorType, Input::n>;
    if constexpr (Input::is_read_here) {
      return Reader<Real, In>{view.at(p[0], p[1], p[2]), view.row, view.plane};
    } else {
      int const column = place.thread + c * Threads;
      Real const* const plane = input.planes + place.turn * Input::plane;
      return TiledReader<Real, In, Tile::slowest>{
          input.held[c] + Input::along,
          plane + x_of(column) + Input::reach_x + (y_of(column) + Input::reach_y) * Input::pitch, Input::pitch};
    }
  }

  template <class Member, std::size_t... N, class... Real>
  KOKKOS_FORCEINLINE_FUNCTION void walk(Member const& team,
                                        InputsAt<std::index_sequence<N...>, Real...> const& in) const {
    Index const number = team.league_rank();
    Index const tile_x = number % reduction_tiles.count[0];
    Index const tile_y = number / reduction_tiles.count[0] % stacks;
    Index const tile_z = number / (reduction_tiles.count[0] * stacks);
    Place place;
    place.x = reduction_tiles.origin[0] + tile_x * Tile::width;
    place.y = Tile::dimensions == 3 ? reduction_tiles.origin[1] + tile_y * Tile::height : begin[2];
    place.first = Tile::dimensions == 3 ? reduction_tiles.origin[2] + tile_z * reduction_tiles.steps
                                        : reduction_tiles.origin[1] + tile_y * reduction_tiles.steps;
    place.last = place.first + reduction_tiles.steps;
    if (place.last > end[Tile::slowest]) place.last = end[Tile::slowest];
    place.thread = team.team_rank();

    TiledInputsOf<Task, Threads, std::index_sequence<N...>, Real...> inputs;
    // By value: Kokkos takes a reference, and a constant of a class has no address in device code.
    int const bytes = Tile::scratch_bytes;
    auto* const scratch = static_cast<char*>(team.team_scratch(0).get_shmem(bytes));
    ((static_cast<TiledInput<Task, N, Real, columns>&>(inputs).planes =
          reinterpret_cast<Real*>(scratch + TiledInput<Task, N, Real, columns>::offset)),
     ...);
    auto const each = [&](auto const& visit) {
      (visit(static_cast<TiledInput<Task, N, Real, columns>&>(inputs), input_at<N, Real>(in)), ...);
    };
    each([&](auto& input, auto const& view) { prime(input, view, place); });
    Accumulator sum[columns][Task::sums > 0 ? Task::sums : 1];
    for (Index s = place.first; s < place.last; ++s, place.turn = 1 - place.turn) {
      each([&](auto& input, auto const& view) { advance(input, view, place, s); });
      // Nobody fills a plane again before all have met once more, with the other plane.
      team.team_barrier();
      for (int c = 0; c < columns; ++c) {
        int const column = place.thread + c * Threads;
        Index const x = place.x + x_of(column), y = place.y + y_of(column);
        if (!has_x(x) || !has_y(y)) continue;
        Index const p[3] = {x, Tile::dimensions == 3 ? y : s, Tile::dimensions == 3 ? s : y};
        auto const returned = task.functor(Point(task.geometry, p[0], p[1], p[2]),
                                           reader(static_cast<TiledInput<Task, N, Real, columns> const&>(inputs),
                                                  input_at<N, Real>(in), place, c, p)...);
        using Split = Returns<typename Task::Returned>;
        if constexpr (Task::outputs > 0) {
          for (int n = 0; n < Task::outputs; ++n) task.out.view[n](p[0], p[1], p[2]) = Split::value(returned, n);
        }
        for (int n = 0; n < Task::sums; ++n) sum[c][n].add(static_cast<double>(Split::term(returned, n)));
      }
    }
    if constexpr (Task::sums > 0) {
      for (int c = 0; c < columns; ++c) {
        int const column = place.thread + c * Threads;
        Index const y = Tile::dimensions == 3 ? tile_y * Tile::stack + column / ReductionTiles::columns : tile_y;
        if (y >= reduction_tiles.count[1]) continue;
        Index const at =
            reduction_tiles.number(tile_x, y, tile_z) * ReductionTiles::columns + column % ReductionTiles::columns;
        for (int n = 0; n < Task::sums; ++n)
          of_columns[n * reduction_tiles.total() * ReductionTiles::columns + at] = sum[c][n];
      }
    }
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    walk(team, task.in);
  }
};

/// Enqueues a sweep of a range that `suits_tiles`. `of_columns`: the accumulators of the reduction tiles' columns, if
/// the functor has sums.
template <class Execution, class Task, class Accumulator>
void enqueue_tiled(Execution const& execution, IndexRange const& range, Task const& task, Accumulator* of_columns) {
  constexpr int threads = threads_of_tile<Execution>;
  TiledSweep<Task, Accumulator, threads> const sweep(task, range, of_columns);
  using Policy = Kokkos::TeamPolicy<Execution, Kokkos::LaunchBounds<threads, 1>>;
  auto policy = launched_at_once(Policy(execution, static_cast<int>(sweep.teams()), threads));
  policy.set_scratch_size(0, Kokkos::PerTeam(TileShape<Task>::scratch_bytes));
  Kokkos::parallel_for("halocline sweep", policy, sweep);
}

/// Whether a sweep of this range takes the tiled form on a device without its own.
template <class Task>
[[nodiscard]] bool is_tiled(IndexRange const& range) {
  return range.size() >= fewest_tiled_points && suits_tiles<Task>(range);
}

template <class Execution, class Task>
void sweep_on_device(Execution const& execution, IndexRange const& range, Task const& task) {
  if constexpr (TileShape<Task>::possible) {
    if (is_tiled<Task>(range)) return enqueue_tiled<Execution, Task, PlainSum>(execution, range, task, nullptr);
  }
  sweep_portably(execution, range, task);
}

template <class Execution, class Task, class Accumulator>
void sweep_reduce_on_device(Execution const& execution, IndexRange const& range, Task const& task,
                            Reduction<Execution, Accumulator>& sums) {
  if constexpr (TileShape<Task>::possible) {
    if (is_tiled<Task>(range)) {
      return reduce_columns<Task>(execution, range, sums,
                                  [&](Accumulator* of_columns) { enqueue_tiled(execution, range, task, of_columns); });
    }
  }
  sweep_reduce_portably(execution, range, task, sums);
}

}  // namespace halocline::kernel
