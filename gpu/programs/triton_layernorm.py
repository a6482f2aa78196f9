"""Layer norm in Triton, forward and backward: the gradients of weight and bias are summed by rows into partial sums, then over those."""

import program
import torch
import triton
import triton.language as tl


@triton.jit
def forward(x, y, weight, bias, mean_out, scale_out, columns, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, WIDTH)
    inside = at < columns
    values = tl.load(x + row * columns + at, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(values, axis=0) / columns
    centred = tl.where(inside, values - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / columns + 1e-5)
    tl.store(mean_out + row, mean)
    tl.store(scale_out + row, scale)
    result = centred * scale * tl.load(weight + at, mask=inside) + tl.load(bias + at, mask=inside)
    tl.store(y + row * columns + at, result, mask=inside)


@triton.jit
def backward(dx, dy, weight_sums, bias_sums, x, weight, mean_in, scale_in, rows, columns, WIDTH: tl.constexpr):
    at = tl.arange(0, WIDTH)
    inside = at < columns
    w = tl.load(weight + at, mask=inside, other=0.0)
    weight_sum = tl.zeros((WIDTH,), dtype=tl.float32)
    bias_sum = tl.zeros((WIDTH,), dtype=tl.float32)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        values = tl.load(x + row * columns + at, mask=inside, other=0.0).to(tl.float32)
        gradient = tl.load(dy + row * columns + at, mask=inside, other=0.0).to(tl.float32)
        scale = tl.load(scale_in + row)
        unit = tl.where(inside, (values - tl.load(mean_in + row)) * scale, 0.0)
        weighted = w * gradient
        along, mean = tl.sum(unit * weighted, axis=0) / columns, tl.sum(weighted, axis=0) / columns
        tl.store(dx + row * columns + at, (weighted - unit * along - mean) * scale, mask=inside)
        weight_sum += gradient * unit
        bias_sum += gradient
    tl.store(weight_sums + tl.program_id(0) * columns + at, weight_sum, mask=inside)
    tl.store(bias_sums + tl.program_id(0) * columns + at, bias_sum, mask=inside)


@triton.jit
def sum_columns(sums, out, rows, columns, HEIGHT: tl.constexpr, WIDTH: tl.constexpr):
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    total = tl.zeros((HEIGHT, WIDTH), dtype=tl.float32)
    for first in range(0, rows, HEIGHT):
        row = first + tl.arange(0, HEIGHT)
        total += tl.load(sums + row[:, None] * columns + at[None, :], mask=(row[:, None] < rows) & (at[None, :] < columns), other=0.0)
    tl.store(out + at, tl.sum(total, axis=0), mask=at < columns)


program.settle()
program.take_turn()
for dtype, rows, columns, width, warps, tolerance in ((torch.float32, 2048, 512, 512, 4, 1e-5), (torch.float16, 1024, 2000, 2048, 8, 3e-3)):
    x, dy = program.normal(rows, columns, seed=1).to(dtype), program.normal(rows, columns, seed=2).to(dtype)
    weight, bias = program.uniform(columns, seed=3), program.uniform(columns, seed=4)
    x_gpu, dy_gpu, weight_gpu, bias_gpu = x.cuda(), dy.cuda(), weight.cuda(), bias.cuda()
    y, dx = torch.empty_like(x_gpu), torch.empty_like(x_gpu)
    mean, scale = torch.empty(rows, device="cuda"), torch.empty(rows, device="cuda")
    programs = 264
    weight_sums, bias_sums = torch.empty(programs, columns, device="cuda"), torch.empty(programs, columns, device="cuda")
    dweight, dbias = torch.empty(columns, device="cuda"), torch.empty(columns, device="cuda")
    forward[(rows,)](x_gpu, y, weight_gpu, bias_gpu, mean, scale, columns, width, num_warps=warps)
    backward[(programs,)](dx, dy_gpu, weight_sums, bias_sums, x_gpu, weight_gpu, mean, scale, rows, columns, width, num_warps=warps)
    sum_columns[(triton.cdiv(columns, 64),)](weight_sums, dweight, programs, columns, 32, 64)
    sum_columns[(triton.cdiv(columns, 64),)](bias_sums, dbias, programs, columns, 32, 64)

    x_cpu, w_cpu, b_cpu = x.float().requires_grad_(), weight.clone().requires_grad_(), bias.clone().requires_grad_()
    wanted = torch.nn.functional.layer_norm(x_cpu, (columns,), w_cpu, b_cpu)
    wanted.backward(dy.float())
    program.expect_close("output", y, wanted, tolerance)
    program.expect_close("gradient of the input", dx, x_cpu.grad, tolerance)
    program.expect_close("gradient of the weight", dweight, w_cpu.grad, tolerance)
    program.expect_close("gradient of the bias", dbias, b_cpu.grad, tolerance)
program.finish()
