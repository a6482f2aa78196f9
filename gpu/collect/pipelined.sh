#!/usr/bin/env bash
# Pipelined GEMMs: captured, since tensor maps are arguments of their launches, and counted.
#
#   OUT=folder collect/pipelined.sh PROGRAM RECORDER      PROGRAM: tilescope-gpu; RECORDER: tilescope-capture
#
# For cases_pipelined.txt and cases_pipelined_holdout.txt leaves in OUT:
#   train/, holdout/           the bundles
#   train.csv, holdout.csv     counters, a row per launch in launch order (programs.awk)
#   *.checked.csv              what the program says of its results and times; *.log: what the tools said
# Results are checked first, and a wrong one ends the script. Caches are flushed before every pass, clocks are left as they are.
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: pipelined.sh PROGRAM RECORDER" >&2; exit 2; }
program=$1 recorder=$2
here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:/usr/local/cuda/bin
out=$(mkdir -p "${OUT:-pipelined.out}" && cd "${OUT:-pipelined.out}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cases_of() { if [ "$1" = train ]; then echo "$here/cases_pipelined.txt"; else echo "$here/cases_pipelined_holdout.txt"; fi; }
kernels='gemm_(pipelined|specialised|streamk)I'  # of mangled names: instances of templates

for set in train holdout; do
  "$program" --cases "$(cases_of $set)" --cold >"$out/$set.checked.csv" || { grep WRONG "$out/$set.checked.csv" >&2; exit 1; }
  rm -rf "${out:?}/$set"
  "$recorder" --kernels "$kernels" -o "$out/$set" "$program" --cases "$(cases_of $set)" --once >"$out/$set.log" 2>&1
  sed -i "s|^program: .*|program: [\"tilescope-gpu\", \"--cases\", \"gpu/collect/$(basename "$(cases_of $set)")\", \"--once\"]|" "$out/$set/bundle.yaml"
done
ncu --query-metrics --query-metrics-mode base 2>&1 | awk '$1 ~ /__/ {print $1}' | sort >"$work/known"
[ -s "$work/known" ] || { echo "pipelined.sh: ncu cannot query this GPU" >&2; exit 1; }
awk -v known="$work/known" -f "$here/select_metrics.awk" "$here/metrics_pipelined.txt" >"$work/metrics"
for set in train holdout; do
  ncu --csv --page raw --print-units base --print-kernel-base mangled --cache-control all --clock-control none \
    --kernel-name-base mangled --kernel-name "regex:$kernels" --metrics "$(paste -sd, "$work/metrics")" --log-file "$work/ncu.csv" \
    "$program" --cases "$(cases_of $set)" --once >>"$out/$set.log" 2>&1
  {
    gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
    driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)
    toolkit=$(nvcc --version | sed -n 's/.*release \([0-9.]*\), V\([0-9.]*\).*/\1 (nvcc \2)/p')
    profiler=$(ncu --version | sed -n 's/^Version \([0-9.]*\).*/\1/p')
    echo "# $gpu, driver $driver, CUDA $toolkit, Nsight Compute $profiler, clocks left alone (SM CLOCK MHz), cold caches, $(date +%F)"
    echo "# Made by gpu/collect/pipelined.sh over $(basename "$(cases_of $set)") with metrics_pipelined.txt; base units. A row per launch in launch order."
  } >"$work/head"
  awk -v metrics="$work/metrics" -v head="$work/head" -f "$here/csv.awk" -f "$here/programs.awk" "$work/ncu.csv" >"$out/$set.csv"
  echo "pipelined.sh: $set: $(($(grep -vc '^#' "$out/$set.csv") - 1)) launches"
done
