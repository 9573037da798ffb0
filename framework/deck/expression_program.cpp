#include "framework/deck/expression_program.hpp"

#include <muParser.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

namespace halocline {
namespace {

using Postfix = ExpressionProgram::Postfix;
using Callback = mu::generic_callable_type;

double value_of(Postfix const& postfix) { return ExpressionProgram(postfix)(0, 0, 0, 0); }

bool is_number(Postfix const& value) { return value.size() == 1 && value[0].operation == Operation::number; }

Postfix number(double value) { return {{.operation = Operation::number, .number = value}}; }

/// `operation` applied to values, folded if all are numbers.
Postfix applied(Operation operation, std::vector<Postfix> const& values) {
  Postfix postfix;
  for (Postfix const& value : values) postfix.insert(postfix.end(), value.begin(), value.end());
  postfix.push_back({.operation = operation});
  return std::all_of(values.begin(), values.end(), is_number) ? number(value_of(postfix)) : postfix;
}

/// A function of muParser. Functions with any number of arguments apply the operation to them one after the other.
struct Function {
  enum class Kind { none, operation, sum, average, chain };  ///< none: returns its argument
  Kind kind = Kind::operation;
  Operation operation = Operation::number;

  [[nodiscard]] Postfix of(std::vector<Postfix> const& arguments) const {
    if (kind == Kind::none) return arguments[0];
    if (kind == Kind::operation) return applied(operation, arguments);
    bool const sums = kind != Kind::chain;
    Postfix result = sums ? number(0) : arguments[0];
    for (std::size_t n = sums ? 0 : 1; n < arguments.size() && result.size() <= ExpressionProgram::longest; ++n)
      result = applied(operation, {result, arguments[n]});
    if (kind != Kind::average) return result;
    return applied(Operation::divide, {result, number(static_cast<double>(arguments.size()))});
  }
};

/// The callback of the installed muParser for the function in this text.
std::optional<Callback> callback(std::string const& text) {
  double variable = 1;
  mu::Parser parser;
  parser.DefineVar("x", &variable);
  parser.SetExpr(text);
  try {
    parser.Eval();
  } catch (mu::ParserError const&) {
    return std::nullopt;
  }
  mu::SToken const* token = parser.GetByteCode().GetBase();
  while (token->Cmd == mu::cmVAR) ++token;
  return token->Cmd == mu::cmFUNC ? std::optional(token->Fun.cb) : std::nullopt;
}

struct KnownFunction {
  Callback callback;
  int arguments;  ///< -1: variable
  Function function;
};

/// Arguments at which other definitions of the functions give other results.
constexpr std::array probes{0.0,
                            -0.0,
                            0.3,
                            -0.3,
                            0.5,
                            -0.5,
                            1.0,
                            -1.0,
                            1.5,
                            -1.5,
                            2.5,
                            -2.5,
                            7.25,
                            -40.0,
                            1e-9,
                            1e300,
                            -1e10,
                            12345.7,
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity()};

bool same_bits(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

/// Whether muParser's function and ours are bitwise equal at these arguments.
bool agrees(KnownFunction const& known) {
  for (double const a : probes) {
    if (known.arguments == 1) {
      if (!same_bits(known.callback.call_fun<1>(a), value_of(known.function.of({number(a)})))) return false;
      continue;
    }
    for (double const b : {0.0, -0.0, 0.3, -1.5, 2.5, 1e300, -std::numeric_limits<double>::infinity()}) {
      std::array<double, 3> const arguments{a, b, 0.25};
      double const given =
          known.arguments == 2 ? known.callback.call_fun<2>(a, b) : known.callback.call_multfun(arguments.data(), 3);
      std::vector<Postfix> ours{number(a), number(b)};
      if (known.arguments < 0) ours.push_back(number(0.25));
      if (!same_bits(given, value_of(known.function.of(ours)))) return false;
    }
  }
  return true;
}

/// All functions that the installed muParser defines as we do: other versions may define them differently.
std::vector<KnownFunction> const& known_functions() {
  static std::vector<KnownFunction> const known = [] {
    using Kind = Function::Kind;
    struct Named {
      char const* text;
      int arguments;
      Function function;
    };
    std::vector<Named> const all{{"-x", 1, {Kind::operation, Operation::negate}},
                                 {"+x", 1, {Kind::none, Operation::number}},
                                 {"abs(x)", 1, {Kind::operation, Operation::absolute}},
                                 {"sign(x)", 1, {Kind::operation, Operation::sign}},
                                 {"rint(x)", 1, {Kind::operation, Operation::round}},
                                 {"sqrt(x)", 1, {Kind::operation, Operation::square_root}},
                                 {"exp(x)", 1, {Kind::operation, Operation::exponential}},
                                 {"log(x)", 1, {Kind::operation, Operation::logarithm}},
                                 {"ln(x)", 1, {Kind::operation, Operation::logarithm}},
                                 {"log2(x)", 1, {Kind::operation, Operation::logarithm_2}},
                                 {"log10(x)", 1, {Kind::operation, Operation::logarithm_10}},
                                 {"sin(x)", 1, {Kind::operation, Operation::sine}},
                                 {"cos(x)", 1, {Kind::operation, Operation::cosine}},
                                 {"tan(x)", 1, {Kind::operation, Operation::tangent}},
                                 {"asin(x)", 1, {Kind::operation, Operation::arc_sine}},
                                 {"acos(x)", 1, {Kind::operation, Operation::arc_cosine}},
                                 {"atan(x)", 1, {Kind::operation, Operation::arc_tangent}},
                                 {"sinh(x)", 1, {Kind::operation, Operation::hyperbolic_sine}},
                                 {"cosh(x)", 1, {Kind::operation, Operation::hyperbolic_cosine}},
                                 {"tanh(x)", 1, {Kind::operation, Operation::hyperbolic_tangent}},
                                 {"asinh(x)", 1, {Kind::operation, Operation::area_sine}},
                                 {"acosh(x)", 1, {Kind::operation, Operation::area_cosine}},
                                 {"atanh(x)", 1, {Kind::operation, Operation::area_tangent}},
                                 {"atan2(x, x)", 2, {Kind::operation, Operation::arc_tangent_2}},
                                 {"sum(x, x)", -1, {Kind::sum, Operation::add}},
                                 {"avg(x, x)", -1, {Kind::average, Operation::add}},
                                 {"min(x, x)", -1, {Kind::chain, Operation::minimum}},
                                 {"max(x, x)", -1, {Kind::chain, Operation::maximum}}};
    std::vector<KnownFunction> found;
    for (Named const& named : all) {
      std::optional<Callback> const its = callback(named.text);
      if (!its) continue;
      KnownFunction const function{*its, named.arguments, named.function};
      if (agrees(function)) found.push_back(function);
    }
    return found;
  }();
  return known;
}

std::optional<Operation> operator_of(mu::ECmdCode code) {
  switch (code) {
    case mu::cmLE:
      return Operation::less_or_equal;
    case mu::cmGE:
      return Operation::greater_or_equal;
    case mu::cmNEQ:
      return Operation::not_equal;
    case mu::cmEQ:
      return Operation::equal;
    case mu::cmLT:
      return Operation::less;
    case mu::cmGT:
      return Operation::greater;
    case mu::cmADD:
      return Operation::add;
    case mu::cmSUB:
      return Operation::subtract;
    case mu::cmMUL:
      return Operation::multiply;
    case mu::cmDIV:
      return Operation::divide;
    case mu::cmPOW:
      return Operation::power;
    case mu::cmLAND:
      return Operation::both;
    case mu::cmLOR:
      return Operation::either;
    case mu::cmVARPOW2:
      return Operation::square;
    case mu::cmVARPOW3:
      return Operation::cube;
    case mu::cmVARPOW4:
      return Operation::fourth;
    default:
      return std::nullopt;
  }
}

/// Translates muParser's bytecode, so that precedence and order of evaluation are those of muParser.
class Translation {
 public:
  explicit Translation(std::vector<std::pair<double const*, Instruction>> const& variables) : variables_(variables) {}

  /// False if there is no translation.
  bool take(mu::SToken const& token) {
    switch (token.Cmd) {
      case mu::cmVAL:
        return push(number(token.Val.data2));
      case mu::cmVAR:
        return push(variable(token.Val.ptr));
      case mu::cmVARMUL:
        return push(variable(token.Val.ptr)) && push(number(token.Val.data)) && apply(Operation::multiply, 2) &&
               push(number(token.Val.data2)) && apply(Operation::add, 2);
      case mu::cmVARPOW2:
      case mu::cmVARPOW3:
      case mu::cmVARPOW4:
        return push(variable(token.Val.ptr)) && apply(*operator_of(token.Cmd), 1);
      case mu::cmIF:
      case mu::cmELSE:
        // The condition stays on the stack below both branches.
        if (!has(1)) return false;
        branches_.push_back(values_.size());
        return true;
      case mu::cmENDIF:
        return end_of_condition();
      case mu::cmFUNC:
        return call(token);
      default: {
        std::optional<Operation> const operation = operator_of(token.Cmd);
        return operation && apply(*operation, 2);
      }
    }
  }

  [[nodiscard]] std::optional<Postfix> result() const {
    if (values_.size() != 1 || !branches_.empty()) return std::nullopt;
    return values_[0];
  }

 private:
  [[nodiscard]] Postfix variable(double const* at) const {
    auto const found =
        std::find_if(variables_.begin(), variables_.end(), [&](auto const& it) { return it.first == at; });
    return found == variables_.end() ? Postfix{} : Postfix{found->second};
  }
  bool push(Postfix value) {
    if (value.empty() || value.size() > ExpressionProgram::longest) return false;
    values_.push_back(std::move(value));
    return true;
  }
  /// A branch must not consume values computed before it.
  [[nodiscard]] bool has(std::size_t count) const {
    return values_.size() >= count + (branches_.empty() ? 0 : branches_.back());
  }
  std::vector<Postfix> pop(std::size_t count) {
    std::vector<Postfix> last(values_.end() - static_cast<std::ptrdiff_t>(count), values_.end());
    values_.resize(values_.size() - count);
    return last;
  }
  bool apply(Operation operation, std::size_t count) { return has(count) && push(applied(operation, pop(count))); }
  bool end_of_condition() {
    if (branches_.size() < 2) return false;
    std::size_t const otherwise = branches_.back();
    std::size_t const then = branches_[branches_.size() - 2];
    branches_.resize(branches_.size() - 2);
    if (otherwise != then + 1 || values_.size() != otherwise + 1) return false;
    return push(applied(Operation::choose, pop(3)));
  }
  bool call(mu::SToken const& token) {
    int const arguments = std::abs(token.Fun.argc);
    if (arguments == 0 || !has(static_cast<std::size_t>(arguments))) return false;
    for (KnownFunction const& known : known_functions()) {
      bool const fits = known.arguments == token.Fun.argc || (known.arguments < 0 && token.Fun.argc < 0);
      if (fits && known.callback == token.Fun.cb)
        return push(known.function.of(pop(static_cast<std::size_t>(arguments))));
    }
    return false;
  }

  std::vector<std::pair<double const*, Instruction>> const& variables_;
  std::vector<Postfix> values_;
  std::vector<std::size_t> branches_;  ///< for each open branch, the number of values before it
};

}  // namespace

std::optional<ExpressionProgram> ExpressionProgram::of(
    mu::Parser const& parser, std::vector<std::pair<double const*, Instruction>> const& variables) {
  Translation translation(variables);
  for (mu::SToken const* token = parser.GetByteCode().GetBase(); token->Cmd != mu::cmEND; ++token) {
    if (!translation.take(*token)) return std::nullopt;
  }
  std::optional<Postfix> postfix = translation.result();
  if (!postfix) return std::nullopt;
  ExpressionProgram program(std::move(*postfix));
  if (program.depth() > deepest_expression) return std::nullopt;
  return program;
}

std::vector<std::size_t> ExpressionProgram::beginnings(Postfix const& postfix) {
  std::vector<std::size_t> beginnings;
  std::vector<std::size_t> stack;
  for (std::size_t n = 0; n < postfix.size(); ++n) {
    auto const count = static_cast<std::size_t>(operands(postfix[n].operation));
    std::size_t const begin = count == 0 ? n : stack[stack.size() - count];
    stack.resize(stack.size() - count);
    stack.push_back(begin);
    beginnings.push_back(begin);
  }
  return beginnings;
}

ExpressionProgram::ExpressionProgram(Postfix postfix) : postfix_(std::move(postfix)) {
  std::vector<std::size_t> const begins = beginnings(postfix_);
  // The skip instruction, and its target, to insert before each instruction: before the second or third operand of
  // `choose`.
  std::vector<std::pair<Operation, std::size_t>> skips(postfix_.size() + 1, {Operation::number, 0});
  for (std::size_t n = 0; n < postfix_.size(); ++n) {
    if (postfix_[n].operation != Operation::choose) continue;
    std::size_t const otherwise = begins[n - 1];
    std::size_t const then = begins[otherwise - 1];
    skips[then] = {Operation::skip_if_none, otherwise};
    skips[otherwise] = {Operation::skip_if_all, n};
  }
  std::vector<std::size_t> places;  // position of each instruction, or of the skip before it
  std::size_t place = 0;
  for (std::size_t n = 0; n < postfix_.size(); ++n) {
    places.push_back(place);
    place += skips[n].first == Operation::number ? 1 : 2;
  }
  int depth = 0;
  for (std::size_t n = 0; n < postfix_.size(); ++n) {
    if (auto const [skip, to] = skips[n]; skip != Operation::number) {
      int const condition = depth - (skip == Operation::skip_if_none ? 1 : 2);
      instructions_.push_back({.operation = skip,
                               .slot = static_cast<std::int16_t>(condition),
                               .skip = static_cast<std::int32_t>(places[to] - instructions_.size() - 1)});
    }
    depth += 1 - operands(postfix_[n].operation);
    depth_ = std::max(depth_, depth);
    instructions_.push_back(postfix_[n]);
    instructions_.back().slot = static_cast<std::int16_t>(depth - 1);
  }
}

}  // namespace halocline
