"""A transformer block (layer norm, causal attention written out, GELU) forward and backward: torch_transformer.py fp32|tf32|bf16."""

import copy
import math

import program
import torch
from torch import nn

batch, tokens, width, heads = 4, 256, 384, 6


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before_attention, self.before_mlp = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, mask):
        split = self.qkv(self.before_attention(x)).view(batch, tokens, 3, heads, width // heads).permute(2, 0, 3, 1, 4)
        query, key, value = split.unbind(0)
        scores = query @ key.transpose(-2, -1) * (1 / math.sqrt(width // heads))
        weights = torch.softmax(scores.masked_fill(mask, -1e9), dim=-1)
        x = x + self.out((weights @ value).transpose(1, 2).reshape(batch, tokens, width))
        return x + self.down(nn.functional.gelu(self.up(self.before_mlp(x))))


kind = program.choice(["fp32", "tf32", "bf16"])
program.settle(tf32=kind == "tf32")
model = Block()
x = program.normal(batch, tokens, width, seed=2).requires_grad_()
upstream = program.normal(batch, tokens, width, seed=3)
mask = torch.triu(torch.ones(tokens, tokens, dtype=torch.bool), diagonal=1)

program.take_turn()
dtype = torch.bfloat16 if kind == "bf16" else torch.float32
on_gpu = copy.deepcopy(model).to(dtype).cuda()
x_gpu = x.detach().to(dtype).cuda().requires_grad_()
mask_gpu, upstream_gpu = mask.cuda(), upstream.to(dtype).cuda()
y_gpu = on_gpu(x_gpu, mask_gpu)
y_gpu.backward(upstream_gpu)
torch.cuda.synchronize()

y = model(x, mask)
y.backward(upstream)
tolerance = {"fp32": 1e-5, "tf32": 2e-3, "bf16": 2e-2}[kind]
program.expect_close("output", y_gpu, y, tolerance)
program.expect_close("gradient of the input", x_gpu.grad, x.grad, tolerance)
program.expect_close("gradient of the first weights", on_gpu.qkv.weight.grad, model.qkv.weight.grad, 2 * tolerance)
program.finish()
