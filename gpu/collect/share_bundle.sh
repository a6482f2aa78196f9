#!/usr/bin/env bash
# Replaces the listings and contents of a bundle that another bundle holds too by links to them: the same program on two GPUs.
#
#   collect/share_bundle.sh FROM TO      TO becomes smaller; FROM stays as it is
set -euo pipefail
if [ $# -ne 2 ] || [ ! -r "$1/launches.yaml" ] || [ ! -r "$2/launches.yaml" ]; then
  echo "usage: share_bundle.sh FROM TO: two bundles" >&2
  exit 2
fi
for folder in code memory; do
  [ -d "$2/$folder" ] && [ -d "$1/$folder" ] || continue
  to=$(realpath --relative-to="$2/$folder" "$1/$folder")
  for file in "$2/$folder"/*; do
    name=$(basename "$file")
    if [ ! -L "$file" ] && cmp -s "$file" "$1/$folder/$name"; then ln -sf "$to/$name" "$file"; fi
  done
done
