"""Matrix products in Triton with fixed tiles and a grouped order of tiles: FP16, TF32, FP32 without tensor cores, and FP16 with a fused
leaky ReLU."""

import program
import torch
import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, m, n, k, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr, GROUP: tl.constexpr,
           PRECISION: tl.constexpr, LEAKY: tl.constexpr):
    tile = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(m, TILE_M), tl.cdiv(n, TILE_N)
    group = tile // (GROUP * tiles_n)
    group_rows = min(tiles_m - group * GROUP, GROUP)
    tile_m = group * GROUP + (tile % (GROUP * tiles_n)) % group_rows
    tile_n = (tile % (GROUP * tiles_n)) // group_rows
    rows = tile_m * TILE_M + tl.arange(0, TILE_M)
    columns = tile_n * TILE_N + tl.arange(0, TILE_N)
    steps = tl.arange(0, TILE_K)
    a_at = a + (rows % m)[:, None] * k + steps[None, :]
    b_at = b + steps[:, None] * n + (columns % n)[None, :]
    total = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for first in range(0, k, TILE_K):
        a_tile = tl.load(a_at, mask=steps[None, :] < k - first, other=0.0)
        b_tile = tl.load(b_at, mask=steps[:, None] < k - first, other=0.0)
        total = tl.dot(a_tile, b_tile, total, input_precision=PRECISION)
        a_at += TILE_K
        b_at += TILE_K * n
    if LEAKY:
        total = tl.where(total >= 0, total, 0.01 * total)
    tl.store(c + rows[:, None] * n + columns[None, :], total.to(c.dtype.element_ty),
             mask=(rows[:, None] < m) & (columns[None, :] < n))


program.settle()
program.take_turn()
cases = [  # type, m, n, k, tile, warps, stages, precision, leaky
    (torch.float16, 512, 512, 512, (128, 64, 32), 4, 3, "tf32", False),
    (torch.float16, 1000, 760, 424, (64, 64, 64), 4, 3, "tf32", True),
    (torch.float16, 1024, 1024, 512, (128, 128, 64), 8, 3, "tf32", False),
    (torch.float32, 512, 768, 512, (64, 64, 32), 4, 3, "tf32", False),
    (torch.float32, 256, 384, 512, (32, 64, 32), 4, 2, "ieee", False),
]
for dtype, m, n, k, (tile_m, tile_n, tile_k), warps, stages, precision, leaky in cases:
    a, b = program.uniform(m, k, seed=1).to(dtype), program.uniform(k, n, seed=2).to(dtype)
    a_gpu, b_gpu, c = a.cuda(), b.cuda(), torch.empty(m, n, dtype=dtype, device="cuda")
    matmul[(triton.cdiv(m, tile_m) * triton.cdiv(n, tile_n),)](a_gpu, b_gpu, c, m, n, k, tile_m, tile_n, tile_k, 4, precision, leaky,
                                                            num_warps=warps, num_stages=stages)
    wanted = a.double() @ b.double()
    if leaky:
        wanted = torch.where(wanted >= 0, wanted, 0.01 * wanted)
    program.expect_close(f"{dtype} {m}x{n}x{k}", c, wanted, 1e-5 if precision == "ieee" else 2e-3)
program.finish()
