// Small kernels, each about one memory space, width or kind of access. All have one signature (run.cu).
#include "atomics.cuh"
#include "copies.cuh"
#include "local.cuh"
#include "ordering.cuh"
#include "widths.cuh"
