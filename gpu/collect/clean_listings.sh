#!/usr/bin/env bash
# Takes from the listings of a bundle what depends on the machine that compiled them: debug sections, whose bytes hold times and folders, and
# the folder of source files in `//## File` lines (of a package: all up to site-packages). Listings that are equal then have equal names, since a name is a hash of the text.
#
#   collect/clean_listings.sh BUNDLE FOLDER      FOLDER: what is cut off the front of file names, for example /home/me/tilescope
set -euo pipefail
if [ $# -ne 2 ] || [ ! -r "$1/launches.yaml" ]; then
  echo "usage: clean_listings.sh BUNDLE FOLDER: a bundle and the folder of its sources" >&2
  exit 2
fi
bundle=$1 folder=${2%/}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for file in "$bundle"/code/*.sass.zst; do
  zstd -dcq "$file" | awk -v folder="$folder/" '
    /^\/\/-+ \./ { debug = $2 ~ /^\.(nv_)?debug_/ }
    debug { next }
    /\/\/## File "/ { at = index($0, "\"" folder); if (at) $0 = substr($0, 1, at) substr($0, at + 1 + length(folder)); sub(/"[^"]*\/site-packages\//, "\"") }
    { print }' >"$work/listing"
  name=$(sha256sum <"$work/listing" | cut -c1-16)
  rm "$file"
  zstd -q -19 -f "$work/listing" -o "$bundle/code/$name.sass.zst"
  echo "s|code/$(basename "$file")|code/$name.sass.zst|"
done >"$work/names"
find "$bundle/launches" -name '*.yaml' -exec sed -i -f "$work/names" {} +
