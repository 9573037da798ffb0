#include "framework/field/expression_rows.hpp"

#include <algorithm>
#include <utility>

namespace halocline {
namespace {

using Postfix = ExpressionProgram::Postfix;

/// Entries in a batch: its stack fits into the first-level cache.
constexpr int batch = 128;

/// From this many rows, values common to all rows take little memory compared with the entries.
constexpr Index many_rows = 64;

/// The axes whose positions an instruction reads, as bits.
unsigned axes_of(Operation operation) {
  switch (operation) {
    case Operation::x:
      return 1;
    case Operation::y:
      return 2;
    case Operation::z:
      return 4;
    case Operation::random:
      return 7;
    default:
      return 0;
  }
}

/// For each instruction, the axes that its value depends on.
std::vector<unsigned> dependences(Postfix const& postfix, std::vector<std::size_t> const& begins) {
  std::vector<unsigned> axes;
  for (std::size_t n = 0; n < postfix.size(); ++n) {
    axes.push_back(axes_of(postfix[n].operation));
    std::size_t operand = n;
    for (int count = operands(postfix[n].operation); count > 0; --count) {
      axes[n] |= axes[operand - 1];
      operand = begins[operand - 1];
    }
  }
  return axes;
}

/// Index of `part` in `parts`; appends it if it is absent.
std::int32_t place_of(Postfix const& part, std::vector<Postfix>& parts) {
  auto const found = std::find(parts.begin(), parts.end(), part);
  auto const place = static_cast<std::int32_t>(found - parts.begin());
  if (found == parts.end()) parts.push_back(part);
  return place;
}

/// Divides a program into parts of rows, parts of entries, and the rest.
struct Split {
  std::vector<Postfix> of_row;
  std::vector<Postfix> of_entry;
  Postfix rest;

  Split(Postfix const& postfix, int along, bool keeps_entry_values) {
    std::vector<std::size_t> const begins = ExpressionProgram::beginnings(postfix);
    std::vector<unsigned> const axes = dependences(postfix, begins);
    unsigned const axis = 1U << static_cast<unsigned>(along);
    // Backwards from the last operation, so that the largest part of each kind is found first.
    for (std::size_t n = postfix.size(); n > 0;) {
      std::size_t const last = n - 1;
      auto const place = [](Postfix const& all, std::size_t at) {
        return all.begin() + static_cast<std::ptrdiff_t>(at);
      };
      Postfix const part(place(postfix, begins[last]), place(postfix, n));
      if ((axes[last] & axis) == 0) {
        rest.push_back({.operation = Operation::row_value, .skip = place_of(part, of_row)});
        n = begins[last];
      } else if (keeps_entry_values && axes[last] == axis && part.size() > 1) {
        rest.push_back({.operation = Operation::entry_value, .skip = place_of(part, of_entry)});
        n = begins[last];
      } else {
        rest.push_back(postfix[last]);
        n = last;
      }
    }
    std::reverse(rest.begin(), rest.end());
  }
};

/// Applies a function to a batch of values.
struct OnBatch {
  int count;
  double const* a;
  double const* b;
  double* to;
  template <class Function>
  void operator()(Function const& function) const {
#pragma omp simd
    for (int i = 0; i < count; ++i) {
      if constexpr (requires { function(0.0); }) {
        to[i] = function(a[i]);
      } else {
        to[i] = function(a[i], b[i]);
      }
    }
  }
};

}  // namespace

ExpressionRows::ExpressionRows(ExpressionProgram const& program, int along, std::span<double const> positions,
                               Index rows, double time)
    : along_(along), positions_(positions), time_(time), rest_(program) {
  Split split(program.postfix(), along, rows >= many_rows);
  for (Postfix& part : split.of_row) row_programs_.emplace_back(std::move(part));
  Workspace work;
  work.stack.resize(static_cast<std::size_t>(program.depth() * batch));
  auto const entries = static_cast<Index>(positions.size());
  for (Postfix& part : split.of_entry) {
    ExpressionProgram const of_entry(std::move(part));
    std::vector<double> values;
    values.reserve(positions.size());
    for (Index begin = 0; begin < entries; begin += batch) {
      double const* result = nullptr;
      int const count = static_cast<int>(std::min<Index>(batch, entries - begin));
      run(of_entry, {}, begin, count, work, result);
      values.insert(values.end(), result, result + count);
    }
    entry_values_.push_back(std::move(values));
  }
  rest_ = ExpressionProgram(std::move(split.rest));
}

ExpressionRows::Workspace ExpressionRows::workspace() const {
  return {std::vector<double>(static_cast<std::size_t>(rest_.depth() * batch)),
          std::vector<double>(row_programs_.size() * batch)};
}

void ExpressionRows::run(ExpressionProgram const& program, std::array<double, 3> const& row, Index begin, int count,
                         Workspace& workspace, double const*& result) const {
  // Operands that are only read are used in place.
  std::array<double const*, deepest_expression> values{};
  auto const own = [&](int slot) { return workspace.stack.data() + slot * batch; };
  for (int slot = 0; slot < program.depth(); ++slot) values[static_cast<std::size_t>(slot)] = own(slot);
  std::vector<Instruction> const& instructions = program.instructions();
  for (std::size_t n = 0; n < instructions.size(); ++n) {
    Instruction const& now = instructions[n];
    double const** const at = values.data() + now.slot;
    double* const to = own(now.slot);
    auto const fill = [&](double value) {
      std::fill_n(to, count, value);
      *at = to;
    };
    auto const position = [&](int axis) {
      if (axis == along_) {
        *at = positions_.data() + begin;
      } else {
        fill(row[static_cast<std::size_t>(axis)]);
      }
    };
    switch (now.operation) {
      case Operation::number:
        fill(now.number);
        break;
      case Operation::x:
        position(0);
        break;
      case Operation::y:
        position(1);
        break;
      case Operation::z:
        position(2);
        break;
      case Operation::t:
        fill(time_);
        break;
      case Operation::random: {
        std::array<double, 3> entry = row;
        for (int i = 0; i < count; ++i) {
          entry[static_cast<std::size_t>(along_)] = positions_[static_cast<std::size_t>(begin + i)];
          to[i] = random_number(now.seed, entry[0], entry[1], entry[2]);
        }
        *at = to;
        break;
      }
      case Operation::row_value:
        *at = workspace.row_values.data() + now.skip * batch;
        break;
      case Operation::entry_value:
        *at = entry_values_[static_cast<std::size_t>(now.skip)].data() + begin;
        break;
      case Operation::choose: {
        double const* const condition = at[0];
        double const* const then = at[1];
        double const* const otherwise = at[2];
        for (int i = 0; i < count; ++i) to[i] = condition[i] != 0 ? then[i] : otherwise[i];
        *at = to;
        break;
      }
      case Operation::skip_if_none:
        if (std::all_of(*at, *at + count, [](double value) { return value == 0; }))
          n += static_cast<std::size_t>(now.skip);
        break;
      case Operation::skip_if_all:
        if (std::all_of(*at, *at + count, [](double value) { return value != 0; }))
          n += static_cast<std::size_t>(now.skip);
        break;
      default:
        visit_function(now.operation, OnBatch{count, at[0], operands(now.operation) == 2 ? at[1] : nullptr, to});
        *at = to;
        break;
    }
  }
  result = values[0];
}

template <class Real>
void ExpressionRows::evaluate(std::array<double, 3> const& row, Index begin, Index end, Workspace& workspace, Real* to,
                              Index stride) const {
  for (std::size_t n = 0; n < row_programs_.size(); ++n) {
    std::fill_n(workspace.row_values.data() + n * batch, std::min<Index>(batch, end - begin),
                row_programs_[n](row[0], row[1], row[2], time_));
  }
  for (Index first = begin; first < end; first += batch) {
    int const count = static_cast<int>(std::min<Index>(batch, end - first));
    double const* values = nullptr;
    run(rest_, row, first, count, workspace, values);
    if (stride == 1) {
      std::transform(values, values + count, to + (first - begin),
                     [](double value) { return static_cast<Real>(value); });
    } else {
      for (int i = 0; i < count; ++i) to[(first - begin + i) * stride] = static_cast<Real>(values[i]);
    }
  }
}

template void ExpressionRows::evaluate(std::array<double, 3> const&, Index, Index, Workspace&, float*, Index) const;
template void ExpressionRows::evaluate(std::array<double, 3> const&, Index, Index, Workspace&, double*, Index) const;

}  // namespace halocline
