#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "drivers/halocline/battery/apart.hpp"
#include "drivers/halocline/battery/battery.hpp"
#include "drivers/halocline/commands.hpp"
#include "drivers/halocline/declaration.hpp"
#include "drivers/halocline/standard_output.hpp"
#include "framework/deck/nearest_name.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/shown_text.hpp"

namespace halocline {
namespace {

using battery::Check;
using battery::Finding;
using battery::Subject;

/// A temporary folder, removed at the end.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "halocline-battery-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw InputOutputError("cannot create a folder for the checks, " + name);
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(Scratch const&) = delete;
  Scratch& operator=(Scratch const&) = delete;
  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

char const* word(Finding::Verdict verdict) {
  switch (verdict) {
    case Finding::Verdict::held:
      return "held";
    case Finding::Verdict::failed:
      return "FAILED";
    case Finding::Verdict::inconclusive:
      return "inconclusive";
    case Finding::Verdict::not_applicable:
      break;
  }
  return "-";
}

/// The physics of `name`: a registered one, or that of a shared object.
PhysicsEntry const& find_physics(std::string const& name, bool is_plugin, Registry<PhysicsEntry> const& physics) {
  return physics.find(is_plugin ? physics.names_in_order().back() : name);
}

void require_checks(std::vector<std::string> const& names) {
  std::vector<std::string> known;
  for (Check const& check : battery::checks()) known.emplace_back(check.name);
  for (std::string const& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw InputError("--only: `" + name + "`: no such check; " + advice_for(name, known));
  }
}

/// The absolute path of an executable program; empty if there is none.
std::string program_of(std::string const& given) {
  if (given.empty()) return "";
  std::filesystem::path const path = std::filesystem::absolute(given);
  if (std::filesystem::is_directory(path) || access(path.c_str(), X_OK) != 0)
    throw InputError(
        "--beside: `" + given +
        "` is not a program; give the driver of another build, such as .halocline/build-cuda/bin/halocline");
  return path.string();
}

/// Numbers of checks that did not hold.
struct Tally {
  int failed = 0;
  int inconclusive = 0;
};

/// Runs the checks and adds to the tally.
void run_checks(Subject const& subject, std::vector<std::string> const& only, double limit, Tally& tally) {
  for (Check const& check : battery::checks()) {
    if (!only.empty() && std::find(only.begin(), only.end(), check.name) == only.end()) continue;
    auto const begin = std::chrono::steady_clock::now();
    Finding const finding = battery::apart([&] { return check.run(subject); }, limit, true);
    double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    say(fmt::format("  {:<15} {:<7} {}  ({:.1f} s)\n", check.name, word(finding.verdict), finding.text, seconds));
    tally.failed += finding.verdict == Finding::Verdict::failed ? 1 : 0;
    tally.inconclusive += finding.verdict == Finding::Verdict::inconclusive ? 1 : 0;
  }
}

}  // namespace

ExitCode test_physics(TestPhysicsCommand const& command) {
  require_checks(command.only);
  std::string const beside = program_of(command.beside);
  bool const is_plugin = command.physics.ends_with(".so");
  std::vector<std::string> plugins = command.plugins;
  if (is_plugin) plugins.push_back(std::filesystem::absolute(command.physics).string());
  Registry<PhysicsEntry> const physics = load_physics(plugins);
  PhysicsEntry const& entry = find_physics(command.physics, is_plugin, physics);
  auto const declaration = deck::resolve(declare_deck(physics));
  std::vector<Deck> decks;
  for (std::string const& path : command.decks)
    decks.push_back(Deck::load(path, {}, Communicator::alone(), deck_formats(physics)));
  if (decks.empty()) {
    for (std::string const& text : battery::decks_for(entry, declaration))
      decks.emplace_back(fmt::format("test deck {} of {}", decks.size() + 1, entry.name), text);
  }
  if (decks.empty()) throw InputError("physics `" + entry.name + "` has no deck to test it with; give --deck");
  Tally tally;
  for (Deck const& deck : decks) {
    Scratch const scratch;
    std::ofstream(scratch.path() / "deck") << deck.text();
    Subject const subject{entry, declaration, deck, plugins, scratch.path(), beside};
    // An invalid deck, or a declaration that needs further options, is the caller's mistake and not a failed check.
    Options const validated = subject.read();
    if (validated.choice("physics") != entry.name)
      throw InputError("`" + shown(deck.name()) + "` is a deck of `" + validated.choice("physics") + "`, not of `" +
                       entry.name + "`");
    say(fmt::format("{}, {}\n", entry.name, shown(deck.name())));
    run_checks(subject, command.only, command.limit, tally);
  }
  if (tally.failed > 0) throw SolveError("physics `" + entry.name + "` fails checks");
  if (tally.inconclusive > 0) {
    throw StoppedError("checks of physics `" + entry.name + "` are inconclusive; `--limit " +
                       fmt::format("{:g}", 10 * command.limit) + "` grants ten times as much processor time");
  }
  return ExitCode::done;
}

}  // namespace halocline
