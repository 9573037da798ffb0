// A program that is compiled for a processor which nobody has: processor_check.cpp is linked to it with all needs at
// once.

namespace halocline::test {
bool has_spoken();
}  // namespace halocline::test

int main() { return halocline::test::has_spoken() ? 0 : 1; }
