"""Causal and full attention forward in Triton, one pass with running maxima and sums, FP16."""

import program
import torch
import triton
import triton.language as tl


@triton.jit
def attention(query, key, value, out, tokens, scale, CAUSAL: tl.constexpr, TILE_M: tl.constexpr, TILE_N: tl.constexpr,
              WIDTH: tl.constexpr):
    head = tl.program_id(1) * tokens * WIDTH
    rows = tl.program_id(0) * TILE_M + tl.arange(0, TILE_M)
    columns, across = tl.arange(0, TILE_N), tl.arange(0, WIDTH)
    inside = rows[:, None] < tokens
    q = tl.load(query + head + rows[:, None] * WIDTH + across[None, :], mask=inside, other=0.0)
    largest = tl.full((TILE_M,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((TILE_M,), dtype=tl.float32)
    result = tl.zeros((TILE_M, WIDTH), dtype=tl.float32)
    end = min((tl.program_id(0) + 1) * TILE_M, tokens) if CAUSAL else tokens
    for first in range(0, end, TILE_N):
        at = first + columns
        k = tl.load(key + head + at[None, :] * WIDTH + across[:, None], mask=at[None, :] < tokens, other=0.0)
        scores = tl.dot(q, k) * scale
        allowed = at[None, :] < tokens
        if CAUSAL:
            allowed = allowed & (rows[:, None] >= at[None, :])
        scores = tl.where(allowed, scores, -1e30)
        now = tl.maximum(largest, tl.max(scores, axis=1))
        weights = tl.exp2(scores - now[:, None])
        shrink = tl.exp2(largest - now)
        total = total * shrink + tl.sum(weights, axis=1)
        v = tl.load(value + head + at[:, None] * WIDTH + across[None, :], mask=at[:, None] < tokens, other=0.0)
        result = tl.dot(weights.to(tl.float16), v, result * shrink[:, None])
        largest = now
    tl.store(out + head + rows[:, None] * WIDTH + across[None, :], (result / total[:, None]).to(tl.float16), mask=inside)


program.settle()
program.take_turn()
for causal, heads, tokens, width, tile_m, tile_n, warps in ((True, 16, 512, 64, 64, 64, 4), (False, 16, 512, 64, 128, 64, 4),
                                                            (True, 12, 500, 128, 64, 32, 4), (False, 24, 256, 32, 32, 32, 2)):
    q, k, v = (program.normal(heads, tokens, width, seed=seed).half() for seed in (1, 2, 3))
    q_gpu, k_gpu, v_gpu = q.cuda(), k.cuda(), v.cuda()
    out = torch.empty_like(q_gpu)
    attention[(triton.cdiv(tokens, tile_m), heads)](q_gpu, k_gpu, v_gpu, out, tokens, 1.4426950408889634 / width**0.5, causal, tile_m,
                                                   tile_n, width, num_warps=warps, num_stages=2)
    scores = q.float() @ k.float().transpose(-2, -1) / width**0.5
    if causal:
        scores = scores.masked_fill(torch.triu(torch.ones(tokens, tokens, dtype=torch.bool), diagonal=1), float("-inf"))
    program.expect_close(f"attention {tokens}x{width}", out, torch.softmax(scores, dim=-1) @ v.float(), 5e-3)
program.finish()
