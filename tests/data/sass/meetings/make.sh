#!/usr/bin/env bash
# Makes the listing and counts warp and thread instructions, on a machine with a GPU and the CUDA Toolkit: make.sh CASES OUT
# CASES: lines KERNEL TRIPS FINDS, as the first columns of meetings_h100.csv without commas.
set -eu
here=$(cd "$(dirname "$0")" && pwd) cases=$(realpath "$1") out=$(realpath "$2")
cd "$(mktemp -d)"
nvcc -arch=sm_90 -O3 -cubin -o meetings.cubin "$here/meetings.cu"
cuobjdump -sass meetings.cubin | tr -s ' \t' ' ' >"$out/meetings.sm_90.sass"
nvcc -arch=sm_90 -O3 -o run "$here/run.cu"
ncu --clock-control none --csv --page raw --print-units base --metrics smsp__inst_executed.sum,smsp__thread_inst_executed.sum \
  ./run "$cases" >"$out/counters.csv"
