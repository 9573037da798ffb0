// A library with a static object whose constructor prints before main.

#include <unistd.h>

namespace halocline::test {
namespace {

bool speak() { return write(STDOUT_FILENO, "initialised\n", 12) == 12; }
bool const spoken = speak();

}  // namespace

__attribute__((visibility("default"))) bool has_spoken();
bool has_spoken() { return spoken; }

}  // namespace halocline::test
