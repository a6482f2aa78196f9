#!/usr/bin/env bash
# Takes the contents of memory from the launches of a bundle that do not need them.
#
#   collect/trim_bundle.sh BUNDLE [NEEDS]
#
# NEEDS: the launches that keep theirs, by number, kernel or both on a line, as `tilescope bundle needs` prints them; without it none does.
# Then deletes the files of BUNDLE/memory that no launch names.
set -euo pipefail
if [ $# -lt 1 ] || [ $# -gt 2 ] || [ ! -r "$1/launches.yaml" ] || { [ $# -eq 2 ] && [ ! -r "$2" ]; }; then
  echo "usage: trim_bundle.sh BUNDLE [NEEDS]: a bundle and a file that can be read" >&2
  exit 2
fi
bundle=$1 needs=${2:-/dev/null}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk -v needs="$needs" '
  BEGIN {
    while ((getline line < needs) > 0) {
      sub(/#.*/, "", line)
      count = split(line, word, " ")
      if (count == 1 && word[1] !~ /^[0-9]+$/) kernels[word[1]] = 1
      else if (count > 0) ids[word[1]] = 1
    }
  }
  match($0, /id: [0-9]+/) {
    id = substr($0, RSTART + 4, RLENGTH - 4)
    match($0, /file: [^,}]+/); file = substr($0, RSTART + 6, RLENGTH - 6)
    match($0, /kernel: [^,}]+/); kernel = substr($0, RSTART + 8, RLENGTH - 8); gsub(/["\047 ]/, "", kernel)
    if (!(id in ids) && !(kernel in kernels)) print file
  }' "$bundle/launches.yaml" >"$work/without"
while read -r file; do
  grep -q 'contents: \[' "$bundle/$file" || continue
  sed 's/, contents: \[[^]]*\]//' "$bundle/$file" >"$work/launch"
  cp "$work/launch" "$bundle/$file"
done <"$work/without"

[ -d "$bundle/memory" ] || exit 0
find "$bundle/launches" -name '*.yaml' -exec grep -ho 'memory/[^,} ]*' {} + | sort -u >"$work/used" || true
(cd "$bundle" && find memory -type f -o -type l -path 'memory/*' | sort) >"$work/there"
comm -13 "$work/used" "$work/there" | while read -r file; do rm "$bundle/$file"; done
rmdir "$bundle/memory" 2>/dev/null || true
