"""Softmax of rows in Triton, fused: a program holds a row in registers and takes every so many rows, the next ones loaded ahead by
asynchronous copies. Configuration: TYPE_s<stages>_w<warps>_p<programs per SM>; sizes: rows, columns."""

import torch
import triton
import triton.language as tl

import inputs


@triton.jit
def softmax(out, rows_in, out_row, in_row, rows, columns, WIDTH: tl.constexpr, STAGES: tl.constexpr):
    at = tl.arange(0, WIDTH)
    inside = at < columns
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        x = tl.load(rows_in + row * in_row + at, mask=inside, other=-float("inf")).to(tl.float32)
        x = tl.exp(x - tl.max(x, axis=0))
        tl.store(out + row * out_row + at, (x / tl.sum(x, axis=0)).to(out.dtype.element_ty), mask=inside)


def launch(configuration, rows, columns):
    rows, columns = int(rows), int(columns)
    name, _, numbers = inputs.parts(configuration)
    x = inputs.normal(inputs.TYPES[name], rows, columns, seed=1)
    out = torch.empty_like(x)
    programs = min(rows, inputs.sms() * numbers["p"])
    softmax[(programs,)](out, x, columns, columns, rows, columns, triton.next_power_of_2(columns), numbers["s"], num_warps=numbers["w"])
    return out, lambda: torch.softmax(x.float(), dim=-1), 1e-5 if name == "f32" else 1e-3


KERNELS = {"softmax": launch}
