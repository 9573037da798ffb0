#include "framework/runtime/process.hpp"

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace halocline {

ProcessIdentity process_of(pid_t number) {
  std::ifstream file("/proc/" + std::to_string(number) + "/stat");
  std::string const text{std::istreambuf_iterator<char>(file), {}};
  // The program's name, in parentheses, may contain anything. After it the state is the first word and the start time
  // the 20th (proc(5)).
  constexpr int words_between = 18;
  std::size_t const name_end = text.rfind(')');
  ProcessIdentity process{number, 0};
  if (name_end == std::string::npos) return process;
  std::istringstream words(text.substr(name_end + 1));
  std::string state;
  words >> state;
  // A zombie: it has ended, but its parent has not collected its status.
  if (state == "Z" || state == "X") return process;
  std::string word;
  for (int n = 0; n < words_between; ++n) words >> word;
  words >> process.start;
  return process;
}

ProcessIdentity this_process() { return process_of(getpid()); }

bool is_alive(ProcessIdentity const& process) { return process.start != 0 && process_of(process.number) == process; }

}  // namespace halocline
