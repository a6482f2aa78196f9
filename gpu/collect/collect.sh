#!/usr/bin/env bash
# Counters of a list of cases, one row per case, from Nsight Compute.
#
#   collect/collect.sh PROGRAM CASES OUT_PREFIX [METRICS]
#     ->  OUT_PREFIX.csv        what models are held against (join.awk says how it looks)
#         OUT_PREFIX.ncu.csv    Nsight Compute's own table
#         OUT_PREFIX.cases.csv  the program's rows
#
# PROGRAM is tilescope-gpu. METRICS is metrics.txt beside this script, or metrics_small.txt (fewer passes over each launch), or any
# such file. Caches are flushed before every launch and the clocks are left as they are, so that the counters mean "a cold launch on
# this GPU"; base units throughout. CACHE_CONTROL=none in the environment: the same launch goes before it and nothing is flushed;
# every pass over the metrics runs the program again. Where the counters cannot be read, says so and falls back to times: gpu__time_duration.sum from
# events, the median of 21 launches with L2 flushed before each.
#
# BATCH=n in the environment runs Nsight Compute over n cases at a time (default: all at once), so that an interrupted collection
# keeps what it has in OUT_PREFIX.part*.
set -euo pipefail
if [ $# -lt 3 ] || [ $# -gt 4 ]; then
  echo "usage: collect.sh PROGRAM CASES OUT_PREFIX [METRICS]" >&2
  exit 2
fi
program=$1 cases=$2 prefix=$3
PATH=$PATH:/usr/local/cuda/bin
here=$(cd "$(dirname "$0")" && pwd)
metrics_file=${4:-$here/metrics.txt}
[ -r "$metrics_file" ] || metrics_file=$here/$metrics_file
for file in "$program" "$cases" "$metrics_file"; do
  [ -r "$file" ] || { echo "collect.sh: $file: cannot be read" >&2; exit 2; }
done
cache_control=${CACHE_CONTROL:-all} as_it_is=() warm=() cold=(--cold) begin="cold caches"
case $cache_control in
  all) ;;
  none) as_it_is=(--profile-from-start off --replay-mode application) warm=(--warm) cold=() begin="warm L2 (the same launch before it)" ;;
  *) echo "collect.sh: CACHE_CONTROL: got '$cache_control'; must be all or none" >&2; exit 2 ;;
esac
mkdir -p "$(dirname "$prefix")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What the GPU has of the metrics asked for, in their order, a '*' expanded; launch__* are known to the profiler, not the GPU.
select_metrics() {
  ncu --query-metrics --query-metrics-mode base >"$work/query" 2>&1 || return 1
  awk '$1 ~ /__/ {print $1}' "$work/query" | sort >"$work/known"
  [ -s "$work/known" ] || return 1
  awk -v known="$work/known" -f "$here/select_metrics.awk" "$metrics_file" >"$work/metrics"
}

count_with_ncu() {
  command -v ncu >/dev/null || { echo "collect.sh: ncu is not installed" >&2; return 1; }
  select_metrics || { echo "collect.sh: ncu cannot query this GPU: $(grep -m 1 ERROR "$work/query" || true)" >&2; return 1; }
  grep -Ev '^[[:space:]]*(#|$)' "$cases" >"$work/all" || { echo "collect.sh: $cases: holds no case" >&2; exit 2; }
  split -l "${BATCH:-100000}" -a 3 "$work/all" "$work/batch."
  : >"$prefix.ncu.csv"
  : >"$prefix.cases.csv"
  local batch part
  for batch in "$work"/batch.*; do
    part=$prefix.part${batch##*.}
    ncu --csv --page raw --print-units base --cache-control "$cache_control" "${as_it_is[@]}" --clock-control none \
      --kernel-name 'regex:^(gemm_|copy|strided|reread|transpose|pointer_chase|reduction|convolution_|softmax|layer_norm|attention_)' \
      --metrics "$(paste -sd, "$work/metrics")" --log-file "$part.ncu.csv" \
      "$program" --cases "$batch" --once "${warm[@]}" >"$part.cases.csv" || true
    if ! grep -q '^"ID"' "$part.ncu.csv"; then
      echo "collect.sh: no counters: $(grep -m 1 -E 'ERR_NVGPUCTRPERM|ERROR|No kernels' "$part.ncu.csv" || echo 'ncu wrote no table')" >&2
      [ ! -s "$prefix.ncu.csv" ] || exit 1  # earlier batches have theirs: keep them
      return 1
    fi
    cat "$part.ncu.csv" >>"$prefix.ncu.csv"
    # The rows of the program's first run: what comes behind its header once more is of a later pass.
    awk -v known="$(head -n 1 "$prefix.cases.csv")" 'NR == 1 { header = $0; if (known == "") print; next } $0 == header { exit } 1' \
      "$part.cases.csv" >>"$prefix.cases.csv"
  done
  rm -f "$prefix".part*
}

# $1: what the clock is read from
describe() {
  local gpu driver toolkit profiler
  gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1) || true
  driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1) || true
  toolkit=$( (nvcc --version || /usr/local/cuda/bin/nvcc --version) 2>/dev/null |
    sed -n 's/.*release \([0-9.]*\), V\([0-9.]*\).*/\1 (nvcc \2)/p') || true
  profiler=$(ncu --version 2>/dev/null | sed -n 's/^Version \([0-9.]*\).*/\1/p') || true
  echo "# ${gpu:-unknown GPU}, driver ${driver:-unknown}, CUDA ${toolkit:-unknown}, $1${profiler:+ $profiler}, clocks left alone (SM CLOCK MHz), $begin, $(date +%F)"
  echo "# Made by gpu/collect/collect.sh over $(basename "$cases") with $2; base units. $(sed -n '1s/^# *//p' "$cases")"
}

if count_with_ncu; then
  describe "Nsight Compute" "$(basename "$metrics_file")" >"$work/head"
  awk -v metrics="$work/metrics" -v head="$work/head" -f "$here/csv.awk" -f "$here/join.awk" "$prefix.cases.csv" "$prefix.ncu.csv" >"$prefix.csv"
else
  echo "collect.sh: falling back to times without counters" >&2
  "$program" --cases "$cases" "${cold[@]}" --no-check --repeats 21 >"$prefix.cases.csv"
  rm -f "$prefix.ncu.csv" "$prefix".part*
  describe "times from events" "no counters" | sed 's/times from events [0-9.]*/times from events/' >"$work/head"
  awk -v head="$work/head" -f "$here/csv.awk" -f "$here/join.awk" "$prefix.cases.csv" >"$prefix.csv"
fi
echo "collect.sh: $(($(grep -vc '^#' "$prefix.csv") - 1)) rows in $prefix.csv" >&2
