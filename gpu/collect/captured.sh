#!/usr/bin/env bash
# Launches of gpu/kernels that are captured, so that the simulator has their machine code and arguments, and counted.
#
#   OUT=folder collect/captured.sh WHAT PROGRAM RECORDER      PROGRAM: tilescope-gpu; RECORDER: tilescope-capture
#
# WHAT: pipelined (GEMMs on tensor cores, whose arguments hold tensor maps) or families (what tutorials teach beside tiled GEMMs).
# For cases_WHAT.txt and cases_WHAT_holdout.txt leaves in OUT:
#   train/, holdout/           the bundles
#   train.csv, holdout.csv     counters, a row per launch in launch order (programs.awk)
#   *.checked.csv              what the program says of its results and times; *.log: what the tools said
# Results are checked first, and a wrong one ends the script. Caches are flushed before every pass, clocks are left as they are.
set -euo pipefail
kernels=  # of mangled names: instances of templates
[ $# -ne 3 ] || case $1 in
  pipelined) kernels='gemm_(pipelined|specialised|streamk)I' ;;
  families) kernels='gpu[0-9]+(gemm_(warp|grouped)|reduction|convolution_(direct|shared)|softmax|layer_norm|attention_(scores|values|flash|tensor))I' ;;
esac
[ -n "$kernels" ] || { echo "usage: captured.sh pipelined|families PROGRAM RECORDER" >&2; exit 2; }
what=$1 program=$2 recorder=$3
here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:/usr/local/cuda/bin
out=$(mkdir -p "${OUT:-$what.out}" && cd "${OUT:-$what.out}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cases_of() { if [ "$1" = train ]; then echo "$here/cases_$what.txt"; else echo "$here/cases_${what}_holdout.txt"; fi; }
say() { echo "captured.sh: [$SECONDS s] $*"; }

for set in train holdout; do
  "$program" --cases "$(cases_of $set)" --cold >"$out/$set.checked.csv" || { grep WRONG "$out/$set.checked.csv" >&2; exit 1; }
  rm -rf "${out:?}/$set"
  "$recorder" --kernels "$kernels" -o "$out/$set" "$program" --cases "$(cases_of $set)" --once >"$out/$set.log" 2>&1
  sed -i "s|^program: .*|program: [\"tilescope-gpu\", \"--cases\", \"gpu/collect/$(basename "$(cases_of $set)")\", \"--once\"]|" "$out/$set/bundle.yaml"
  say "$set: results are right, $(wc -l <"$out/$set/order") launches captured"
done
ncu --query-metrics --query-metrics-mode base 2>&1 | awk '$1 ~ /__/ {print $1}' | sort >"$work/known"
[ -s "$work/known" ] || { echo "captured.sh: ncu cannot query this GPU" >&2; exit 1; }
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
    echo "# Made by gpu/collect/captured.sh $what over $(basename "$(cases_of $set)") with metrics_pipelined.txt; base units. A row per launch in launch order."
  } >"$work/head"
  awk -v metrics="$work/metrics" -v head="$work/head" -f "$here/csv.awk" -f "$here/programs.awk" "$work/ncu.csv" >"$out/$set.csv"
  say "$set: $(($(grep -vc '^#' "$out/$set.csv") - 1)) launches counted"
done
