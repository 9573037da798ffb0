// hostile_plugin.cpp, compiled with contraction: options of a source file come last on the compiler's command line.
#include "framework/plugin/hostile_plugin.cpp"
