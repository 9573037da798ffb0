#include "framework/deck/expression.hpp"

#include <muParser.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "framework/deck/expression_program.hpp"
#include "framework/deck/random_number.hpp"
#include "framework/deck/tree.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/shortest_text.hpp"

namespace halocline {

/// muParser reads its variables through pointers, so the parser and its variables are stored and copied together.
struct Expression::Parsed {
  explicit Parsed(std::string given) : Parsed(given, deck::replace_random_calls(given)) {}
  Parsed(std::string given, deck::RandomCalls const& calls)
      : text(std::move(given)), seeds(calls.seeds), random(seeds.size()) {
    parser.DefineNameChars(name_characters);
    for (std::size_t n = 0; n < seeds.size(); ++n) parser.DefineVar(deck::random_variable(seeds[n]), &random[n]);
    parser.DefineConst("pi", std::numbers::pi);
    parser.DefineVar("x", &x);
    parser.DefineVar("y", &y);
    parser.DefineVar("z", &z);
    parser.DefineVar("t", &t);
    parser.SetExpr(calls.text);
  }
  Parsed(Parsed const& other) : Parsed(other.text) { program = other.program; }
  Parsed& operator=(Parsed const&) = delete;

  /// muParser's own, and a character that marks the variables for random numbers.
  static constexpr char const* name_characters = "0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ\x01";

  void set(double at_x, double at_y, double at_z, double at_t) {
    x = at_x;
    y = at_y;
    z = at_z;
    t = at_t;
    for (std::size_t n = 0; n < seeds.size(); ++n) random[n] = random_number(seeds[n], x, y, z);
  }

  /// Call after the parser has evaluated its text.
  void translate() {
    std::vector<std::pair<double const*, Instruction>> variables{{&x, {.operation = Operation::x}},
                                                                 {&y, {.operation = Operation::y}},
                                                                 {&z, {.operation = Operation::z}},
                                                                 {&t, {.operation = Operation::t}}};
    for (std::size_t n = 0; n < seeds.size(); ++n)
      variables.push_back({&random[n], {.operation = Operation::random, .seed = seeds[n]}});
    std::optional<ExpressionProgram> translation = ExpressionProgram::of(parser, variables);
    if (translation && agrees(*translation)) program = std::make_shared<ExpressionProgram>(std::move(*translation));
  }
  /// Whether a program is bitwise equal to the parser at a few positions. It calls the same functions in the same
  /// order: any difference means that this parser interprets the text differently.
  bool agrees(ExpressionProgram const& translation) {
    constexpr std::array<std::array<double, 4>, 5> places{
        {{0, 0, 0, 0}, {0.3, 0.7, 0.45, 0.25}, {-1.5, 2, 0.5, 3}, {1e-3, 40, -7.25, 11}, {0.75, -0.2, 1, 0.5}}};
    return std::all_of(places.begin(), places.end(), [&](std::array<double, 4> const& at) {
      set(at[0], at[1], at[2], at[3]);
      double const its = parser.Eval();
      double const ours = translation(x, y, z, t);
      return (std::isnan(its) && std::isnan(ours)) || (its == ours && std::signbit(its) == std::signbit(ours));
    });
  }

  std::string text;
  std::vector<std::uint64_t> seeds;
  std::vector<double> random;  ///< in the order of `seeds`
  double x = 0;
  double y = 0;
  double z = 0;
  double t = 0;
  mu::Parser parser;
  std::shared_ptr<ExpressionProgram const> program;
};

namespace {

/// Limit on the length of a text in muParser.
constexpr std::size_t longest = 20000;

/// muParser takes `x = 1` for an assignment, which a function must not have.
bool assigns(std::string const& text) {
  for (std::size_t at = text.find('='); at != std::string::npos; at = text.find('=', at + 1)) {
    bool const compares_with_next = at + 1 < text.size() && text[at + 1] == '=';
    if (compares_with_next) {
      ++at;
    } else if (at == 0 || std::string("<>!").find(text[at - 1]) == std::string::npos) {
      return true;
    }
  }
  return false;
}

std::string reason(mu::ParserError const& error, std::vector<std::uint64_t> const& seeds) {
  std::string const token = deck::printable(deck::with_random_calls(error.GetToken(), seeds));
  switch (error.GetCode()) {
    case mu::ecUNASSIGNABLE_TOKEN:
      return "`" + token + "` is not known (known: x, y, z, t, pi, random(seed) and muParser's functions)";
    case mu::ecMISSING_PARENS:
      return "a parenthesis is not closed";
    case mu::ecUNEXPECTED_EOF:
      return "it ends too early";
    case mu::ecEMPTY_EXPRESSION:
      return "it is empty";
    default:
      return token.empty() ? "it ends or begins too early" : "`" + token + "` is not allowed there";
  }
}

}  // namespace

Expression::Expression(double value) : Expression(shortest_text(value)) {}

Expression::Expression(std::string const& text) {
  auto const refuse = [&](std::string const& why) {
    throw InputError("'" + deck::printable(text) + "' is not an expression of x, y, z and t: " + why);
  };
  if (text.size() > longest) {
    refuse("it has " + std::to_string(text.size()) + " characters; at most " + std::to_string(longest) +
           " are allowed");
  }
  if (assigns(text)) refuse("it contains an assignment (compare with ==)");
  deck::RandomCalls calls;
  try {
    calls = deck::replace_random_calls(text);
    parsed_ = std::make_unique<Parsed>(text, calls);
    parsed_->parser.Eval();
  } catch (mu::ParserError const& error) {
    refuse(reason(error, calls.seeds));
  } catch (InputError const& error) {
    refuse(error.what());
  }
  if (parsed_->parser.GetNumResults() != 1) refuse("it has several values");
  try {
    parsed_->translate();
  } catch (mu::ParserError const&) {  // muParser has no value at a test position: evaluation reports that again there
  }
}

Expression::Expression(Expression const& other) : parsed_(std::make_unique<Parsed>(*other.parsed_)) {}
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression other) {
  parsed_ = std::move(other.parsed_);
  return *this;
}
Expression::~Expression() = default;

double Expression::operator()(double x, double y, double z, double t) const {
  parsed_->set(x, y, z, t);
  return parsed_->parser.Eval();
}

bool Expression::is_constant() const { return parsed_->parser.GetUsedVar().empty(); }
bool Expression::depends_on_time() const { return parsed_->parser.GetUsedVar().count("t") > 0; }
std::string const& Expression::text() const { return parsed_->text; }
ExpressionProgram const* Expression::program() const { return parsed_->program.get(); }

}  // namespace halocline
