"""Dropout from a seed in Triton, fused with what stands around it: bias, GELU and a residual; alone; and added to a normalised row."""

import program
import torch
import triton
import triton.language as tl


@triton.jit
def dropout(x, out, mask_out, count, keep, seed, WIDTH: tl.constexpr):
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    inside = at < count
    kept = tl.rand(seed, at) < keep
    values = tl.load(x + at, mask=inside)
    tl.store(out + at, tl.where(kept, values / keep, 0.0), mask=inside)
    tl.store(mask_out + at, kept.to(tl.int8), mask=inside)


@triton.jit
def bias_gelu_dropout_residual(x, bias, residual, mask_out, out, count, columns, keep, seed, WIDTH: tl.constexpr):
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    inside = at < count
    values = tl.load(x + at, mask=inside) + tl.load(bias + at % columns, mask=inside)
    values = values / (1 + tl.exp(-1.702 * values))
    kept = tl.rand(seed, at) < keep
    values = tl.where(kept, values / keep, 0.0) + tl.load(residual + at, mask=inside)
    tl.store(out + at, values, mask=inside)
    tl.store(mask_out + at, kept.to(tl.int8), mask=inside)


program.settle()
program.take_turn()
keep = 0.9
for count, width, warps in ((1 << 18, 1024, 4), (1000003, 2048, 8)):
    x = program.normal(count, seed=count)
    x_gpu, out, mask = x.cuda(), torch.empty(count, device="cuda"), torch.empty(count, dtype=torch.int8, device="cuda")
    dropout[(triton.cdiv(count, width),)](x_gpu, out, mask, count, keep, 123, width, num_warps=warps)
    kept = mask.cpu().float()
    program.expect_close("dropout", out, x * kept / keep, 1e-6)
    program.expect_close("share kept", kept.mean(), torch.tensor(keep), 1e-2)
rows, columns = 1024, 768
x, bias, residual = program.normal(rows, columns, seed=1), program.normal(columns, seed=2), program.normal(rows, columns, seed=3)
x_gpu, bias_gpu, residual_gpu = x.cuda(), bias.cuda(), residual.cuda()
out, mask = torch.empty(rows, columns, device="cuda"), torch.empty(rows, columns, dtype=torch.int8, device="cuda")
bias_gelu_dropout_residual[(triton.cdiv(rows * columns, 1024),)](x_gpu, bias_gpu, residual_gpu, mask, out, rows * columns, columns, keep, 7,
                                                                 1024, num_warps=4)
kept = mask.cpu().float()
wanted = (x + bias) * torch.sigmoid(1.702 * (x + bias)) * kept / keep + residual
program.expect_close("fused", out, wanted, 1e-5)
program.expect_close("share kept", kept.mean(), torch.tensor(keep), 1e-2)
program.finish()
