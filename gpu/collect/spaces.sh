#!/usr/bin/env bash
# Everything that docs/memory-spaces.md rests on, on a machine with a GPU and the CUDA Toolkit: the microbenchmarks of atomics, fences
# and local memory, and listings and counters of tests/data/sass/spaces.
#
#   OUT=folder collect/spaces.sh [PART...]    PART: microbench, listings, counters, triton, more; all of them if none is named
#
# Leaves OUT/spaces.tgz. SECONDS_LEFT (default 500): when the last counters are begun; FIRST (default 0): the first case counted;
# MICRO: microbenchmarks, MORE: cases with further counters, by name and by number.
set -u
here=$(cd "$(dirname "$0")" && pwd)
probes=$here/../../tests/data/sass/spaces
out=$(mkdir -p "${OUT:-spaces.out}" && cd "${OUT:-spaces.out}" && pwd)
parts=" ${*:-microbench listings counters triton more} "
limit=${SECONDS_LEFT:-500}
PATH=$PATH:/usr/local/cuda/bin
work=$(mktemp -d)
trap 'tar czf "$out/spaces.tgz" -C "$work" $(cd "$work" && ls | grep -v "^build$\|^run$"); ls -la "$out"' EXIT
cd "$work"
has() { [[ $parts == *" $1 "* ]]; }
say() { echo "[$SECONDS s] $*"; }

flags="-O3 -std=c++17 -arch=sm_90 -diag-suppress 550,177"
nvcc $flags -o run "$probes/run.cu" >run.err 2>&1 &
if has listings; then
  (nvcc $flags -lineinfo -cubin -o spaces.cubin "$probes/spaces.cu" 2>cubin.err &&
    cuobjdump -sass spaces.cubin >spaces.sass && cuobjdump -elf spaces.cubin >spaces.elf) &
fi
if has triton; then
  (timeout 150 python3 "$probes/tri.py" >triton.txt 2>&1
   for c in triton_*.cubin; do cuobjdump -sass "$c" >"${c%.cubin}.sass"; cuobjdump -elf "$c" >"${c%.cubin}.elf"; done) &
fi
if has microbench; then
  cmake -S "$here/.." -B build -G Ninja -DCMAKE_CUDA_ARCHITECTURES=90-real -DCMAKE_CUDA_COMPILER=/usr/local/cuda/bin/nvcc \
    >cmake.txt 2>&1 && cmake --build build --target tilescope-microbench >>cmake.txt 2>&1 || tail -n 20 cmake.txt
fi
wait
say built; cat run.err triton.txt 2>/dev/null
nvidia-smi --query-gpu=name,driver_version,clocks.sm --format=csv,noheader | tee machine.txt
if has microbench; then
  for name in ${MICRO:-sm_clock latency_atomic fences local_memory throughput_shared_atomic throughput_atomic}; do
    timeout 100 build/tilescope-microbench "micro_$name" "$name" >"micro_$name.txt" 2>&1 || { say "$name failed"; tail -n 3 "micro_$name.txt"; }
    say "$name"
  done
fi

./run >cases.csv; tail -n 1 cases.csv
ncu --query-metrics --query-metrics-mode base 2>&1 | awk '$1 ~ /__/ {print $1}' | sort >known.txt
for list in metrics_spaces metrics_spaces_more; do
  awk -v known=known.txt -f "$here/select_metrics.awk" "$here/$list.txt" >"$list.txt" 2>"$list.err"
done
wc -l known.txt metrics_*.txt
# count NAME METRICS PROGRAM...
count() {
  local name=$1 list=$2
  shift 2
  timeout 200 ncu --csv --page raw --print-units base --cache-control all --clock-control none \
    --metrics "$(paste -sd, "$list.txt")" --log-file "$name.ncu.csv" "$@" >"$name.txt" 2>&1
  say "$name: $(grep -c '^"[0-9]' "$name.ncu.csv") rows; $(grep -m 1 "==ERROR" "$name.ncu.csv")"
}
if has triton; then count triton metrics_spaces --kernel-name mm_ieee python3 "$probes/tri.py"; fi
if has counters; then
  cases=$(wc -l <cases.csv)
  for ((first = ${FIRST:-0}; first < cases; first += 60)); do
    [ "$SECONDS" -lt "$limit" ] || { say "left out: cases from $first"; break; }
    count "counters_$first" metrics_spaces ./run $first $((first + 60))
  done
fi
if has more; then
  for first in ${MORE:-11 33 36 60 62 63 64 65 68 69 136 139 159 345 349 353 357 464 465 466 470 473}; do
    [ "$SECONDS" -lt "$limit" ] || { say "left out: more from $first"; break; }
    count "more_$first" metrics_spaces_more ./run $first $((first + 1))
  done
fi
say done
