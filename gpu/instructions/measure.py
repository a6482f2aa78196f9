#!/usr/bin/env python3
"""Measures instructions that no compiler puts side by side: cycles of a loop of 64 instructions of one's own.

  gpu/instructions/measure.py build-gpu/bin/loop.cubin SEQUENCES > OUT.csv

The build of gpu makes loop.cubin of loop.cu, for sm_90. A line of SEQUENCES is `NAME; WARPS; INSTRUCTION, INSTRUCTION, ...`: warps of
the only CTA (1 to 16), and instructions that take the places of the loop's 64 FFMAs, again and again from the first. An instruction
is a mnemonic of OPS and its registers, `FFMA 120 12.reuse 15 17`: result and sources by number (255: RZ), with the stall count of
one cycle and no scoreboard: nothing waits for a result. Behind the registers, in any order: `+4` another stall count, `~` yields,
`>0` sets scoreboard 0, `<01` waits for scoreboards 0 and 1. The loop keeps its counter in registers below 8, so results belong into
registers from there on, up to R125. Lines that begin with # are left out.
Written for each line: cycles of a turn of the loop, its branch included (NAME,WARPS,CYCLES).
"""
import ctypes
import re
import struct
import sys

TURNS = 64, 192
SLOTS = 64
LOOP = SLOTS + 2  # and two instructions that count, which the compiler puts among the FFMAs
REGISTERS = 128
# Low and high word without registers and control bits, and at which bits each register stands, the result's first.
OPS = {
    "FFMA": (0x7223, 0x0, (16, 24, 32, 64)),
    "FADD": (0x7221, 0x0, (16, 24, 32)),
    "FMUL": (0x7220, 0x400000, (16, 24, 32)),
    "IMAD": (0x7224, 0x78E0200, (16, 24, 32, 64)),
    "IMAD.WIDE": (0x7225, 0x78E0200, (16, 24, 32, 64)),
    "LOP3": (0x7212, 0x78E9600, (16, 24, 32, 64)),
    "HFMA2": (0x7231, 0x0, (16, 24, 32, 64)),
    "HFMA2.MMA": (0x7235, 0x0, (16, 24, 32, 64)),
    "HADD2": (0x7230, 0x0, (16, 24, 32)),
    "DFMA": (0x722B, 0x0, (16, 24, 32, 64)),
    "MUFU.EX2": (0x7308, 0x800, (16, 32)),
    "HMMA.16816.F32": (0x723C, 0x1800, (16, 24, 32, 64)),
    "HMMA.1688.F32": (0x723C, 0x1000, (16, 24, 32, 64)),
    "LDS": (0x7984, 0x800, (16, 24)),
    "LDS.64": (0x7984, 0xA00, (16, 24)),
    "LDS.128": (0x7984, 0xC00, (16, 24)),
    "SHFL.BFLY": (0x0C201F0000007F89, 0xE0000, (16, 24)),
    "NOP": (0x7918, 0x0, ()),
}
STALL_BIT, STAY_BIT, WRITE_BIT, READ_BIT, WAIT_BIT, REUSE_BIT = (bit - 64 for bit in (105, 109, 110, 113, 116, 122))
NO_SCOREBOARD = 7


def assembled(text):
    name, *words = text.split()
    registers = [word for word in words if word[0].isdigit()]
    if name not in OPS:
        sys.exit(f"measure.py: got '{name}'; must be one of {', '.join(OPS)}")
    low, high, places = OPS[name]
    if len(registers) != len(places):
        sys.exit(f"measure.py: '{text}': {name} takes {len(places)} registers, its result and its sources")
    marks = {word[0]: word[1:] for word in words if not word[0].isdigit()}
    high |= int(marks.get("+", 1)) << STALL_BIT | NO_SCOREBOARD << READ_BIT | int(marks.get(">", NO_SCOREBOARD)) << WRITE_BIT
    high |= ("~" not in marks) << STAY_BIT | sum(1 << int(one) for one in marks.get("<", "")) << WAIT_BIT
    word = low | high << 64
    for at, (register, place) in enumerate(zip(registers, places)):
        number, _, reuse = register.partition(".")
        word |= int(number) << place
        if reuse:
            word |= 1 << 64 + REUSE_BIT + at - 1
    return struct.pack("<QQ", word & (1 << 64) - 1, word >> 64)


def slow(word):
    """The same instruction with the stall count of 11, the longest that is one."""
    low, high = struct.unpack("<QQ", word)
    return struct.pack("<QQ", low, high & ~(15 << STALL_BIT) | 11 << STALL_BIT)


def sections(elf):
    offset, = struct.unpack_from("<Q", elf, 0x28)
    size, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    headers = [(offset + i * size, struct.unpack_from("<IIQQQQIIQQ", elf, offset + i * size)) for i in range(count)]
    text = headers[names][1][4]
    return {elf[text + h[0]:].split(b"\0", 1)[0].decode(): (at, h[4], h[5]) for at, h in headers}


def give_registers(elf, section):
    """Lets the code of `section` of an ELF, a bytearray, use all REGISTERS, and all functions beside it."""
    found = sections(elf)
    header = found[section][0]
    info, = struct.unpack_from("<I", elf, header + 44)
    struct.pack_into("<I", elf, header + 44, info & 0xFFFFFF | REGISTERS << 24)
    _, at, size = found[".nv.info"]
    for match in re.finditer(rb"\x04\x2f\x08\x00....", bytes(elf[at:at + size]), re.S):  # registers of each function
        struct.pack_into("<I", elf, at + match.end(), REGISTERS)


def patched(cubin, words):
    """The cubin with `words` in place of its first 64 FFMAs in a row, and with all registers."""
    elf = bytearray(cubin)
    _, start, size = sections(elf)[".text.turn"]
    code = [bytes(elf[at:at + 16]) for at in range(start, start + size, 16)]
    is_ffma = [struct.unpack_from("<H", one)[0] & 0xFFF == 0x223 for one in code]
    first = next(i for i, one in enumerate(is_ffma) if one and sum(is_ffma[i:i + LOOP]) == SLOTS)
    # What counts the loop goes before the others, far from the branch, and waits for its own operands.
    counting = [slow(one) for one, ffma in zip(code[first:first + LOOP], is_ffma[first:]) if not ffma]
    body = counting + [words[slot % len(words)] for slot in range(SLOTS)]
    elf[start + 16 * first:start + 16 * (first + LOOP)] = b"".join(body)
    give_registers(elf, ".text.turn")
    return bytes(elf)


class Gpu:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.cycles, self.sink = self.memory(4), self.memory(4096)

    def call(self, name, *arguments):
        code = getattr(self.cuda, name)(*arguments)
        if code != 0:
            sys.exit(f"measure.py: {name}: CUDA error {code}")

    def memory(self, size):
        made = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(made), ctypes.c_size_t(size))
        self.call("cuMemsetD8_v2", made, ctypes.c_ubyte(0), ctypes.c_size_t(size))
        return made

    def cycles_of(self, cubin, warps):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), cubin)
        self.call("cuModuleGetFunction", ctypes.byref(function), module, b"turn")
        measured = []
        for turns in TURNS[:1] + TURNS:  # the first brings the code
            self.call("cuMemsetD8_v2", self.cycles, ctypes.c_ubyte(0), ctypes.c_size_t(4))
            values = ctypes.c_int(turns), self.cycles, self.sink
            pointers = (ctypes.c_void_p * 3)(*(ctypes.addressof(value) for value in values))
            self.call("cuLaunchKernel", function, 1, 1, 1, 32 * warps, 1, 1, 0, None, pointers, None)
            self.call("cuCtxSynchronize")
            result = ctypes.c_int()
            self.call("cuMemcpyDtoH_v2", ctypes.byref(result), self.cycles, ctypes.c_size_t(4))
            measured.append(result.value)
        self.call("cuModuleUnload", module)
        return (measured[2] - measured[1]) / (TURNS[1] - TURNS[0])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as file:
        cubin = file.read()
    gpu = Gpu()
    print("name,warps,cycles")
    with open(sys.argv[2]) as file:
        for line in file:
            if not line.strip() or line.startswith("#"):
                continue
            if line.count(";") != 2:
                sys.exit(f"measure.py: got '{line.strip()}'; must be NAME; WARPS; INSTRUCTION, ...")
            name, warps, text = line.split(";", 2)
            words = [assembled(one) for one in text.split(",")]
            print(f"{name.strip()},{warps.strip()},{gpu.cycles_of(patched(cubin, words), int(warps)):g}", flush=True)


if __name__ == "__main__":
    main()
