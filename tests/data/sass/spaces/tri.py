# Products of fp32 by Triton in full precision, whose accumulators and operands spill: writes NAME.cubin and prints a row each.
# tri.py [NAME...]
import sys
import torch
import triton
import triton.language as tl


@triton.jit
def mm_ieee(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    om = pm * BM + tl.arange(0, BM)
    on = pn * BN + tl.arange(0, BN)
    ok = tl.arange(0, BK)
    ap = a + om[:, None] * K + ok[None, :]
    bp = b + ok[:, None] * N + on[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(tl.load(ap), tl.load(bp), acc, input_precision='ieee')
        ap += BK
        bp += BK * N
    tl.store(c + om[:, None] * N + on[None, :], acc)


configurations = {  # name: BM, BN, BK, warps, stages, size
    'triton_ieee_128x128x32_w4': (128, 128, 32, 4, 2, 512),
    'triton_ieee_128x128x16_w4': (128, 128, 16, 4, 3, 512),
    'triton_ieee_128x64x32_w4': (128, 64, 32, 4, 3, 512),
    'triton_ieee_128x128x32_w8': (128, 128, 32, 8, 2, 512),
    'triton_ieee_64x64x32_w2': (64, 64, 32, 2, 2, 512),
}
for name in sys.argv[1:] or configurations:
    bm, bn, bk, warps, stages, size = configurations[name]
    a, b, c = (torch.randn(size, size, device='cuda') for _ in range(3))
    grid = (size // bm, size // bn)
    h = mm_ieee[grid](a, b, c, size, size, size, BM=bm, BN=bn, BK=bk, num_warps=warps, num_stages=stages)
    open(name + '.cubin', 'wb').write(h.asm['cubin'])
    print(name, h.metadata.name, 'grid', grid, 'block', 32 * warps, 'shared', h.metadata.shared, 'registers', h.n_regs,
          'spills', h.n_spills)
