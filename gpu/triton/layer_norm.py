"""Layer norm in Triton: a program per row, which it reads three times in pieces: for its mean, its variance and the result.
Configuration: TYPE_<columns of a piece>_w<warps>; sizes: rows, columns."""

import torch
import triton
import triton.language as tl

import inputs


@triton.jit
def layer_norm(x, y, weight, bias, mean_out, scale_out, row_size, columns, epsilon, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    x += row * row_size
    y += row * row_size
    total = tl.zeros((WIDTH,), dtype=tl.float32)
    for first in range(0, columns, WIDTH):
        at = first + tl.arange(0, WIDTH)
        total += tl.load(x + at, mask=at < columns, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / columns
    squares = tl.zeros((WIDTH,), dtype=tl.float32)
    for first in range(0, columns, WIDTH):
        at = first + tl.arange(0, WIDTH)
        centred = tl.where(at < columns, tl.load(x + at, mask=at < columns, other=0.0).to(tl.float32) - mean, 0.0)
        squares += centred * centred
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns + epsilon)
    tl.store(mean_out + row, mean)
    tl.store(scale_out + row, scale)
    for first in range(0, columns, WIDTH):
        at = first + tl.arange(0, WIDTH)
        inside = at < columns
        unit = (tl.load(x + at, mask=inside, other=0.0).to(tl.float32) - mean) * scale
        result = unit * tl.load(weight + at, mask=inside).to(tl.float32) + tl.load(bias + at, mask=inside).to(tl.float32)
        tl.store(y + at, result.to(y.dtype.element_ty), mask=inside)


def launch(configuration, rows, columns):
    rows, columns = int(rows), int(columns)
    name, (width,), numbers = inputs.parts(configuration)
    dtype = inputs.TYPES[name]
    x, weight, bias = (inputs.normal(dtype, *shape, seed=seed) for seed, shape in enumerate(((rows, columns), (columns,), (columns,))))
    y, mean, scale = torch.empty_like(x), torch.empty(rows, device="cuda"), torch.empty(rows, device="cuda")
    layer_norm[(rows,)](x, y, weight, bias, mean, scale, columns, columns, 1e-5, width, num_warps=numbers["w"])
    return (y, lambda: torch.nn.functional.layer_norm(x.float(), (columns,), weight.float(), bias.float(), 1e-5),
            {"f32": 1e-5, "f16": 1e-3, "bf16": 5e-3}[name])


KERNELS = {"layer_norm": launch}
