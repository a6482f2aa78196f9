#!/usr/bin/env python3
"""Measures when a row of instructions of one's own issues: clocks among loads, stores and arithmetic.

  gpu/instructions/rows.py build-gpu/bin/row.cubin ROWS > OUT.csv

The build of gpu makes row.cubin of row.cu, for sm_90. A line of ROWS is `NAME; WARPS; BYTES; INSTRUCTION, INSTRUCTION, ...`: warps of
the only CTA (1 to 16), bytes from the address of a lane to that of the next, and the row that all warps execute behind a barrier.
An instruction is written as for measure.py, with two more marks and two more registers: `^0` sets scoreboard 0 until the registers are
read, `4*` in front of a mnemonic repeats it; A is the register of the lane's address in shared memory, G those of its address in
global memory. BRA.NEVER is a branch that is not taken, LDC loads a constant. CLOCK reads the clock into the next register that is
written out, up to 24 times. Data belong into registers from R64 on, up to R125. Lines that begin with # are left out.
Written for each clock: cycles from the first clock of any warp (NAME,WARPS,WARP,CLOCK,CYCLES), of the last of 8 turns.
"""
import csv
import ctypes
import re
import struct
import sys

from measure import OPS, READ_BIT, Gpu, assembled, give_registers, sections

TURNS, ROW, RESULTS, THREADS, SHARED = 8, 96, 24, 512, 16384
GLOBAL = 90                     # and 91: a lane's address in global memory
BEHIND_RESULTS = 0x10000        # bytes of the output that loads and stores leave alone
FFMA, LDG = 0x223, 0x981        # the opcode's low 12 bits
OUT = 0x220                     # of the constant bank: the pointer to the output


class Row:
    """The code of row.cubin, and which registers it uses for what."""

    def __init__(self, cubin):
        self.cubin = cubin
        _, self.start, size = sections(cubin)[".text.row"]
        code = [struct.unpack_from("<QQ", cubin, self.start + at) for at in range(0, size, 16)]
        is_ffma = [low & 0xFFF == FFMA for low, _ in code]
        self.first = next(i for i in range(len(code)) if all(is_ffma[i:i + ROW]))
        ffmas = [low for low, _ in code[self.first:self.first + ROW]]
        self.results = [low >> 16 & 0xFF for low in ffmas[:RESULTS]]
        self.address = next(reg for reg in (ffmas[0] >> 24 & 0xFF, ffmas[0] >> 32 & 0xFF) if reg != self.results[0])
        descriptor = next(low >> 32 & 0xFF for low, _ in code if low & 0xFFF == LDG)
        OPS.update({
            "STS": (0x7388, 0x800, (24, 32)), "STS.64": (0x7388, 0xA00, (24, 32)), "STS.128": (0x7388, 0xC00, (24, 32)),
            "CLOCK": (0x7805, 0x5000, (16,)),
            "IADD": (0x7A10 | OUT // 4 << 40, 0x7FFE0FF, (16, 24)),          # of the output's address, low
            "MOV": (0x7A02 | (OUT // 4 + 1) << 40, 0xF00, (16,)),            # ... and high
            "BRA": (0x7947, 0x3800000, ()),
            "BRA.NEVER": (0xF947, 0x3800000, ()),                            # its predicate is never true
            "LDC": (0x7B82 | OUT // 4 << 40 | 255 << 24, 0x800, (16,)),      # the output's address, low
        })
        for width, code_of_width in (("", 0x19), (".64", 0x1B), (".128", 0x1D)):
            OPS["LDG" + width] = (0x7981 | descriptor << 32 | BEHIND_RESULTS << 40, 0xC1E0000 | code_of_width << 8, (16, 24))
            OPS["STG" + width] = (0x7986 | BEHIND_RESULTS << 40, 0xC100000 | code_of_width << 8 | descriptor, (24, 32))

    def words(self, text):
        """The instructions of a row, and how many of them are clocks."""
        texts = [f"IADD {GLOBAL} {self.address} +2", f"MOV {GLOBAL + 1} +8"]
        clocks = 0
        for one in text.split(","):
            times, _, name = one.strip().rpartition("*")
            for _ in range(int(times or 1)):
                if name.startswith("CLOCK"):
                    texts.append(name.replace("CLOCK", f"CLOCK {self.results[clocks]}"))
                    clocks += 1
                else:
                    texts.append(re.sub(r"\bA\b", str(self.address), re.sub(r"\bG\b", str(GLOBAL), name)))
        texts += ["NOP +11 <012345", "BRA +5"]
        if len(texts) > ROW:
            sys.exit(f"rows.py: got {len(texts)} instructions in '{text.strip()}'; must be {ROW} at most, with 4 of its own")
        words = [self.word(one) for one in texts]
        low, high = struct.unpack("<QQ", words[-1])
        words_left = (ROW - len(words)) * 4  # to go over, of 4 bytes
        words[-1] = struct.pack("<QQ", low | (words_left & 0xFF) << 16 | words_left >> 8 << 34, high)
        return words + [assembled("NOP")] * (ROW - len(words)), clocks

    @staticmethod
    def word(text):
        read = re.search(r"\^(\d)", text)
        word = assembled(re.sub(r"\^\d", "", text))
        if not read:
            return word
        low, high = struct.unpack("<QQ", word)
        return struct.pack("<QQ", low, high & ~(7 << READ_BIT) | int(read[1]) << READ_BIT)

    def patched(self, words):
        elf = bytearray(self.cubin)
        elf[self.start + 16 * self.first:self.start + 16 * (self.first + ROW)] = b"".join(words)
        give_registers(elf, ".text.row")
        return bytes(elf)


def measured(gpu, cubin, warps, pitch, clocks):
    """[warp][clock]"""
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    gpu.call("cuModuleLoadData", ctypes.byref(module), cubin)
    gpu.call("cuModuleGetFunction", ctypes.byref(function), module, b"row")
    place, out = gpu.memory(4 * (THREADS + RESULTS)), gpu.memory(BEHIND_RESULTS + SHARED + 4096)
    lanes = (ctypes.c_uint * (THREADS + RESULTS))(*[i % 32 * pitch for i in range(THREADS)])
    gpu.call("cuMemcpyHtoD_v2", place, lanes, ctypes.c_size_t(ctypes.sizeof(lanes)))
    values = ctypes.c_int(TURNS), place, out
    pointers = (ctypes.c_void_p * 3)(*(ctypes.addressof(value) for value in values))
    gpu.call("cuLaunchKernel", function, 1, 1, 1, 32 * warps, 1, 1, SHARED, None, pointers, None)
    gpu.call("cuCtxSynchronize")
    result = (ctypes.c_uint * (RESULTS * THREADS))()
    gpu.call("cuMemcpyDtoH_v2", result, out, ctypes.c_size_t(ctypes.sizeof(result)))
    for memory in (place, out):
        gpu.call("cuMemFree_v2", memory)
    gpu.call("cuModuleUnload", module)
    return [[result[clock * THREADS + 32 * warp] for clock in range(clocks)] for warp in range(warps)]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as file:
        row = Row(file.read())
    gpu = Gpu()
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["name", "warps", "warp", "clock", "cycles"])
    with open(sys.argv[2]) as file:
        for line in file:
            if not line.strip() or line.startswith("#"):
                continue
            if line.count(";") != 3:
                sys.exit(f"rows.py: got '{line.strip()}'; must be NAME; WARPS; BYTES; INSTRUCTION, ...")
            name, warps, pitch, text = (part.strip() for part in line.split(";"))
            words, clocks = row.words(text)
            times = measured(gpu, row.patched(words), int(warps), int(pitch), clocks)
            begin = min(one[0] for one in times)
            for warp, one in enumerate(times):
                for clock, when in enumerate(one):
                    out.writerow([name, warps, warp, clock, when - begin & 0xFFFFFFFF])


if __name__ == "__main__":
    main()
