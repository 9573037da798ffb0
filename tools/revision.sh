#!/bin/sh
# Writes a source FILE with the commit that the program is built from: tools/revision.sh SOURCE_FOLDER FILE
# An unchanged file is not rewritten, so that nothing is recompiled.
set -eu
commit=$(git -C "$1" describe --always --dirty --abbrev=12 2>/dev/null) || commit=unknown
text="#include \"framework/runtime/version.hpp\"

char const* halocline::revision() { return \"$commit\"; }"
[ -f "$2" ] && [ "$(cat "$2")" = "$text" ] || printf '%s\n' "$text" >"$2"
