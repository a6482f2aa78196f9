#!/usr/bin/env bash
# SASS listings of gpu/kernels, one text file per compiled instance, as `cuobjdump -sass` prints it.
#
#   listings/make_listings.sh OUT [SELECT]      ->  OUT/sm_80/gemm_tiled/gemm_tiled_32_0_0_false_false_false.sass, ...
#   listings/make_listings.sh OUT samples       ->  OUT/gemm_tiled.sm_80.sass, OUT/gemm_tiled.sm_80.elf, ...: traces/samples/sass/gpu
#   listings/make_listings.sh OUT microbench    ->  OUT/bandwidth.sm_90.sass, ...: traces/samples/sass/microbench
#
# samples: the instances of measured.txt, a file for each family and what launch files need of the ELF (shorten.awk).
# microbench: the kernels of gpu/microbench that tools/curves runs, in the same form, for sm_90.
# SELECT is an extended regular expression on the instance's name (the template arguments joined by '_'), or the word `small`: one or
# two instances of each kernel. Default: all. Needs nvcc, cuobjdump and nvdisasm (all in the CUDA Toolkit, no GPU) and c++filt.
# ARCHITECTURES="80 90" in the environment chooses others.
set -euo pipefail
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
  echo "usage: make_listings.sh OUT [SELECT | small | samples]" >&2
  exit 2
fi
out=$1 select=${2:-.}
here=$(cd "$(dirname "$0")" && pwd)
kernels=$here/../kernels
PATH=$PATH:/usr/local/cuda/bin
for tool in nvcc cuobjdump nvdisasm c++filt; do
  command -v "$tool" >/dev/null || { echo "make_listings.sh: $tool is not installed" >&2; exit 1; }
done
if [ "$select" = small ]; then
  select='^(gemm_naive_Lanes_[01]|gemm_tiled_(16|32)_0_0_false_false_false|gemm_tiled_32_(1_1_false|0_0_true)_false_false'
  select+='|gemm_tiled_32_0_0_true_true_false|gemm_tiled_32_0_0_false_false_true|gemm_register_64_64_8_4_4_[14]'
  select+='|gemm_register_128_128_8_8_8_4|gemm_async_32_[14]|gemm_tensor_.*|copy_float4?|strided_float|reread_float4_true_8'
  select+='|transpose_TransposeForm_(0_32_8_0|2_32_8_[01])_false_false|pointer_chase_true)$'
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# tilescope::gpu::gemm_naive<(Lanes)0>(float const*, ...) -> gemm_naive_Lanes_0
file_name() {
  c++filt "$1" | sed -E 's/^void //; s/tilescope::gpu:://g; s/>\(.*/>/; /</!s/\(.*//; s/[^A-Za-z0-9_]+/_/g; s/_$//'
}

samples() { # samples ARCHITECTURE FAMILY: from $work/cubin and $work/all
  local pattern
  pattern=$(awk -v a="$1" '$1 == a { printf "%s%s", bar, $2; bar = "|" }' "$here/measured.txt")
  sed -n 's/.*Function : //p' "$work/all" | while read -r function; do
    [[ $(file_name "$function") =~ ^($pattern)$ ]] && echo "$function"
  done >"$work/keep" || true
  [ -s "$work/keep" ] || return 0
  shortened "$1" "$2"
}

shortened() { # shortened ARCHITECTURE FAMILY: the functions of $work/keep
  mkdir -p "$out"
  cuobjdump -elf "$work/cubin" >"$work/elf"
  awk -v KEEP="$work/keep" -f "$here/shorten.awk" "$work/all" >"$out/$2.sm_$1.sass"
  awk -v KEEP="$work/keep" -f "$here/shorten.awk" "$work/elf" >"$out/$2.sm_$1.elf"
  echo "$out/$2.sm_$1.sass: $(wc -l <"$work/keep") functions"
}

if [ "$select" = microbench ]; then
  while read -r family function; do
    nvcc -std=c++17 -O3 -arch=sm_90 -lineinfo -cubin -o "$work/cubin" "$here/../microbench/$family.cu"
    cuobjdump -sass "$work/cubin" >"$work/all"
    sed -n 's/.*Function : //p' "$work/all" | grep -E "[0-9]${function}[EI]" >"$work/keep"
    shortened 90 "$family"
  done <<'KERNELS'
bandwidth read
counted_l2_capacity probe_cyclic
counted_strided probe_strided
latency_global chase
KERNELS
  exit
fi

for architecture in ${ARCHITECTURES:-80 90}; do
  for source in "$kernels"/*.cu; do
    family=$(basename "$source" .cu) compiled=$architecture
    if [ "$family" = gemm_specialised ]; then # wgmma is there for sm_90a alone
      [ "$architecture" = 90 ] || continue
      compiled=90a
    fi
    nvcc -std=c++17 -O3 -arch="sm_$compiled" -lineinfo -cubin -o "$work/cubin" "$source"
    cuobjdump -sass "$work/cubin" >"$work/all"
    if [ "$select" = samples ]; then
      samples "$architecture" "$family"
      continue
    fi
    rm -f "$work"/function.*
    # Each function with the lines before the first one, which name the architecture.
    awk -v to="$work/function." '
      /Function : / { if (file != "") close(file); file = to (++count); printf "%s", head > file }
      file == "" { head = head $0 "\n"; next }
      { print > file }' "$work/all"
    for function in "$work"/function.*; do
      [ -e "$function" ] || continue
      name=$(file_name "$(sed -n 's/.*Function : //p' "$function")")
      if [[ $name =~ $select ]]; then
        mkdir -p "$out/sm_$architecture/$family"
        cp "$function" "$out/sm_$architecture/$family/$name.sass"
        echo "$out/sm_$architecture/$family/$name.sass"
      fi
    done
  done
done
