"""Matrix products in Triton, C = A B, FP32 sums, tiles in groups of eight rows of tiles so that neighbours share operands in L2:
pointers or tensor descriptors, a CTA per tile or as many CTAs as SMs that take tiles by turns.

CONFIGURATIONS is the list that an autotuner would choose from by time. A launch names its own, so that every run launches the same.
"""

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

import inputs

GROUP = 8

# type, tile (M, N, K), stages, warps
CONFIGURATIONS = [
    ("f16", (32, 64, 64), 5, 2),
    ("f16", (64, 64, 32), 4, 4),
    ("f16", (64, 128, 64), 4, 4),
    ("f16", (64, 128, 128), 2, 4),
    ("f16", (64, 256, 32), 4, 4),
    ("f16", (128, 64, 64), 3, 4),
    ("f16", (128, 64, 64), 4, 4),
    ("f16", (128, 128, 64), 3, 4),
    ("f16", (128, 128, 64), 3, 8),
    ("f16", (128, 128, 64), 4, 8),
    ("f16", (128, 256, 64), 3, 8),
    ("f16", (128, 256, 64), 4, 8),
    ("bf16", (64, 128, 64), 4, 4),
    ("bf16", (64, 256, 32), 4, 4),
    ("bf16", (128, 64, 64), 3, 8),
    ("bf16", (128, 64, 64), 4, 4),
    ("bf16", (128, 128, 32), 4, 4),
    ("bf16", (128, 128, 64), 2, 4),
    ("bf16", (128, 128, 64), 4, 8),
    ("bf16", (128, 256, 64), 3, 8),
    ("f8", (128, 64, 128), 4, 4),
    ("f8", (128, 128, 128), 3, 8),
    ("f8", (128, 128, 128), 4, 8),
    ("f8", (128, 256, 128), 3, 8),
    ("tf32", (64, 64, 32), 3, 4),
    ("tf32", (64, 128, 32), 2, 8),
    ("tf32", (128, 64, 32), 4, 4),
    ("tf32", (128, 128, 32), 3, 8),
    ("tf32", (128, 128, 32), 4, 4),
]


@triton.jit
def tile_place(tile, m, n, TILE_M: tl.constexpr, TILE_N: tl.constexpr, GROUP: tl.constexpr):
    """Row and column of a tile among tiles: down the rows of a group, then the next column."""
    tiles_m, tiles_n = tl.cdiv(m, TILE_M), tl.cdiv(n, TILE_N)
    of_group = GROUP * tiles_n
    first = tile // of_group * GROUP
    rows = min(tiles_m - first, GROUP)
    return first + tile % of_group % rows, tile % of_group // rows


@triton.jit
def matmul(a, b, c, m, n, k, a_row, b_row, b_column, c_row, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr,
           GROUP: tl.constexpr):
    tile_m, tile_n = tile_place(tl.program_id(0), m, n, TILE_M, TILE_N, GROUP)
    rows = tile_m * TILE_M + tl.arange(0, TILE_M)
    columns = tile_n * TILE_N + tl.arange(0, TILE_N)
    steps = tl.arange(0, TILE_K)
    a_at = a + (rows % m)[:, None] * a_row + steps[None, :]
    b_at = b + steps[:, None] * b_row + (columns % n)[None, :] * b_column
    total = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for step in range(0, tl.cdiv(k, TILE_K)):
        left = k - step * TILE_K
        a_tile = tl.load(a_at, mask=steps[None, :] < left, other=0.0)
        b_tile = tl.load(b_at, mask=steps[:, None] < left, other=0.0)
        total = tl.dot(a_tile, b_tile, total)
        a_at += TILE_K
        b_at += TILE_K * b_row
    tl.store(c + rows[:, None] * c_row + columns[None, :], total.to(c.dtype.element_ty), mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def matmul_persistent(a, b, c, m, n, k, a_row, b_row, b_column, c_row, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr,
                      GROUP: tl.constexpr):
    steps = tl.arange(0, TILE_K)
    tiles = tl.cdiv(m, TILE_M) * tl.cdiv(n, TILE_N)
    for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0), flatten=True):
        tile_m, tile_n = tile_place(tile, m, n, TILE_M, TILE_N, GROUP)
        rows = tile_m * TILE_M + tl.arange(0, TILE_M)
        columns = tile_n * TILE_N + tl.arange(0, TILE_N)
        total = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
        for step in range(0, tl.cdiv(k, TILE_K)):
            at = step * TILE_K + steps
            a_tile = tl.load(a + (rows % m)[:, None] * a_row + at[None, :], mask=at[None, :] < k, other=0.0)
            b_tile = tl.load(b + at[:, None] * b_row + (columns % n)[None, :] * b_column, mask=at[:, None] < k, other=0.0)
            total = tl.dot(a_tile, b_tile, total)
        tl.store(c + rows[:, None] * c_row + columns[None, :], total.to(c.dtype.element_ty),
                 mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def tile_product(a, b, row, column, k, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr):
    """Of descriptors; B is stored by columns."""
    total = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for step in range(0, tl.cdiv(k, TILE_K)):
        total = tl.dot(a.load([row, step * TILE_K]), b.load([column, step * TILE_K]).T, total)
    return total


@triton.jit
def matmul_tma(a, b, c, m, n, k, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr, GROUP: tl.constexpr):
    tile_m, tile_n = tile_place(tl.program_id(0), m, n, TILE_M, TILE_N, GROUP)
    total = tile_product(a, b, tile_m * TILE_M, tile_n * TILE_N, k, TILE_M, TILE_N, TILE_K)
    c.store([tile_m * TILE_M, tile_n * TILE_N], total.to(c.dtype))


@triton.jit
def matmul_tma_persistent(a, b, c, m, n, k, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr, GROUP: tl.constexpr):
    tiles = tl.cdiv(m, TILE_M) * tl.cdiv(n, TILE_N)
    for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0), flatten=True):
        tile_m, tile_n = tile_place(tile, m, n, TILE_M, TILE_N, GROUP)
        total = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
        for step in range(0, tl.cdiv(k, TILE_K)):
            total = tl.dot(a.load([tile_m * TILE_M, step * TILE_K]), b.load([tile_n * TILE_N, step * TILE_K]).T, total)
        c.store([tile_m * TILE_M, tile_n * TILE_N], total.to(c.dtype))


@triton.jit
def matmul_tma_device(a_at, b_at, c_at, m, n, k, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr, GROUP: tl.constexpr):
    """The kernel makes its descriptors itself."""
    a = tl.make_tensor_descriptor(a_at, shape=[m, k], strides=[k, 1], block_shape=[TILE_M, TILE_K])
    b = tl.make_tensor_descriptor(b_at, shape=[n, k], strides=[k, 1], block_shape=[TILE_N, TILE_K])
    c = tl.make_tensor_descriptor(c_at, shape=[m, n], strides=[n, 1], block_shape=[TILE_M, TILE_N])
    tile_m, tile_n = tile_place(tl.program_id(0), m, n, TILE_M, TILE_N, GROUP)
    total = tile_product(a, b, tile_m * TILE_M, tile_n * TILE_N, k, TILE_M, TILE_N, TILE_K)
    c.store([tile_m * TILE_M, tile_n * TILE_N], total.to(c.dtype))


def scratch(size, alignment, stream):
    """Memory for the descriptors of matmul_tma_device."""
    return torch.empty(size, device="cuda", dtype=torch.int8)


def launcher(kernel, descriptors=None, persistent=False):
    """descriptors: None, "host" or "device". The function that launches: configuration, m, n, k -> result, reference, tolerance."""

    def launch(configuration, m, n, k):
        m, n, k = int(m), int(n), int(k)
        name, (tile_m, tile_n, tile_k), numbers = inputs.parts(configuration)
        if (name, (tile_m, tile_n, tile_k), numbers["s"], numbers["w"]) not in CONFIGURATIONS:
            raise ValueError(f"{configuration}: is none of CONFIGURATIONS")
        dtype = inputs.TYPES[name]
        out_type = torch.float16 if name == "f8" else dtype
        by_columns = descriptors is not None or name == "f8"  # wgmma reads FP8 along K only
        a, c = inputs.uniform(dtype, m, k, seed=1), torch.empty(m, n, dtype=out_type, device="cuda")
        b = inputs.uniform(dtype, n, k, seed=2) if by_columns else inputs.uniform(dtype, k, n, seed=2)
        tiles = triton.cdiv(m, tile_m) * triton.cdiv(n, tile_n)
        grid = (min(tiles, inputs.sms()) if persistent else tiles,)
        tile = {"TILE_M": tile_m, "TILE_N": tile_n, "TILE_K": tile_k, "GROUP": GROUP, "num_stages": numbers["s"], "num_warps": numbers["w"]}
        if descriptors is None:
            b_row, b_column = (1, k) if by_columns else (n, 1)
            kernel[grid](a, b, c, m, n, k, k, b_row, b_column, n, **tile)
        elif descriptors == "host":
            maps = [TensorDescriptor.from_tensor(tensor, box) for tensor, box in
                    ((a, [tile_m, tile_k]), (b, [tile_n, tile_k]), (c, [tile_m, tile_n]))]
            kernel[grid](*maps, m, n, k, **tile)
        else:
            triton.set_allocator(scratch)
            kernel[grid](a, b, c, m, n, k, **tile)
        return c, lambda: a.float() @ (b.float().T if by_columns else b.float()), 5e-3 if name in ("f8", "bf16") else 1e-3

    return launch


KERNELS = {
    "matmul": launcher(matmul),
    "matmul_persistent": launcher(matmul_persistent, persistent=True),
    "matmul_tma": launcher(matmul_tma, "host"),
    "matmul_tma_persistent": launcher(matmul_tma_persistent, "host", persistent=True),
    "matmul_tma_device": launcher(matmul_tma_device, "device"),
}
