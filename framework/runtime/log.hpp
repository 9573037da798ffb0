#pragma once

#include <string_view>

namespace halocline {

class Communicator;

/// From most to least verbose.
enum class LogLevel { trace, debug, info, warning, error, off };

struct LogOptions {
  LogLevel level = LogLevel::info;
  bool every_rank = false;  ///< otherwise only rank 0 logs; if set, lines start with their rank
};

/// While one of these lives, messages go to standard error; otherwise they are discarded. Only a program's own main
/// creates one.
class Log {
 public:
  explicit Log(Communicator const& communicator, LogOptions options = {});
  ~Log();
  Log(Log const&) = delete;
  Log& operator=(Log const&) = delete;
};

/// Whether this rank writes messages of this level; ask before composing an expensive one.
[[nodiscard]] bool logs(LogLevel level);
void log(LogLevel level, std::string_view message);
inline void log_debug(std::string_view message) { log(LogLevel::debug, message); }
inline void log_info(std::string_view message) { log(LogLevel::info, message); }
inline void log_warning(std::string_view message) { log(LogLevel::warning, message); }

}  // namespace halocline
