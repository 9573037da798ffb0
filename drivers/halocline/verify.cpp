#include <fmt/format.h>

#include <string>
#include <vector>

#include "drivers/halocline/commands.hpp"
#include "drivers/halocline/standard_output.hpp"
#include "framework/io/verification.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/shown_text.hpp"

namespace halocline {

ExitCode verify(VerifyCommand const& command) {
  std::string damaged;
  std::string notes;
  std::size_t whole = 0;
  for (VerifiedFile const& file : verify(std::filesystem::path(command.path))) {
    if (file.damage.empty() && file.note.empty()) ++whole;
    if (!file.note.empty()) notes += shown(file.path.string()) + " " + file.note + "\n";
    for (std::string const& damage : file.damage) damaged += "\n  " + shown(file.path.string()) + ": " + damage;
  }
  say(fmt::format("{}: {} file{} intact\n{}", shown(command.path), whole, whole == 1 ? "" : "s", notes));
  if (damaged.empty()) return ExitCode::done;
  throw InputOutputError("damaged:" + damaged);
}

}  // namespace halocline
