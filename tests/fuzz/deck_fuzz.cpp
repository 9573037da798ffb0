// Reads and validates mutated decks in this process, with the declaration of the whole program. Each deck depends only
// on its number, so that runs can be divided and any deck can be reproduced.

#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "drivers/halocline/declaration.hpp"
#include "drivers/halocline/schedule.hpp"
#include "framework/deck/deck.hpp"
#include "framework/deck/deck_text.hpp"
#include "framework/deck/mistakes.hpp"
#include "framework/deck/resolved_section.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/version.hpp"
#include "tests/fuzz/deck_mutator.hpp"

namespace halocline::test {
namespace {

/// Time limit for decks of up to 1 MiB; enforced with --limits, in Release.
constexpr double longest = 1.0;
constexpr long largest_mebibytes = 256;

/// The current deck, for the message of a signal handler.
volatile std::uint64_t current_seed = 0;

void tell_seed(int signal) {
  std::array<char, 64> text{};
  int const length = std::snprintf(text.data(), text.size(), "\nsignal %d at seed %llu\n", signal,
                                   static_cast<unsigned long long>(current_seed));
  static_cast<void>(!write(STDERR_FILENO, text.data(), static_cast<std::size_t>(length)));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

struct Settings {
  std::uint64_t seed = 1;
  std::uint64_t count = 1000;
  std::string decks;
  std::string record;
  bool limits = false;
  bool show = false;
};

/// Results of a share of the decks.
struct Tally {
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;
  double slowest = 0;
  std::uint64_t slowest_seed = 0;
  long peak_mebibytes = 0;
  std::uint64_t peak_seed = 0;
  std::vector<std::string> failures;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

long peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

/// Throws if a message is not readable.
void check_message(std::string const& message) {
  auto const lines = static_cast<std::size_t>(std::count(message.begin(), message.end(), '\n')) + 1;
  if (message.empty()) throw std::runtime_error("refused without a word");
  if (lines > Mistakes::most_shown + 1) throw std::runtime_error("refused in " + std::to_string(lines) + " lines");
  if (message.size() > 100000) throw std::runtime_error("a message of " + std::to_string(message.size()) + " bytes");
}

class Fuzz {
 public:
  explicit Fuzz(Settings const& settings)
      : settings_(settings),
        physics_(load_physics({})),
        formats_(deck_formats(physics_)),
        // Fixed values: the memory of the machine and its ranks must not affect the test.
        declaration_(deck::resolve(declare_deck(physics_, MemoryBudget{16e9, 4, 4}))),
        mutator_(good_decks(), declaration_) {}

  Tally run() {
    for (std::uint64_t n = 0; n < settings_.count; ++n) try_one(settings_.seed + n);
    return tally_;
  }

 private:
  [[nodiscard]] std::vector<std::string> good_decks() const {
    std::vector<std::string> paths;
    for (auto const& file : std::filesystem::recursive_directory_iterator(settings_.decks)) {
      if (file.is_regular_file()) paths.push_back(file.path().string());
    }
    std::sort(paths.begin(), paths.end());
    std::vector<std::string> texts;
    for (std::string const& path : paths) texts.push_back(deck::file_text(path));
    if (texts.empty()) throw InputError("`" + settings_.decks + "`: no decks there");
    return texts;
  }

  void try_one(std::uint64_t seed) {
    current_seed = seed;
    HostileDeck const made = mutator_.make(seed);
    if (settings_.show) show(made);
    double const before = cpu_seconds();
    try {
      validate(made);
    } catch (std::exception const& error) {
      fail(seed, error.what());
    }
    measure(seed, made.text.size(), cpu_seconds() - before);
  }

  void validate(HostileDeck const& made) {
    try {
      Options const options = Deck("deck", made.text, overrides_by_set(made.overrides), formats_).read(declaration_);
      PhysicsEntry const& entry = physics_.find(options.choice("physics"));
      if (entry.time_dependence == TimeDependence::evolving)
        static_cast<void>(Schedule::evolving(options.section("time")));
      static_cast<void>(options.json());
      ++tally_.accepted;
      if (settings_.show) std::cout << "--- accepted\n";
    } catch (InputError const& error) {
      if (settings_.show) std::cout << "--- " << error.what() << '\n';
      check_message(error.what());
      ++tally_.refused;
    }
  }

  void measure(std::uint64_t seed, std::size_t bytes, double seconds) {
    tally_.bytes += bytes;
    tally_.seconds += seconds;
    if (seconds > tally_.slowest) {
      tally_.slowest = seconds;
      tally_.slowest_seed = seed;
    }
    if (long const peak = peak_memory(); peak > tally_.peak_mebibytes) {
      tally_.peak_mebibytes = peak;
      tally_.peak_seed = seed;
      if (settings_.limits && peak > largest_mebibytes) fail(seed, std::to_string(peak) + " MiB");
    }
    if (settings_.limits && seconds > longest) fail(seed, std::to_string(seconds) + " s");
  }

  void fail(std::uint64_t seed, std::string const& why) {
    tally_.failures.push_back("seed " + std::to_string(seed) + ": " + why);
    std::cerr << tally_.failures.back() << '\n';
  }

  static void show(HostileDeck const& made) {
    std::cout << made.text << '\n';
    for (std::string const& change : made.overrides) std::cout << "--- --set " << change << '\n';
  }

  Settings const& settings_;
  Registry<PhysicsEntry> physics_;
  std::vector<DeckFormat> formats_;
  std::shared_ptr<deck::ResolvedSection const> declaration_;
  DeckMutator mutator_;
  Tally tally_;
};

std::string first_line_with(std::string const& path, std::string const& start) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(start)) return line.substr(line.find(':') + 2);
  }
  return "";
}

/// Adds this share to the totals in the file.
void add_record(Settings const& settings, Tally const& tally) {
  using Json = nlohmann::ordered_json;
  Json pieces = Json::array();
  if (std::ifstream file(settings.record); file) pieces = Json::parse(file).at("pieces");
  std::array<char, 32> date{};
  std::time_t const now = std::time(nullptr);
  std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  pieces.push_back({{"hardware", first_line_with("/proc/cpuinfo", "model name")},
                    {"commit", revision()},
                    {"date", date.data()},
                    {"command", "deck_fuzz --seed " + std::to_string(settings.seed) + " --count " +
                                    std::to_string(settings.count) + (settings.limits ? " --limits" : "")},
                    {"first_seed", settings.seed},
                    {"decks", settings.count},
                    {"accepted", tally.accepted},
                    {"refused", tally.refused},
                    {"failures", tally.failures},
                    {"mean_bytes", tally.bytes / std::max<std::uint64_t>(settings.count, 1)},
                    {"cpu_seconds", tally.seconds},
                    {"slowest", {{"seed", tally.slowest_seed}, {"cpu_seconds", tally.slowest}}},
                    {"peak_memory", {{"seed", tally.peak_seed}, {"MiB", tally.peak_mebibytes}}}});
  std::uint64_t decks = 0;
  for (Json const& piece : pieces) decks += piece.at("decks").get<std::uint64_t>();
  std::ofstream(settings.record) << Json{{"decks", decks}, {"pieces", pieces}}.dump(1) << '\n';
}

int fuzz(Settings const& settings) {
  for (int const signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGALRM}) std::signal(signal, tell_seed);
  Tally const tally = Fuzz(settings).run();
  std::cout << settings.count << " decks: " << tally.accepted << " accepted, " << tally.refused << " refused, "
            << tally.failures.size() << " failures; slowest " << tally.slowest << " s (seed " << tally.slowest_seed
            << "), peak " << tally.peak_mebibytes << " MiB (seed " << tally.peak_seed << ")\n";
  if (!settings.record.empty()) add_record(settings, tally);
  return tally.failures.empty() ? 0 : 1;
}

}  // namespace
}  // namespace halocline::test

int main(int count, char** arguments) {
  halocline::test::Settings settings;
  CLI::App app("Gives mutated decks to the readers and the validation");
  app.add_option("--seed", settings.seed, "Number of the first deck");
  app.add_option("--count", settings.count, "Decks to try, each with the number after the one before");
  app.add_option("--decks", settings.decks, "Folder of good decks, which are mutated")->required();
  app.add_option("--record", settings.record, "JSON file to which what came of it is added");
  app.add_flag("--limits", settings.limits, "A deck that takes more than 1 s or 256 MiB is a failure, too");
  app.add_flag("--show", settings.show, "Prints each deck and what is said of it");
  CLI11_PARSE(app, count, arguments);
  try {
    return halocline::test::fuzz(settings);
  } catch (std::exception const& error) {
    std::cerr << "deck_fuzz: " << error.what() << '\n';
    return 2;
  }
}
