#include "physics/heat/tea_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "framework/deck/nearest_name.hpp"
#include "framework/deck/number_text.hpp"
#include "physics/heat/tea_states.hpp"
#include "physics/heat/tea_words.hpp"

namespace halocline::heat {
namespace {

using deck::described;
using deck::integer_from;
using deck::list;
using deck::Node;
using deck::NotANumber;
using deck::printable;
using deck::real_from;
using deck::reported;
using deck::scalar;

/// How a word is treated.
enum class Meaning { value, flag, no_matter, no_matter_with_value, unavailable };

std::map<std::string, Meaning> const& meanings() {
  static std::map<std::string, Meaning> const all{
      {"x_cells", Meaning::value},
      {"y_cells", Meaning::value},
      {"xmin", Meaning::value},
      {"xmax", Meaning::value},
      {"ymin", Meaning::value},
      {"ymax", Meaning::value},
      {"initial_timestep", Meaning::value},
      {"end_step", Meaning::value},
      {"end_time", Meaning::value},
      {"tl_max_iters", Meaning::value},
      {"tl_eps", Meaning::value},
      {"tl_ch_cg_presteps", Meaning::value},
      {"tl_preconditioner_type", Meaning::value},
      {"visit_frequency", Meaning::value},
      {"summary_frequency", Meaning::value},
      {"tl_use_cg", Meaning::flag},
      {"tl_use_chebyshev", Meaning::flag},
      {"tl_use_jacobi", Meaning::flag},
      {"tl_coefficient_density", Meaning::flag},
      {"tl_coefficient_inverse_density", Meaning::flag},
      // These control how the benchmark program runs and checks itself; they do not change the problem.
      {"test_problem", Meaning::no_matter_with_value},
      {"profiler_on", Meaning::no_matter},
      {"verbose_on", Meaning::no_matter},
      {"tl_check_result", Meaning::no_matter},
      {"use_fortran_kernels", Meaning::no_matter},
      {"use_c_kernels", Meaning::no_matter},
      {"tl_use_ppcg", Meaning::unavailable},
      {"tl_use_dpcg", Meaning::unavailable},
      {"tl_ppcg_inner_steps", Meaning::unavailable},
      {"tl_ch_cg_epslim", Meaning::unavailable},
      {"z_cells", Meaning::unavailable},
      {"zmin", Meaning::unavailable},
      {"zmax", Meaning::unavailable}};
  return all;
}

std::vector<std::string> known_words() {
  std::vector<std::string> words{"state"};
  for (auto const& [word, meaning] : meanings()) {
    if (meaning != Meaning::unavailable) words.push_back(word);
  }
  return words;
}

bool is_tolerance(std::string const& text) {
  auto const real = real_from(text);
  auto const* const number = std::get_if<double>(&real);
  return number != nullptr && *number >= 0 && *number < 1;
}

bool is_count(std::string const& text) {
  auto const integer = integer_from(text);
  auto const* const number = std::get_if<std::int64_t>(&integer);
  return number != nullptr && *number >= 1;
}

/// Reads the words, then writes the tree of the same deck.
class TeaReader {
 public:
  TeaReader(SourceName name, Mistakes& mistakes) : name_(std::move(name)), states_(mistakes), mistakes_(mistakes) {}

  Node read(std::string const& text) {
    for_each_tea_line(name_, text, [this](std::span<TeaWord const> words) { read_line(words); });
    Node root;
    root.kind = Node::Kind::section;
    root.location = {name_, 1, 1};
    root.set("physics", root.location, scalar("heat", root.location));
    write_mesh(root);
    write_time(root);
    write_solver(root);
    write_output(root);
    Node& heat = root.section("heat", root.location);
    write_coefficient(heat);
    heat.set("regions", root.location, states_.regions(root.location));
    return root;
  }

 private:
  void read_line(std::span<TeaWord const> words) {
    if (words.front().text == "state") {
      states_.read(words);
      return;
    }
    while (!words.empty()) words = words.subspan(std::min(read_word(words), words.size()));
  }

  /// Reads the first word and its value, if it has one; returns the number of words read.
  std::size_t read_word(std::span<TeaWord const> words) {
    TeaWord const& word = words.front();
    auto const found = meanings().find(word.text);
    if (found == meanings().end()) {
      mistakes_.add_word(word.location, printable(word.text), "unknown in a tea.in",
                         [text = word.text] { return advice_for(text, known_words()); });
      return words.size();
    }
    if (found->second == Meaning::unavailable) {
      mistakes_.add(word.location, word.text, "not available here", "use tl_use_cg, tl_use_chebyshev or tl_use_jacobi");
      return words.size();
    }
    bool const has_value = found->second == Meaning::value || found->second == Meaning::no_matter_with_value;
    if (has_value && words.size() < 2) {
      mistakes_.add(word.location, word.text, "its value is missing");
      return 1;
    }
    if (found->second == Meaning::value || found->second == Meaning::flag) keep(word, has_value ? words[1] : word);
    return has_value ? 2 : 1;
  }

  void keep(TeaWord const& word, TeaWord const& value) {
    auto const [first, is_new] = given_.emplace(word.text, value);
    if (is_new) return;
    mistakes_.add_word(word.location, word.text, "given twice",
                       [at = first->second.location] { return "first at " + at.text(); });
  }

  TeaWord const* find(std::string const& word) const {
    auto const found = given_.find(word);
    return found == given_.end() ? nullptr : &found->second;
  }

  /// Its value as a node; adds a mistake if the word is missing.
  Node required(std::string const& word) {
    if (TeaWord const* const value = find(word)) return number(*value);
    mistakes_.add({name_, 1, 1}, word, "missing", "it is required");
    return reported({name_, 1, 1});
  }

  void copy(std::string const& word, Node& section, std::string const& option) {
    if (TeaWord const* const value = find(word)) section.set(option, value->location, number(*value));
  }

  /// The value of a word that sets several options, validated here so that a mistake is reported once.
  Node validated(std::string const& word, std::string const& expectation, bool (*is_allowed)(std::string const&)) {
    TeaWord const* const value = find(word);
    if (value == nullptr) return {};
    Node node = number(*value);
    if (is_allowed(node.text)) return node;
    mistakes_.add(value->location, word, "expected " + expectation + ", got " + described(node));
    return reported(value->location);
  }

  void write_mesh(Node& root) {
    Node& mesh = root.section("mesh", root.location);
    auto const pair = [&](std::string const& option, std::string const& x, std::string const& y) {
      Node first = required(x);
      Node second = required(y);
      Location const at = first.location;
      mesh.set(option, at, list({std::move(first), std::move(second)}, at));
    };
    pair("cells", "x_cells", "y_cells");
    pair("lower", "xmin", "ymin");
    pair("upper", "xmax", "ymax");
  }

  void write_time(Node& root) {
    Node& time = root.section("time", root.location);
    time.set("step", root.location, required("initial_timestep"));
    if (find("end_step") == nullptr && find("end_time") == nullptr)
      mistakes_.add(root.location, "end_step", "missing", "give end_step or end_time");
    // TeaLeaf takes whole steps until it has passed the end time, or stops at the last step, if one is given, when that
    // is earlier.
    double const steps = std::ceil(real("end_time") * (1 - 1e-12) / real("initial_timestep"));
    bool const countable = steps >= 1 && steps < 0x1p53;
    bool const ends_sooner = find("end_step") == nullptr || steps < real("end_step");
    TeaWord const* const end = find("end_time");
    if (end == nullptr || (countable && !ends_sooner)) {
      copy("end_step", time, "steps");
    } else if (countable) {
      time.set("steps", end->location, scalar(std::to_string(static_cast<std::int64_t>(steps)), end->location));
    } else {
      copy("end_time", time, "end");  // validation reports what is wrong with it
    }
  }

  /// NaN if the word is missing or not a number: comparisons are then false.
  double real(std::string const& word) const {
    TeaWord const* const given = find(word);
    auto const value = given == nullptr ? NotANumber{} : real_from(number(*given).text);
    return std::holds_alternative<double>(value) ? std::get<double>(value) : std::numeric_limits<double>::quiet_NaN();
  }

  void write_solver(Node& root) {
    Node& solver = root.section("solver", root.location);
    std::vector<std::string> chosen;
    for (std::string const method : {"cg", "chebyshev", "jacobi"}) {
      TeaWord const* const word = find("tl_use_" + method);
      if (word == nullptr) continue;
      if (!chosen.empty()) mistakes_.add(word->location, word->text, "given together with tl_use_" + chosen.front());
      chosen.push_back(method);
      solver.set("method", word->location, scalar(method, word->location));
    }
    Node const tolerance = validated("tl_eps", "a number of at least 0 and below 1", is_tolerance);
    Node const iterations = validated("tl_max_iters", "an integer of at least 1", is_count);
    for (std::string const method : {"cg", "chebyshev", "jacobi", "multigrid"}) {
      Node& section = solver.section(method, root.location);
      if (find("tl_eps") != nullptr) section.set("relative_tolerance", tolerance.location, tolerance);
      if (find("tl_max_iters") != nullptr) section.set("iterations", iterations.location, iterations);
    }
    copy("tl_ch_cg_presteps", solver.section("chebyshev", root.location), "presteps");
    write_preconditioner(solver.section("cg", root.location));
  }

  void write_preconditioner(Node& cg) {
    TeaWord const* const word = find("tl_preconditioner_type");
    if (word == nullptr) return;
    std::map<std::string, std::string> const names{{"none", "none"}, {"jac_diag", "jacobi"}};
    auto const found = names.find(word->text);
    if (found == names.end())
      mistakes_.add(word->location, "tl_preconditioner_type",
                    "expected none or jac_diag, got '" + printable(word->text) + "'");
    else
      cg.set("preconditioner", word->location, scalar(found->second, word->location));
  }

  /// Without visit_frequency, TeaLeaf writes no fields.
  void write_output(Node& root) {
    Node& output = root.section("output", root.location);
    Node& snapshots = output.section("snapshots", root.location);
    if (find("visit_frequency") == nullptr) snapshots.set("interval", root.location, scalar("0", root.location));
    copy("visit_frequency", snapshots, "interval");
    if (find("summary_frequency") != nullptr) {
      copy("summary_frequency", output.section("scalars", root.location), "interval");
    }
  }

  void write_coefficient(Node& heat) {
    TeaWord const* const density = find("tl_coefficient_density");
    TeaWord const* const inverse = find("tl_coefficient_inverse_density");
    if (density != nullptr && inverse != nullptr)
      mistakes_.add(inverse->location, inverse->text, "given together with tl_coefficient_density");
    if (inverse != nullptr)
      heat.set("coefficient", inverse->location, scalar("inverse_density", inverse->location));
    else if (density != nullptr)
      heat.set("coefficient", density->location, scalar("density", density->location));
  }

  SourceName name_;
  std::map<std::string, TeaWord> given_;
  TeaStates states_;
  Mistakes& mistakes_;
};

}  // namespace

Node read_tea(std::string const& name, std::string const& text, Mistakes& mistakes) {
  return TeaReader(name, mistakes).read(text);
}

DeckFormat tea_format() {
  return {.name = "tea.in",
          .sentence = "Input of the TeaLeaf benchmark, recognised by a line that begins with *tea.",
          .recognises = is_tea,
          .read = read_tea};
}

}  // namespace halocline::heat
