#!/usr/bin/env bash
# Times of every legal configuration on every problem shape, and of cuBLAS, from Nsight Compute: gpu/measured/<gpu>/tune.csv.
#
#   collect/tune.sh PROGRAM OUT [SECONDS]
#     ->  OUT.csv        type,kernel,group,m,n,k,runs,gpu__time_duration.sum,shortest,longest,gpc__cycles_elapsed.max
#
# PROGRAM is tilescope-gpu, built with cuBLAS. Shapes are those of tune_shapes.txt, configurations those of tune_configs.txt; a
# configuration is legal on a shape when its multiples divide it. Every launch is cold: caches are flushed, clocks left alone. All cases are
# run once, then all once more, up to five times and until SECONDS (default 80) are over; times are medians, in ns. The kernels that cuBLAS
# launches for a product are added up.
set -euo pipefail
if [ $# -lt 2 ] || [ $# -gt 3 ]; then
  echo "usage: tune.sh PROGRAM OUT [SECONDS]" >&2
  exit 2
fi
program=$1 out=$2 seconds=${3:-80}
PATH=$PATH:/usr/local/cuda/bin
here=$(cd "$(dirname "$0")" && pwd)
command -v ncu >/dev/null || { echo "tune.sh: ncu is not installed" >&2; exit 1; }
mkdir -p "$(dirname "$out")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$program" list >"$work/list"
awk -F '[, ]+' -v list="$work/list" -v shapes="$here/tune_shapes.txt" '
  BEGIN {
    while ((getline < list) > 0) { m[$1] = $4; n[$1] = $5; k[$1] = $6 }
    while ((getline < shapes) > 0) if ($1 !~ /^#/) shape[++count] = $2 " " $3 " " $4
  }
  /^#/ || NF < 3 { next }
  !($2 in m) { print "tune.sh: tune_configs.txt:" FNR ": " $2 ": PROGRAM has no such kernel" > "/dev/stderr"; exit 1 }
  { for (i = 1; i <= count; ++i) {
      split(shape[i], size, " ")
      if (size[1] % m[$2] == 0 && size[2] % n[$2] == 0 && size[3] % k[$2] == 0) print $2, shape[i], $3 } }
  ' "$here/tune_configs.txt" >"$work/cases"
awk '!/^#/ && NF == 4 { print "cublas_f32", $2, $3, $4; print "cublas_f16", $2, $3, $4 }' "$here/tune_shapes.txt" >"$work/library"
echo "tune.sh: $(wc -l <"$work/cases") cases, $(wc -l <"$work/library") products by cuBLAS" >&2

profile() { # profile JOIN CASES KERNELS...: appends rows to $work/runs
  local join=$1 cases=$2
  shift 2
  if ! ncu --csv --page raw --print-units base --cache-control all --clock-control none "$@" \
    --metrics gpu__time_duration.sum,gpc__cycles_elapsed.max --log-file "$work/ncu.csv" \
    "$program" --cases "$cases" --once >"$work/cases.csv" || ! grep -q '^"ID"' "$work/ncu.csv"; then
    echo "tune.sh: $(basename "$cases"): $(grep -m 1 -E 'ERR|No kernels' "$work/ncu.csv" || echo 'ncu wrote no table')" >&2
    return
  fi
  awk -v join="$join" -f "$here/csv.awk" -f "$here/tune.awk" "$work/cases.csv" "$work/ncu.csv" >>"$work/runs"
}

# Few cases at a time, so that an end in the middle of a run leaves whole ones.
split -l 280 -a 2 "$work/cases" "$work/batch."
: >"$work/runs"
for run in 1 2 3 4 5; do
  [ "$SECONDS" -lt "$seconds" ] || break
  profile library "$work/library"
  for batch in "$work"/batch.*; do
    [ "$SECONDS" -lt "$seconds" ] || break
    profile cases "$batch" --kernel-name 'regex:^gemm_'
  done
  echo "tune.sh: run $run ended after $SECONDS s" >&2
done
{
  echo "# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1 | sed 's/, /, driver /'), Nsight Compute $(ncu --version | sed -n 's/^Version \([0-9.]*\).*/\1/p'), clocks left alone, cold caches, $(date +%F)"
  echo "# Made by gpu/collect/tune.sh: medians over the runs, in ns; the shortest and the longest; cycles."
  awk -v configs="$here/tune_configs.txt" -v join=median -f "$here/csv.awk" -f "$here/tune.awk" "$work/runs"
} >"$out.csv"
echo "tune.sh: $(($(grep -vc '^#' "$out.csv") - 1)) rows in $out.csv" >&2
