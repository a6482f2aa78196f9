# Makes listings, outputs and counters of the kernels that call, on a machine with a GPU and the CUDA Toolkit: make.sh OUT
# Three programs: `whole` (one file), `linked` (two files, -rdc), `debug` (-G). Listings of each for sm_80 and sm_90.
METRICS=smsp__inst_executed.sum,smsp__thread_inst_executed.sum,smsp__inst_executed_op_global_ld.sum,smsp__inst_executed_op_global_st.sum,smsp__inst_executed_op_generic_ld.sum,smsp__inst_executed_op_generic_st.sum,smsp__inst_executed_op_local_ld.sum,smsp__inst_executed_op_local_st.sum,smsp__inst_executed_op_branch.sum,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum,l1tex__t_requests_pipe_lsu_mem_local_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum
set -u; out=$1; here=$(cd "$(dirname "$0")" && pwd); work=$(mktemp -d); cd "$work"
build() {  # NAME ARCH
  case $1 in
    whole) nvcc -O3 -arch=sm_$2 -o whole.$2 "$here/run.cu" ;;
    debug) nvcc -G -arch=sm_$2 -o debug.$2 "$here/run.cu" ;;
    linked) nvcc -O3 -arch=sm_$2 -rdc=true -DSEPARATE -o linked.$2 "$here/run.cu" "$here/functions.cu" ;;
  esac 2> $1.$2.err
  mkdir $1.$2.d; (cd $1.$2.d; cuobjdump -xelf all ../$1.$2 > ../$1.$2.xelf)
  for c in $1.$2.d/*.cubin; do
    b=$1.sm_$2.$(basename $c .cubin)
    cuobjdump -sass $c > $b.cuobjdump.sass; cuobjdump -elf $c > $b.elf; nvdisasm -hex $c > $b.nvdisasm.sass
    nvdisasm -hex -g $c > $b.nvdisasm_g.sass; cp $c $b.cubin
  done
}
for a in 80 90; do for p in whole linked debug; do build $p $a & done; done; wait
nvcc -O3 -arch=sm_90 -rdc=true -DSEPARATE -cubin -o relocatable.sm_90.cubin "$here/calls.cu" && cuobjdump -sass relocatable.sm_90.cubin > relocatable.sm_90.cuobjdump.sass && nvdisasm -hex relocatable.sm_90.cubin > relocatable.sm_90.nvdisasm.sass; cuobjdump -elf relocatable.sm_90.cubin > relocatable.sm_90.elf
for p in whole linked debug; do
  ./$p.90 > $p.txt 2>&1
  ncu --clock-control none --csv --page raw --metrics $METRICS ./$p.90 > $p.csv 2> $p.ncu.err
done
rm -rf *.d whole.?? linked.?? debug.??
tar czf "$out/calls.tgz" .; ls -la; cat *.txt
