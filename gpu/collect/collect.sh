#!/usr/bin/env bash
# Counters of a list of cases, one row per case, from Nsight Compute.
#
#   collect/collect.sh PROGRAM CASES OUT_PREFIX    ->  OUT_PREFIX.ncu.csv (one row a case, in order), OUT_PREFIX.cases.csv
#
# PROGRAM is tilescope-gpu. Caches are flushed before every launch and the clocks are left as they are, so that the counters mean
# "a cold launch on this GPU"; base units throughout. Metrics: metrics.txt beside this script.
set -euo pipefail
program=$1 cases=$2 prefix=$3
here=$(cd "$(dirname "$0")" && pwd)

# Keeps of metrics.txt what this GPU has and expands a '*' in the middle of a name; launch__* are known to the profiler, not the GPU.
known=$(mktemp)
trap 'rm -f "$known"' EXIT
ncu --query-metrics --query-metrics-mode base | awk '$1 ~ /__/ {print $1}' >"$known"
metrics=$(awk -v known="$known" '
  BEGIN { while ((getline name < known) > 0) have[name] = 1 }
  { sub(/#.*/, ""); gsub(/[ \t]/, "") }
  $0 == "" { next }
  /^launch__/ { print; next }
  {
    base = $0; sub(/\..*/, "", base); suffix = substr($0, length(base) + 1)
    if (base ~ /\*/) {
      pattern = base; gsub(/\*/, "[a-z0-9_]*", pattern)
      for (name in have) if (name ~ "^" pattern "$") print name suffix
    } else if (base in have) print
    else print "collect.sh: this GPU has no " base > "/dev/stderr"
  }' "$here/metrics.txt" | sort -u | paste -sd,)

ncu --csv --page raw --print-units base --cache-control all --clock-control none \
  --kernel-name 'regex:^gemm_(naive|tiled|register)' --metrics "$metrics" --log-file "$prefix.ncu.csv" \
  "$program" --cases "$cases" --once >"$prefix.cases.csv"
