#!/usr/bin/env python3
"""Measures when a warp issues an instruction of compiled code: the clock is read in the place of that instruction.

  gpu/instructions/issue_times.py build-gpu/bin/step.cubin > OUT.csv

The build of gpu makes step.cubin of step.cu, for sm_90: a step of a register tile between two barriers. Of each FFMA of the step that
waits for a scoreboard a copy of the code is made in which it reads the clock, with the FFMA's own control bits; the step is taken 40
times by 1, 4 and 8 warps of the only CTA. Written for each (warps,address,warp,cycles,step): cycles from the step's beginning, behind
the barrier, to the instruction's issue, of the last turn, and from a turn to the next; address: the instruction's place in the code;
none: nothing was replaced. A step begins for a warp when the last store in front of the barrier has handed over its data: the compiler
has the clock's register wait for it.
"""
import csv
import ctypes
import struct
import sys

from measure import REUSE_BIT, STALL_BIT, WAIT_BIT, Gpu, sections

TURNS = 40
FFMA, BARRIER = 0x223, 0xB1D  # the opcode's low 12 bits
CLOCK = 0x7805                # CS2R.32
CONTROL = (1 << REUSE_BIT) - (1 << STALL_BIT)  # of the high word: all but what is kept for reuse
WAIT_MASK = 0x3F << WAIT_BIT


def times(gpu, cubin, warps):
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    gpu.call("cuModuleLoadData", ctypes.byref(module), cubin)
    gpu.call("cuModuleGetFunction", ctypes.byref(function), module, b"step")
    made, sink = gpu.memory(16 * warps), gpu.memory(64 * 4 * 256)
    for _ in range(2):  # the first brings the code
        values = ctypes.c_int(TURNS), made, sink
        pointers = (ctypes.c_void_p * 3)(*(ctypes.addressof(value) for value in values))
        gpu.call("cuLaunchKernel", function, 1, 1, 1, 32 * warps, 1, 1, 0, None, pointers, None)
        gpu.call("cuCtxSynchronize")
    result = (ctypes.c_int * (4 * warps))()
    gpu.call("cuMemcpyDtoH_v2", result, made, ctypes.c_size_t(16 * warps))
    for memory in (made, sink):
        gpu.call("cuMemFree_v2", memory)
    gpu.call("cuModuleUnload", module)
    return [result[4 * warp:4 * warp + 3] for warp in range(warps)]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as file:
        cubin = file.read()
    _, start, size = sections(cubin)[".text.step"]
    code = [struct.unpack_from("<QQ", cubin, start + at) for at in range(0, size, 16)]
    first, last = [i for i, (low, _) in enumerate(code) if low & 0xFFF == BARRIER]
    clocks = [i for i in range(first, last) if code[i][0] & 0xFFFF == CLOCK]
    low, high = code[clocks[-1]]  # what `issued` is read with
    gpu = Gpu()
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["warps", "address", "warp", "cycles", "step"])
    waiting = [i for i in range(first, last) if code[i][0] & 0xFFF == FFMA and code[i][1] & WAIT_MASK]
    for warps in (1, 4, 8):
        for at in [None] + waiting:
            image = bytearray(cubin)
            if at is not None:
                struct.pack_into("<QQ", image, start + 16 * at, low, high & ~CONTROL & (1 << REUSE_BIT) - 1 | code[at][1] & CONTROL)
            for warp, (before, began, issued) in enumerate(times(gpu, bytes(image), warps)):
                address = "" if at is None else f"{16 * at:04x}"
                out.writerow([warps, address, warp, issued - began, began - before])


if __name__ == "__main__":
    main()
