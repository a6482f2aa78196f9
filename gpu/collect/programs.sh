#!/usr/bin/env bash
# Captures and measures the programs of gpu/programs, on a machine with a GPU and the CUDA Toolkit.
#
#   OUT=folder collect/programs.sh [--seconds N] [--select REGEX] [--jobs N] [PART...]
#     PART: build, run, capture, measure, pack; without one: build, capture, measure, pack
#     --seconds N      time limit of everything (default 540): a program whose counters would take longer is left out and named
#     --select REGEX   programs of gpu/programs/programs.csv by name, whole names
#     --jobs N         programs that run at a time while nothing is measured (default: as many as cores, at most 10)
#
# Leaves in OUT:
#   NAME/             the bundle of the program (tilescope-capture), with memory where programs.csv says so: of the launches named in
#                     gpu/programs/needs/NAME.txt, or of all where there is no such file
#   NAME.csv          its counters, a row per launch in launch order (programs.awk says how it looks); a program that has this file
#                     already is not measured again
#   log/              what the programs and the tools said; summary.txt: a line per program
#   programs.tgz.*    all of it in pieces of at most 15 MiB: cat OUT/programs.tgz.* | tar xz -C gpu/measured/<gpu>/programs --exclude=./log
#
# PART run runs every program by itself, which shows that they are right; it needs neither the recorder nor counters. Programs start
# together, but only one at a time has the GPU while counters are read (TILESCOPE_TURN, program.h). TILESCOPE_CAPTURE names another
# recorder than the one built here, and BUILD another folder than OUT/build (programs/bin and gpu/bin are looked for in it). Caches are flushed before every pass and the clocks are left as they are.
set -u
here=$(cd "$(dirname "$0")" && pwd)
gpu=$(dirname "$here")
PATH=$PATH:/usr/local/cuda/bin
seconds=540 select='.*' jobs=$(nproc)
[ "$jobs" -le 10 ] || jobs=10
parts=
while [ $# -gt 0 ]; do
  case $1 in
    --seconds | --select | --jobs)
      [ $# -ge 2 ] || { echo "programs.sh: $1: a value must follow" >&2; exit 2; }
      declare "${1#--}=$2"
      shift ;;
    build | run | capture | measure | pack) parts="$parts $1" ;;
    *) echo "programs.sh: got '$1'; must be --seconds, --select, --jobs, build, run, capture, measure or pack" >&2; exit 2 ;;
  esac
  shift
done
[ -n "$parts" ] || parts="build capture measure pack"
out=$(mkdir -p "${OUT:-programs.out}" && cd "${OUT:-programs.out}" && pwd) || exit 1
build=${BUILD:-$out/build}
mkdir -p "$out/log" "$out/time"
export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-}:/usr/local/cuda/lib64 PYTHONDONTWRITEBYTECODE=1 TRITON_CACHE_DIR=${TRITON_CACHE_DIR:-$out/triton}
start=$(date +%s)
say() { echo "[$(($(date +%s) - start)) s] $*"; }
left() { echo $((seconds - ($(date +%s) - start))); }
has() { [[ " $parts " == *" $1 "* ]]; }

# the rows of programs.csv that --select names; fails on a regular expression that names none
rows() { awk -F, -v names="^($select)\$" 'NR > 1 && $1 ~ names' "$gpu/programs/programs.csv"; }
[ -n "$(rows)" ] || { echo "programs.sh: --select: got '$select'; must match a name of gpu/programs/programs.csv" >&2; exit 2; }
field() { awk -F, -v name="$1" -v i="$2" '$1 == name {print $i}' "$gpu/programs/programs.csv"; }

# $1: a program's name; sets `command`
command_of() {
  local words
  read -r -a words <<<"$(field "$1" 5)"
  case ${words[0]} in
    *.py) command=(python3 "$gpu/programs/${words[0]}" "${words[@]:1}") ;;
    *)
      while [ -e "$out/time/building" ]; do sleep 0.2; done  # what needs no compiler goes first
      command=("$build/programs/bin/${words[0]}" "${words[@]:1}") ;;
  esac
}

lines() { if [ -r "$1" ]; then wc -l <"$1"; else echo "${2:-no}"; fi; }
rows_of() { if [ -r "$1" ]; then grep -vc '^#\|^kernel,' "$1"; else echo no; fi; }

run_one() {
  local started code
  started=$(date +%s)
  command_of "$1"
  timeout 120 "${command[@]}" >"$out/log/$1.run.txt" 2>&1
  code=$?
  echo "$1: exit $code, $(tail -n 1 "$out/log/$1.run.txt"), $(($(date +%s) - started)) s"
}

capture_one() {
  local options=() code limit words
  limit=$(left)
  command_of "$1"
  if [ "$limit" -lt 15 ]; then echo "$1: left out: no time"; return; fi
  if [ "$(field "$1" 4)" = inputs ]; then
    options+=(--memory inputs)
    [ ! -r "$gpu/programs/needs/$1.txt" ] || options+=(--needs "$gpu/programs/needs/$1.txt")
  fi
  rm -rf "${out:?}/$1"
  timeout "$limit" "$recorder" "${options[@]}" -o "$out/$1" "${command[@]}" >"$out/log/$1.capture.txt" 2>&1
  code=$?
  # The words of programs.csv in place of where this build lies.
  words=$(field "$1" 5)
  [[ $words != *.py* ]] || words="python3 $words"
  [ ! -w "$out/$1/bundle.yaml" ] || sed -i "s|^program: .*|program: [$(sed 's/[^ ]*/"&"/g; s/ /, /g' <<<"$words")]|" "$out/$1/bundle.yaml"
  echo "$1: capture exit $code, $(lines "$out/$1/order") launches, $(du -sk "$out/$1" | cut -f1) KiB"
}

measure_one() {
  local code started limit
  started=$(date +%s) limit=$(left)
  command_of "$1"
  if [ -s "$out/$1.csv" ]; then echo "$1: has its counters"; return; fi
  if [ "$limit" -lt 15 ]; then echo "$1: left out: no time"; return; fi
  TILESCOPE_TURN=$out/time/turn timeout "$limit" ncu --csv --page raw --print-units base --print-kernel-base mangled --cache-control all \
    --clock-control none --target-processes application-only --metrics "$(paste -sd, "$out/time/metrics")" --log-file "$out/time/$1.ncu.csv" \
    "${command[@]}" >"$out/log/$1.measure.txt" 2>&1
  code=$?
  if awk -v metrics="$out/time/metrics" -v head="$out/time/head" -f "$here/csv.awk" -f "$here/programs.awk" "$out/time/$1.ncu.csv" >"$out/time/$1.csv" \
    2>>"$out/log/$1.measure.txt"; then
    mv "$out/time/$1.csv" "$out/$1.csv"
  else
    grep -m 3 '==ERROR' "$out/time/$1.ncu.csv" 2>/dev/null
  fi
  echo "$1: measure exit $code, $(rows_of "$out/$1.csv") launches, $(($(date +%s) - started)) s"
}

# Runs $1_one for the programs named on stdin, $2 at a time.
each() {
  local part=$1 at_a_time=$2 name started=()
  while read -r name; do
    while [ "${#started[@]}" -ge "$at_a_time" ]; do
      wait -n "${started[@]}"
      mapfile -t started < <(for process in "${started[@]}"; do [ ! -d "/proc/$process" ] || echo "$process"; done)
    done
    { text=$("${part}_one" "$name" </dev/null); say "$text"; } &
    started+=($!)
  done
  wait
}
names() { rows | cut -d, -f1; }
python_first() { rows | grep '\.py' | cut -d, -f1; rows | grep -v '\.py' | cut -d, -f1; }

# The kernels of a bundle in launch order and those of its counters must be the same.
compare_order() {
  local name=$1
  [ -r "$out/$name/order" ] && [ -r "$out/$name.csv" ] || { echo "-"; return; }
  awk -F'[:,] ' 'FILENAME ~ /launches.yaml$/ {
      if (match($0, /id: [0-9]+/)) id = substr($0, RSTART + 4, RLENGTH - 4)
      if (match($0, /kernel: [^,}]+/)) { kernel[id] = substr($0, RSTART + 8, RLENGTH - 8); gsub(/["\047 ]/, "", kernel[id]) }
      next }
    {split($0, word, " "); print kernel[word[1]]}' "$out/$name/launches.yaml" "$out/$name/order" >"$out/time/captured"
  grep -v '^#\|^kernel,' "$out/$name.csv" | cut -d, -f1 >"$out/time/measured"
  if cmp -s "$out/time/captured" "$out/time/measured"; then echo same; else echo "DIFFERENT ($(diff "$out/time/captured" "$out/time/measured" | grep -c '^[<>]') lines)"; fi
}

build_programs() {
  cmake -S "$gpu/programs" -B "$build/programs" -G Ninja -DCMAKE_CUDA_COMPILER="$(command -v nvcc)" && cmake --build "$build/programs" -- -k 0
}
build_recorder() {
  cmake -S "$gpu" -B "$build/gpu" -G Ninja -DCMAKE_CUDA_COMPILER="$(command -v nvcc)" -DCMAKE_CUDA_ARCHITECTURES=90-real &&
    cmake --build "$build/gpu" --target tilescope_capture tilescope-capture
}
if has build; then
  mkdir -p "$build"
  : >"$out/time/building"
  {
    build_programs >"$out/log/build.txt" 2>&1 || { say "not all programs were built:"; grep -E 'error|FAILED' "$out/log/build.txt" | head -n 20; }
    rm -f "$out/time/building"
    say "built: $(find "$build/programs/bin" -type f 2>/dev/null | wc -l) programs in C++"
  } &
  if has capture && [ -z "${TILESCOPE_CAPTURE:-}" ]; then
    build_recorder >"$out/log/build_capture.txt" 2>&1 || { say "the recorder was not built:"; tail -n 20 "$out/log/build_capture.txt"; exit 1; }
    say "built: the recorder"
  fi
  has capture || has run || wait
fi
recorder=${TILESCOPE_CAPTURE:-$build/gpu/bin/tilescope-capture}
if has run; then each run "$jobs" < <(python_first); fi
if has capture; then
  [ -x "$recorder" ] || { echo "programs.sh: tilescope-capture is not built; build it or name it in TILESCOPE_CAPTURE" >&2; exit 1; }
  each capture "$jobs" < <(python_first)
fi
if has measure; then
  ncu --query-metrics --query-metrics-mode base >"$out/time/query" 2>&1
  awk '$1 ~ /__/ {print $1}' "$out/time/query" | sort >"$out/time/known"
  [ -s "$out/time/known" ] || { echo "programs.sh: ncu cannot query this GPU: $(grep -m 1 ERROR "$out/time/query")" >&2; exit 1; }
  awk -v known="$out/time/known" -f "$here/select_metrics.awk" "${METRICS:-$here/metrics_programs.txt}" >"$out/time/metrics"
  {
    echo "# $(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1), driver $(nvidia-smi --query-gpu=driver_version --format=csv,noheader |
      head -n 1), CUDA $(nvcc --version | sed -n 's/.*release \([0-9.]*\), V\([0-9.]*\).*/\1 (nvcc \2)/p'), Nsight Compute $(ncu --version |
      sed -n 's/^Version \([0-9.]*\).*/\1/p'), clocks left alone (SM CLOCK MHz), cold caches, $(date +%F)"
    echo "# Made by gpu/collect/programs.sh with $(basename "${METRICS:-metrics_programs.txt}"); base units. A row per launch in launch order."
  } >"$out/time/head"
  each measure 3 < <(names)
fi
if has capture || has measure; then
  for name in $(names); do
    echo "$name: $(lines "$out/$name/order") launches captured, $(lines "$out/$name/refused" 0) refused," \
      "$(rows_of "$out/$name.csv") measured, order $(compare_order "$name"), $(du -sk "$out/$name" 2>/dev/null | cut -f1) KiB"
  done | tee "$out/summary.txt"
fi
if has pack; then
  (cd "$out" && tar cz --exclude=./build --exclude=./triton --exclude=./time --exclude='./programs.tgz.*' . | split -b 15M - programs.tgz.)
  ls -la "$out"/programs.tgz.*
fi
say "done"
