#!/bin/sh
# Writes FILE, which tells the program the commit it was built from: tools/revision.sh SOURCE_FOLDER FILE
# The file is left alone when it would not change, so that nothing is compiled for it.
set -eu
commit=$(git -C "$1" describe --always --dirty --abbrev=12 2>/dev/null) || commit=unknown
text="#include \"framework/runtime/version.hpp\"

char const* halocline::revision() { return \"$commit\"; }"
[ -f "$2" ] && [ "$(cat "$2")" = "$text" ] || printf '%s\n' "$text" >"$2"
