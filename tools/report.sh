# Messages of the launcher and the set-up: one line for each finished step, and one for a failure.
# shellcheck shell=bash

# reported TITLE BEGAN [REMARK]: the line of a finished step; BEGAN is its start in microseconds, from `now`
now() { REPLY=${EPOCHREALTIME/[.,]/}; }
reported() {
  now
  local tenths=$(((REPLY - $2) / 100000))
  printf 'halocline: %-42s %4d.%d s%s\n' "$1" $((tenths / 10)) $((tenths % 10)) "${3:+  $3}" >&2
}

# cause LOG: the likely reason of a failure, in a few words
cause() {
  # On a full disk the log may lack the message.
  if grep -qi 'no space left on device' "$1" || (($(df -Pk "${1%/*}" | awk 'NR == 2 {print $4}') < 64)); then
    echo "the disk is full"
  elif grep -qiE 'temporary failure (in name )?resol|could not resolve|network is unreachable|no address associated|name or service not known|failed to establish a new connection' "$1"; then
    echo "no network"
  elif grep -q 'CERTIFICATE_VERIFY_FAILED' "$1"; then
    echo "the certificate of a server is not trusted on this machine"
  elif grep -qE 'DO NOT MATCH THE HASHES|computed checksum did NOT match|: FAILED$' "$1"; then
    echo "a download has the wrong checksum"
  elif grep -qiE 'are you root|permission denied' "$1"; then
    echo "not permitted"
  elif grep -qiE 'cannot allocate memory|Killed signal' "$1"; then
    echo "the memory is full"
  else
    # The first error of a compiler, CMake, pip or apt; CMake's message is in the lines that follow.
    awk '/^CMake Error/ {cmake = 1; next}
      cmake && NF {text = text (text ? " " : "") substr($0, match($0, /[^ ]/)); next}
      cmake && text {print text; found = 1; exit}
      !cmake && /(error|ERROR|Error|^E): / {print; found = 1; exit}
      END {if (!found) print "it did not work"}' "$1"
  fi
}

# stopped TITLE LOG [REMARK]: the line of a failed step
stopped() { echo "halocline: \"$1\" failed: ${3:-$(cause "$2")} (see $2)" >&2; }
