// The same, by a compiler that may contract: options of a source file are the last on its command line.
#include "framework/plugin/hostile_plugin.cpp"
