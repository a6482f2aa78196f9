# Makes listings, outputs and counters of the probe kernels on a machine with a GPU and the CUDA Toolkit: make.sh OUT
METRICS=smsp__inst_executed.sum,smsp__inst_executed_op_global_ld.sum,smsp__inst_executed_op_global_st.sum,smsp__inst_executed_op_shared_ld.sum,smsp__inst_executed_op_shared_st.sum,smsp__inst_executed_op_local_ld.sum,smsp__inst_executed_op_local_st.sum,smsp__inst_executed_op_global_red.sum,smsp__inst_executed_op_global_atom.sum,smsp__inst_executed_op_shared_atom.sum,smsp__inst_executed_op_ldgsts.sum,smsp__inst_executed_op_ldsm.sum,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum,smsp__thread_inst_executed.sum,l1tex__t_requests_pipe_lsu_mem_global_op_red.sum,l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum
set -u; out=$1; here=$(cd "$(dirname "$0")" && pwd); work=$(mktemp -d); cd "$work"
for a in 80 90; do
  nvcc -O3 -lineinfo -arch=sm_$a -cubin -o probe.$a.cubin "$here/probe.cu" 2> nvcc.$a.err
  cuobjdump -sass probe.$a.cubin > probe.$a.cuobjdump.sass; nvdisasm -hex probe.$a.cubin > probe.$a.nvdisasm.sass; cuobjdump -elf probe.$a.cubin > probe.$a.elf.txt
  nvdisasm -hex -g -c probe.$a.cubin > probe.$a.nvdisasm_g.sass
  nvcc -G -g -arch=sm_$a -cubin -o probe_debug.$a.cubin "$here/probe.cu" 2>> nvcc.$a.err
  cuobjdump -sass probe_debug.$a.cubin > probe_debug.$a.cuobjdump.sass
done
nvcc -O3 -arch=sm_90 -o run "$here/run.cu" 2> run.err && ./run > run.txt 2>&1
nvcc -O3 -gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -o fat "$here/run.cu" 2>> run.err && cuobjdump -sass fat > fat.cuobjdump.sass
ncu --clock-control none --csv --page raw --metrics $METRICS ./run > counters.csv 2> ncu.err
ncu --clock-control none --csv --page raw -k 'regex:^(layernorm|attention|embedding|histo|cumsum|vadd|sortk|mm|softmax)$' --metrics $METRICS python3 "$here/tri.py" > tri.txt 2>&1
for c in *.cubin; do b=${c%.cubin}; [ -e $b.cuobjdump.sass ] || { cuobjdump -sass $c > $b.cuobjdump.sass; cuobjdump -elf $c > $b.elf.txt; }; done
rm -f run fat; tar czf "$out/probe.tgz" .; ls -la
