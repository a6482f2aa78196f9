"""Scaled dot-product attention forward and backward by one of PyTorch's implementations: torch_attention.py math|efficient|flash.
math: FP32, written out by PyTorch; efficient: FP32, causal; flash: FP16, causal."""

import program
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

batch, heads, tokens, width = 2, 8, 384, 64
kind = program.choice(["math", "efficient", "flash"])
backend = {"math": SDPBackend.MATH, "efficient": SDPBackend.EFFICIENT_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}[kind]
program.settle()
inputs = [program.normal(batch, heads, tokens, width, seed=seed).requires_grad_() for seed in (1, 2, 3)]
upstream = program.normal(batch, heads, tokens, width, seed=4)
causal = kind != "math"

program.take_turn()
dtype = torch.float16 if kind == "flash" else torch.float32
on_gpu = [x.detach().to(dtype).cuda().requires_grad_() for x in inputs]
upstream_gpu = upstream.to(dtype).cuda()
with sdpa_kernel(backend):
    y_gpu = torch.nn.functional.scaled_dot_product_attention(*on_gpu, is_causal=causal)
    y_gpu.backward(upstream_gpu)
torch.cuda.synchronize()

query, key, value = inputs
scores = query @ key.transpose(-2, -1) / width**0.5
if causal:
    scores = scores.masked_fill(torch.triu(torch.ones(tokens, tokens, dtype=torch.bool), diagonal=1), float("-inf"))
y = torch.softmax(scores, dim=-1) @ value
y.backward(upstream)
tolerance = {"math": 1e-5, "efficient": 2e-3, "flash": 5e-3}[kind]
program.expect_close("output", y_gpu, y, tolerance)
for name, a, b in zip(("query", "key", "value"), on_gpu, inputs):
    program.expect_close(f"gradient of the {name}", a.grad, b.grad, 2 * tolerance)
program.finish()
