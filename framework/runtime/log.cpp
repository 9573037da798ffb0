#include "framework/runtime/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <memory>
#include <string>

#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/shown_text.hpp"

namespace halocline {

namespace {

std::shared_ptr<spdlog::logger> logger;

spdlog::level::level_enum translate(LogLevel level) {
  constexpr std::array levels{spdlog::level::trace, spdlog::level::debug, spdlog::level::info,
                              spdlog::level::warn,  spdlog::level::err,   spdlog::level::off};
  return levels[static_cast<std::size_t>(level)];
}

}  // namespace

Log::Log(Communicator const& communicator, LogOptions options) {
  if (logger) throw DefectError("a second Log is opened while one is open");
  logger = std::make_shared<spdlog::logger>("halocline", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  bool const speaks = options.every_rank || communicator.rank() == 0;
  logger->set_level(speaks ? translate(options.level) : spdlog::level::off);
  std::string pattern = "%H:%M:%S.%e %l: %v";
  if (options.every_rank) pattern.insert(0, '[' + std::to_string(communicator.rank()) + "] ");
  logger->set_pattern(pattern);
  logger->flush_on(spdlog::level::trace);
}

Log::~Log() { logger.reset(); }

bool logs(LogLevel level) { return logger && logger->should_log(translate(level)); }

void log(LogLevel level, std::string_view message) {
  if (!logger || !logger->should_log(translate(level))) return;
  std::string const text = shown_lines(message);
  logger->log(translate(level), spdlog::string_view_t(text.data(), text.size()));
}

}  // namespace halocline
