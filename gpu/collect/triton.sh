#!/usr/bin/env bash
# Triton launches of gpu/triton: checked, captured and counted.
#
#   OUT=folder collect/triton.sh RECORDER      RECORDER: tilescope-capture; needs PyTorch and Triton
#
# For launches_train.txt and launches_holdout.txt leaves in OUT:
#   launches_*.txt             the lines whose results are right; the others are named in *.checked.txt, and are left out of all that follows
#   train/, holdout/           the bundles
#   train.csv, holdout.csv     counters, a row per launch in launch order (programs.awk)
#   *.checked.txt              what the program says of its results; *.log: what the tools said
# Kernels are compiled once, by as many processes as there are cores (at most 12). Caches are flushed before every pass, clocks are left as
# they are. Exit code 1: a result was wrong or a kernel did not compile.
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: triton.sh RECORDER" >&2; exit 2; }
recorder=$1
here=$(cd "$(dirname "$0")" && pwd)
triton=$(dirname "$here")/triton
PATH=$PATH:/usr/local/cuda/bin
out=$(mkdir -p "${OUT:-triton.out}" && cd "${OUT:-triton.out}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TRITON_CACHE_DIR=${TRITON_CACHE_DIR:-$work/cache} PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=2
kernels='^(matmul|softmax|layer_norm|attention)'
shares=$(($(nproc) / 2))
[ "$shares" -le 6 ] || shares=6
[ "$shares" -ge 1 ] || shares=1
say() { echo "triton.sh: [$SECONDS s] $*"; }

checks=()
for set in train holdout; do
  for share in $(seq "$shares"); do
    timeout 300 python3 "$triton/launches.py" "$triton/launches_$set.txt" --share "$share/$shares" --good "$work/$set.good.$share" \
      >"$work/$set.checked.$share" 2>&1 &
    checks+=($!)
  done
done
failed=0
for check in "${checks[@]}"; do wait "$check" || failed=1; done
for set in train holdout; do
  cat "$work/$set".checked.* >"$out/$set.checked.txt"
  cat "$work/$set".good.* 2>/dev/null | awk 'NR == FNR { good[$0]; next } $0 in good' - "$triton/launches_$set.txt" >"$out/launches_$set.txt"
  say "$set: $(wc -l <"$out/launches_$set.txt") of $(grep -c '^[a-z]' "$triton/launches_$set.txt") launches are right"
  grep -v ': ok' "$out/$set.checked.txt" | head -n 40 >&2 || true
done

captures=()
for set in train holdout; do
  rm -rf "${out:?}/$set"
  "$recorder" --kernels "$kernels" -o "$out/$set" python3 "$triton/launches.py" "$out/launches_$set.txt" --once >"$out/$set.log" 2>&1 &
  captures+=($!)
done
for capture in "${captures[@]}"; do wait "$capture" || { echo "triton.sh: the recorder failed" >&2; cat "$out"/*.log >&2; }; done
for set in train holdout; do
  [ -r "$out/$set/bundle.yaml" ] || { failed=1; continue; }
  sed -i "s|^program: .*|program: [\"python3\", \"gpu/triton/launches.py\", \"gpu/triton/launches_$set.txt\", \"--once\"]|" "$out/$set/bundle.yaml"
  say "$set: $(wc -l <"$out/$set/order") launches captured"
done

ncu --query-metrics --query-metrics-mode base 2>&1 | awk '$1 ~ /__/ {print $1}' | sort >"$work/known"
[ -s "$work/known" ] || { echo "triton.sh: ncu cannot query this GPU" >&2; exit 1; }
awk -v known="$work/known" -f "$here/select_metrics.awk" "$here/metrics_pipelined.txt" >"$work/metrics"
{
  gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
  driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)
  version=$(python3 -c 'import triton; print(triton.__version__)')
  profiler=$(ncu --version | sed -n 's/^Version \([0-9.]*\).*/\1/p')
  echo "# $gpu, driver $driver, Triton $version, Nsight Compute $profiler, clocks left alone (SM CLOCK MHz), cold caches, $(date +%F)"
  echo "# Made by gpu/collect/triton.sh over launches_SET.txt with metrics_pipelined.txt; base units. A row per launch in launch order."
} >"$work/head"
for set in train holdout; do
  ncu --csv --page raw --print-units base --print-kernel-base mangled --cache-control all --clock-control none \
    --target-processes application-only --kernel-name-base mangled --kernel-name "regex:$kernels" \
    --metrics "$(paste -sd, "$work/metrics")" --log-file "$work/ncu.csv" \
    python3 "$triton/launches.py" "$out/launches_$set.txt" --once >>"$out/$set.log" 2>&1 || say "ncu failed: $(tail -n 3 "$out/$set.log")"
  sed "s/launches_SET/launches_$set/" "$work/head" >"$work/head_$set"
  awk -v metrics="$work/metrics" -v head="$work/head_$set" -f "$here/csv.awk" -f "$here/programs.awk" "$work/ncu.csv" >"$out/$set.csv"
  say "$set: $(($(grep -vc '^#' "$out/$set.csv") - 1)) launches counted"
done
exit "$failed"
