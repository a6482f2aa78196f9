#!/usr/bin/env bash
# The counted_* microbenchmarks under Nsight Compute.
#
#   collect/count_microbench.sh PROGRAM OUT_PREFIX [NAME...]    ->  OUT_PREFIX.counted.csv (join_counted.awk says how it looks),
#                                                             from OUT_PREFIX.ncu.csv, where row i belongs to launch i of OUT_PREFIX.csv
#
# CACHE_CONTROL=none in the environment: no caches are flushed before a launch.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=$1 prefix=$2 names=("${@:3}")
[ ${#names[@]} -gt 0 ] || names=(counted_empty counted_span counted_coalescer counted_joined counted_bursts counted_l2_capacity counted_strided counted_strided_stores counted_stores counted_store_joins counted_partial counted_parts counted_crowd counted_waits counted_pairs counted_halves counted_merges counted_leaving counted_stays counted_passes counted_streams)
metrics=gpc__cycles_elapsed.max,gpu__time_duration.sum,sm__cycles_active.avg,sm__cycles_active.max,sm__cycles_active.min,l1tex__m_xbar2l1tex_read_sectors.sum
metrics+=,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,l1tex__m_l1tex2xbar_write_sectors.sum,lts__t_requests_srcunit_tex_op_write.sum
metrics+=,lts__t_sectors_srcunit_tex_op_read.sum,lts__t_sectors_srcunit_tex_op_read.min,lts__t_sectors_srcunit_tex_op_read.avg,lts__t_sectors_srcunit_tex_op_read.max,lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum,lts__t_sectors_srcunit_ltcfabric.sum
metrics+=,lts__t_sectors_srcunit_ltcfabric_lookup_hit.sum,lts__t_requests_srcunit_tex.sum,dram__bytes_read.sum,dram__bytes_read.max,dram__bytes_read.avg,dram__bytes_write.sum,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum,lts__t_requests.sum,lts__cycles_elapsed.max

ncu --csv --page raw --print-units base --cache-control "${CACHE_CONTROL:-all}" --clock-control none --kernel-name 'regex:^probe_' --metrics "$metrics" \
  --log-file "$prefix.ncu.csv" "$program" "$prefix" "${names[@]}"
awk -v metrics="$metrics" -f "$here/csv.awk" -f "$here/join_counted.awk" "$prefix.csv" "$prefix.ncu.csv" >"$prefix.counted.csv"
