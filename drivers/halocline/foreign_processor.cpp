// A program compiled for a processor that does not exist: processor_check.cpp is linked to it with all requirements
// set.

namespace halocline::test {
bool has_spoken();
}  // namespace halocline::test

int main() { return halocline::test::has_spoken() ? 0 : 1; }
