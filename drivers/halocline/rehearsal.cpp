#include "drivers/halocline/rehearsal.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <malloc.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "drivers/halocline/checkpoints.hpp"
#include "drivers/halocline/declaration.hpp"
#include "drivers/halocline/isolated_process.hpp"
#include "drivers/halocline/memory_tally.hpp"
#include "drivers/halocline/schedule.hpp"
#include "framework/deck/field_source.hpp"
#include "framework/deck/validation.hpp"
#include "framework/field/field_base.hpp"
#include "framework/field/initial_data_service.hpp"
#include "framework/mesh/mesh_section.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/descriptor.hpp"
#include "framework/runtime/device.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

using Clock = std::chrono::steady_clock;
using Declaration = std::shared_ptr<deck::ResolvedSection const>;

/// Leaves the choice of a mesh's process grid to the program.
std::string free_processes(std::size_t axes) {
  return fmt::format("mesh.processes=[{}]", fmt::join(std::vector<int>(axes, 0), ", "));
}

/// Values that differ between neighbours, so that no right-hand side is zero and no solve ends at once; positive, as
/// coefficients must be. Faster than expressions; files do not match the mesh of a rehearsal.
class SomeValues final : public InitialDataService {
 public:
  [[nodiscard]] bool has_other_values() const override { return true; }
  void evaluate(ExpressionRequest const& request, std::span<std::byte> to) override {
    auto const count = static_cast<std::size_t>(request.box.size());
    request.precision == Precision::single ? set(reinterpret_cast<float*>(to.data()), count)
                                           : set(reinterpret_cast<double*>(to.data()), count);
  }
  BadEntry read(FileEntriesRequest const&, std::span<double> to) override {
    set(to.data(), to.size());
    return {};
  }

 private:
  template <class Real>
  static void set(Real* to, std::size_t count) {
    for (std::size_t n = 0; n < count; ++n) to[n] = static_cast<Real>(1 + 0.25 * static_cast<double>(n % 3));
  }
};

/// Two numbers of cells along each axis for rehearsals. They are large enough that rows on all significant levels are
/// whole cache lines, 16 numbers in single precision, so that the padding is the same, that a list along an axis
/// that grows by doubling has little spare capacity, and that memory peaks in the same phase as on large meshes.
std::array<std::array<double, 2>, 3> rehearsed_cells(std::vector<std::int64_t> const& given) {
  constexpr std::array<std::array<double, 3>, 3> fewest{{{1008, 1, 1}, {256, 32, 1}, {32, 8, 8}}};
  std::array<std::array<double, 2>, 3> cells{{{1, 1}, {1, 1}, {1, 1}}};
  for (std::size_t axis = 0; axis < given.size(); ++axis) {
    auto const all = static_cast<double>(given[axis]);
    double const fewer = fewest[given.size() - 1][axis];
    cells[axis] = all < 2 * fewer ? std::array{std::ceil(all / 2), all} : std::array{fewer, 2 * fewer};
  }
  return cells;
}

/// Whether the mesh certainly fits, as far as a deck that is not validated yet shows: a rehearsal takes longer than
/// many small runs.
bool surely_fits(Deck const& deck, double free) {
  constexpr double numbers = 500;  // per cell: more than any method needs, except gmres with the longest restarts
  Section const mesh = declare_mesh_section();
  auto const is_cells = [](Option const& option) { return option.name() == "cells"; };
  auto const cells = std::find_if(mesh.options().begin(), mesh.options().end(), is_cells);
  OptionValue const value = deck.unvalidated(*cells, mesh.name());
  auto const* const given = std::get_if<std::vector<std::int64_t>>(&value);
  if (given == nullptr) return false;
  double bytes = numbers * sizeof(double);
  for (std::int64_t const along : *given) bytes *= static_cast<double>(along);
  return bytes < free;
}

/// Throws InputError for a deck with mistakes.
class SmallRuns {
 public:
  SmallRuns(Deck const& deck, Registry<PhysicsEntry> const& physics)
      : deck_(deck),
        declaration_(deck::resolve(declare_deck(physics))),
        given_(deck.read(declaration_)),
        entry_(physics.find(given_.choice("physics"))) {}

  [[nodiscard]] std::optional<MemoryForecast> forecast() const {
    if (entry_.points) return std::nullopt;
    start_kokkos_for_tally();
    // Only for files: the memory in which expressions are evaluated must be counted.
    SomeValues values;
    InitialDataFrom const from(given_.section(entry_.name).field_files().empty() ? nullptr : &values);
    std::vector<std::int64_t> const all = given_.section("mesh").integers("cells");
    MemoryForecast forecast{.cells = rehearsed_cells(all)};
    auto const cells_of = [&](std::size_t place) {
      std::vector<Index> cells;
      for (std::size_t axis = 0; axis < all.size(); ++axis) {
        cells.push_back(static_cast<Index>(forecast.cells[axis][place >> axis & 1U]));
      }
      return cells;
    };
    // Memory that a process allocates once and keeps does not belong to a mesh.
    static_cast<void>(taken_by(cells_of(0)));
    std::size_t const places = std::size_t{1} << all.size();
    for (std::size_t place = 0; place < forecast.taken.size(); ++place) {
      forecast.taken[place] = place < places ? taken_by(cells_of(place)) : forecast.taken[place % places];
    }
    return forecast;
  }

 private:
  [[nodiscard]] BlockBytes taken_by(std::vector<Index> const& cells) const {
    std::vector<Descriptor> files;
    Options const deck = deck_.with(changes(cells, files)).read(declaration_);
    MemoryTally const tally;
    auto const mesh = make_structured_mesh(deck.section("mesh"), std::make_shared<Communicator>(Communicator::alone()));
    auto const physics = entry_.create({deck, mesh, nullptr, precision_of(deck), {}});
    Schedule schedule = evolves(entry_, deck) ? Schedule::evolving(deck.section("time")) : Schedule::stationary();
    static_cast<void>(physics->quantities());
    // The second step uses what the first one sets up.
    while (!schedule.ended() && schedule.taken() < 2) {
      Step const step = schedule.next({physics->stable_step(), physics->suggested_step()});
      static_cast<void>(physics->advance(step));
      schedule.take(step);
      static_cast<void>(physics->quantities());
    }
    BlockBytes bytes{.peak = tally.peak(), .resting = tally.bytes()};
    bytes.checkpointed = checkpoint_bytes(*physics).value_or(0);
    for (FieldBase const* const field : physics->fields()) {
      bytes.state += static_cast<double>(field->bytes());
      auto const components = static_cast<double>(field->components());
      double const component = static_cast<double>(field->owned(mesh->blocks().front()).size()) *
                               static_cast<double>(field->bytes_per_entry());
      bytes.owned += component * components;
      // On hosts each component once, and all of them interleaved if there are several.
      double const copies = 1 + (components > 1 && !uses_device_memory() ? components : 0);
      bytes.written = std::max(bytes.written, component * copies);
    }
    return bytes;
  }

  /// The changes of the deck for a rehearsal with these cells. `files` replace the files of the deck.
  [[nodiscard]] std::vector<Override> changes(std::vector<Index> const& cells, std::vector<Descriptor>& files) const {
    std::vector<std::string> changes{fmt::format("mesh.cells=[{}]", fmt::join(cells, ", ")), "mesh.blocks_per_rank=1"};
    if (given_.section("mesh").has("processes")) {
      changes.push_back(free_processes(cells.size()));
    }
    if (!entry_.steps_by_itself) {
      add_domain(cells, changes);
      add_solver(changes);
    }
    FieldShape shape = field_shape(entry_, given_);
    std::copy(cells.begin(), cells.end(), shape.cells.begin());
    Extents const entries = shape.extents();
    std::span<Index const> const dims = std::span(entries).first(cells.size());
    for (auto const& [name, source] : given_.section(entry_.name).field_files()) {
      Descriptor const& file = files.emplace_back(memfd_create("halocline", MFD_CLOEXEC));
      Index const bytes = entries[0] * entries[1] * entries[2] * static_cast<Index>(sizeof(double));
      if (ftruncate(file.number(), bytes) != 0) throw InputOutputError("cannot create a file in memory");
      changes.push_back(fmt::format("{}={{file: /proc/self/fd/{}, type: float64, dims: [{}]}}", name, file.number(),
                                    fmt::join(dims, ", ")));
    }
    return overrides_by_set(changes);
  }

  /// Multigrid coarsens axes with narrow cells: the cell widths keep their ratios, on a part of the domain.
  void add_domain(std::vector<Index> const& cells, std::vector<std::string>& changes) const {
    Options const mesh = given_.section("mesh");
    std::vector<double> part;  // fraction of the cells along each axis
    for (std::size_t axis = 0; axis < cells.size(); ++axis) {
      part.push_back(static_cast<double>(cells[axis]) / static_cast<double>(mesh.integers("cells")[axis]));
    }
    double const largest = *std::max_element(part.begin(), part.end());
    std::vector<double> upper;
    std::vector<double> growth;
    for (std::size_t axis = 0; axis < cells.size(); ++axis) {
      Axis const given = axis_of(mesh, static_cast<int>(axis));
      upper.push_back(given.lower() + given.length() * part[axis] / largest);
      if (mesh.has("growth"))
        growth.push_back(std::clamp(std::pow(mesh.reals("growth")[axis], 1 / part[axis]), 0.5, 2.0));
    }
    changes.push_back(fmt::format("mesh.upper=[{}]", fmt::join(upper, ", ")));
    if (!growth.empty()) changes.push_back(fmt::format("mesh.growth=[{}]", fmt::join(growth, ", ")));
  }

  /// A few iterations and a reachable tolerance, so that what follows a solution is allocated, too.
  void add_solver(std::vector<std::string>& changes) const {
    Options const solver = given_.section("solver");
    std::string const method = solver.choice("method");
    Options const chosen = solver.section(method);
    if (chosen.declares("iterations")) {
      changes.push_back(
          fmt::format("solver.{}.iterations={}", method, std::min<std::int64_t>(chosen.integer("iterations"), 20)));
    }
    if (chosen.declares("relative_tolerance"))
      changes.push_back(fmt::format("solver.{}.relative_tolerance=0.5", method));
  }

  Deck const& deck_;
  Declaration declaration_;
  Options given_;
  PhysicsEntry const& entry_;
};

/// The result of a rehearsal process. Plain data.
struct Answer {
  bool is_known = false;  ///< the forecast or the limits
  bool is_wrong_input = false;
  MemoryForecast forecast;
  StepLimits limits;
  std::array<char, 2000> failure{};  ///< text of an exception

  void fail(char const* what) { std::strncpy(failure.data(), what, failure.size() - 1); }
};

/// Runs in the process of a rehearsal.
template <class Work>
[[noreturn]] void answer_to(int pipe, Work const& work) {
  isolate_process(false, SIG_IGN);
  // Arrays go to the heap, where each byte is counted, not to separate pages.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  Answer answer;
  try {
    work(answer);
  } catch (InputError const& error) {
    answer.is_wrong_input = true;
    answer.fail(error.what());
  } catch (std::exception const& error) {
    answer.fail(error.what());
  } catch (...) {
    answer.fail("an object that is not a std::exception was thrown");
  }
  static_cast<void>(write_all(pipe, {reinterpret_cast<char const*>(&answer), sizeof answer}));
  _exit(0);
}

/// Whether the whole answer arrived before `deadline`.
bool read_all(int pipe, Answer& answer, Clock::time_point deadline) {
  std::size_t read_so_far = 0;
  auto* const to = reinterpret_cast<std::byte*>(&answer);
  while (read_so_far < sizeof answer) {
    auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd news{pipe, POLLIN, 0};
    int const ready = left > 0 ? poll(&news, 1, static_cast<int>(left)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    ssize_t const count = read(pipe, to + read_so_far, sizeof answer - read_so_far);
    if (count <= 0) return false;
    read_so_far += static_cast<std::size_t>(count);
  }
  return true;
}

/// Fills an answer by `work` in a separate process; empty if that crashes or takes too long.
template <class Work>
std::optional<Answer> apart(Work const& work) {
  // A device takes a second to start.
  Clock::time_point const deadline = Clock::now() + std::chrono::seconds(uses_device_memory() ? 10 : 2);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  Descriptor const out(ends[0]);
  pid_t process = -1;
  {
    Descriptor const in(ends[1]);
    process = fork();
    if (process == 0) answer_to(in.number(), work);
  }
  if (process < 0) return std::nullopt;
  Answer answer;
  bool const complete = read_all(out.number(), answer, deadline);
  if (!complete) kill(process, SIGKILL);
  while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
  }
  return complete ? std::optional(answer) : std::nullopt;
}

bool makes_sense(MemoryForecast const& forecast) {
  return std::all_of(forecast.taken.begin(), forecast.taken.end(), [](BlockBytes const& bytes) {
    return std::isfinite(bytes.peak) && bytes.resting > 0 && bytes.peak >= bytes.resting;
  });
}

}  // namespace

Rehearsal rehearse(Deck const& deck, Registry<PhysicsEntry> const& physics, double free) {
  if (free > 0 && surely_fits(deck, free)) return {};
  auto const answer = apart([&](Answer& to) {
    auto const forecast = SmallRuns(deck, physics).forecast();
    to.is_known = forecast.has_value();
    if (forecast) to.forecast = *forecast;
  });
  if (!answer) return {};
  Rehearsal rehearsal{.failure = std::string(answer->failure.data())};
  rehearsal.failure = rehearsal.failure.substr(0, rehearsal.failure.find('\n'));
  if (answer->is_known && makes_sense(answer->forecast)) rehearsal.forecast = answer->forecast;
  return rehearsal;
}

std::optional<StepLimits> limits_at_start(Deck const& deck, Registry<PhysicsEntry> const& physics) {
  Declaration const declaration = deck::resolve(declare_deck(physics));
  Options const given = deck.read(declaration);
  PhysicsEntry const& entry = physics.find(given.choice("physics"));
  if (entry.points || !evolves(entry, given)) return std::nullopt;
  auto const cells = product(given.section("mesh").integers("cells"));
  if (!cells || *cells > most_cells_for_limits) return std::nullopt;
  std::vector<std::string> alone{"mesh.blocks_per_rank=1"};
  if (given.section("mesh").has("processes")) alone.push_back(free_processes(given.section("mesh").entries("cells")));
  auto const answer = apart([&](Answer& to) {
    start_kokkos_for_tally();
    Options const options = deck.with(overrides_by_set(alone)).read(declaration);
    auto const mesh =
        make_structured_mesh(options.section("mesh"), std::make_shared<Communicator>(Communicator::alone()));
    auto const made = make_physics(entry, {options, mesh, nullptr, precision_of(options), {}});
    to.limits = {made->stable_step(), made->suggested_step()};
    to.is_known = true;
  });
  if (!answer) return std::nullopt;
  if (answer->is_wrong_input) throw InputError(answer->failure.data());
  return answer->is_known ? std::optional(answer->limits) : std::nullopt;
}

}  // namespace halocline
