"""Flash attention forward in Triton, FP16: one pass over keys and values with running maxima and sums. Causal attention masks only the
tiles at the diagonal. Keys and values by pointers or by tensor descriptors.
Configuration: f16_<queries>x<keys>x<width of a head>_s<stages>_w<warps>; sizes: causal or full, heads, tokens."""

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

import inputs


@triton.jit
def fold(q, k, v, largest, total, result, scale, rows, at, MASKED: tl.constexpr):
    """One tile of keys (transposed) and values into the running maxima, sums and results. Scores are in powers of two."""
    scores = tl.dot(q, k) * scale
    if MASKED:
        scores = tl.where(rows[:, None] >= at[None, :], scores, -1e30)
    now = tl.maximum(largest, tl.max(scores, axis=1))
    weights = tl.exp2(scores - now[:, None])
    shrink = tl.exp2(largest - now)
    total = total * shrink + tl.sum(weights, axis=1)
    return now, total, tl.dot(weights.to(tl.float16), v, result * shrink[:, None])


@triton.jit
def attention(query, key, value, out, tokens, scale, CAUSAL: tl.constexpr, TILE_M: tl.constexpr, TILE_N: tl.constexpr, WIDTH: tl.constexpr):
    head = tl.program_id(1) * tokens * WIDTH
    rows = tl.program_id(0) * TILE_M + tl.arange(0, TILE_M)
    columns, across = tl.arange(0, TILE_N), tl.arange(0, WIDTH)
    q = tl.load(query + head + rows[:, None] * WIDTH + across[None, :])
    largest = tl.full((TILE_M,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((TILE_M,), dtype=tl.float32)
    result = tl.zeros((TILE_M, WIDTH), dtype=tl.float32)
    diagonal = tl.program_id(0) * TILE_M if CAUSAL else tokens
    for first in range(0, diagonal, TILE_N):
        at = first + columns
        k = tl.load(key + head + at[None, :] * WIDTH + across[:, None])
        v = tl.load(value + head + at[:, None] * WIDTH + across[None, :])
        largest, total, result = fold(q, k, v, largest, total, result, scale, rows, at, False)
    if CAUSAL:
        for first in range(diagonal, diagonal + TILE_M, TILE_N):
            at = first + columns
            k = tl.load(key + head + at[None, :] * WIDTH + across[:, None])
            v = tl.load(value + head + at[:, None] * WIDTH + across[None, :])
            largest, total, result = fold(q, k, v, largest, total, result, scale, rows, at, True)
    tl.store(out + head + rows[:, None] * WIDTH + across[None, :], (result / total[:, None]).to(tl.float16))


@triton.jit
def attention_tma(query, key, value, out, tokens, scale, CAUSAL: tl.constexpr, TILE_M: tl.constexpr, TILE_N: tl.constexpr,
                  WIDTH: tl.constexpr):
    head = tl.program_id(1) * tokens
    rows = tl.program_id(0) * TILE_M + tl.arange(0, TILE_M)
    columns = tl.arange(0, TILE_N)
    q = query.load([head + tl.program_id(0) * TILE_M, 0])
    largest = tl.full((TILE_M,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((TILE_M,), dtype=tl.float32)
    result = tl.zeros((TILE_M, WIDTH), dtype=tl.float32)
    diagonal = tl.program_id(0) * TILE_M if CAUSAL else tokens
    for first in range(0, diagonal, TILE_N):
        k, v = key.load([head + first, 0]).T, value.load([head + first, 0])
        largest, total, result = fold(q, k, v, largest, total, result, scale, rows, first + columns, False)
    if CAUSAL:
        for first in range(diagonal, diagonal + TILE_M, TILE_N):
            k, v = key.load([head + first, 0]).T, value.load([head + first, 0])
            largest, total, result = fold(q, k, v, largest, total, result, scale, rows, first + columns, True)
    out.store([head + tl.program_id(0) * TILE_M, 0], (result / total[:, None]).to(tl.float16))


def launcher(kernel, descriptors):
    def launch(configuration, form, heads, tokens):
        heads, tokens = int(heads), int(tokens)
        _, (tile_m, tile_n, width), numbers = inputs.parts(configuration)
        causal = {"causal": True, "full": False}[form]
        if tokens % tile_m or tokens % tile_n:
            raise ValueError(f"{tokens} tokens: must be a multiple of the tile's {tile_m} and {tile_n}")
        q, k, v = (inputs.normal(torch.float16, heads, tokens, width, seed=seed) for seed in (1, 2, 3))
        out = torch.empty_like(q)
        tensors = (q, k, v, out)
        if descriptors:
            tensors = [TensorDescriptor.from_tensor(tensor.view(heads * tokens, width), [side, width])
                       for tensor, side in zip(tensors, (tile_m, tile_n, tile_n, tile_m))]
        kernel[(tokens // tile_m, heads)](*tensors, tokens, 1.4426950408889634 / width**0.5, causal, tile_m, tile_n, width,
                                          num_stages=numbers["s"], num_warps=numbers["w"])
        return out, lambda: torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=causal), 2e-3

    return launch


KERNELS = {"attention": launcher(attention, False), "attention_tma": launcher(attention_tma, True)}
