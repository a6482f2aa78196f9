"""Softmax of rows in Triton: a row per program, of three widths; and wide rows in two passes over pieces (online softmax)."""

import program
import torch
import triton
import triton.language as tl


@triton.jit
def softmax(out, inputs, columns, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, WIDTH)
    x = tl.load(inputs + row * columns + at, mask=at < columns, other=-float("inf"))
    x = tl.exp(x - tl.max(x, axis=0))
    tl.store(out + row * columns + at, x / tl.sum(x, axis=0), mask=at < columns)


@triton.jit
def softmax_online(out, inputs, columns, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    largest, total = -float("inf"), 0.0
    for first in range(0, columns, WIDTH):
        at = first + tl.arange(0, WIDTH)
        x = tl.load(inputs + row * columns + at, mask=at < columns, other=-float("inf"))
        now = tl.maximum(largest, tl.max(x, axis=0))
        total = total * tl.exp(largest - now) + tl.sum(tl.exp(x - now), axis=0)
        largest = now
    for first in range(0, columns, WIDTH):
        at = first + tl.arange(0, WIDTH)
        x = tl.load(inputs + row * columns + at, mask=at < columns)
        tl.store(out + row * columns + at, tl.exp(x - largest) / total, mask=at < columns)


program.settle()
program.take_turn()
for rows, columns, width, warps in ((4096, 256, 256, 2), (2048, 781, 1024, 4), (1024, 4000, 4096, 8)):
    x = program.normal(rows, columns, seed=columns)
    x_gpu, out = x.cuda(), torch.empty(rows, columns, device="cuda")
    softmax[(rows,)](out, x_gpu, columns, width, num_warps=warps)
    program.expect_close(f"softmax {rows}x{columns}", out, torch.softmax(x, dim=-1), 1e-5)
x = program.normal(256, 20000, seed=5)
x_gpu, out = x.cuda(), torch.empty(256, 20000, device="cuda")
softmax_online[(256,)](out, x_gpu, 20000, 2048, num_warps=8)
program.expect_close("online", out, torch.softmax(x, dim=-1), 1e-5)
program.finish()
