import torch, triton, triton.language as tl
dev = 'cuda'
@triton.jit
def layernorm(x, w, b, y, stride, n, eps, BS: tl.constexpr):
    r = tl.program_id(0); x += r * stride; y += r * stride; c = tl.arange(0, BS); m = c < n
    v = tl.load(x + c, mask=m, other=0.).to(tl.float32); mean = tl.sum(v, 0) / n; d = tl.where(m, v - mean, 0.); var = tl.sum(d * d, 0) / n
    tl.store(y + c, d / tl.sqrt(var + eps) * tl.load(w + c, mask=m) + tl.load(b + c, mask=m), mask=m)
@triton.jit
def attention(q, k, v, o, scale, n, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    pm = tl.program_id(0); h = tl.program_id(1); off = h * n * D; rm = pm * BM + tl.arange(0, BM); rd = tl.arange(0, D); rn = tl.arange(0, BN)
    Q = tl.load(q + off + rm[:, None] * D + rd[None, :]); m = tl.full((BM,), -1e30, tl.float32); l = tl.zeros((BM,), tl.float32); acc = tl.zeros((BM, D), tl.float32)
    for s in range(0, n, BN):
        K = tl.load(k + off + (s + rn)[None, :] * D + rd[:, None]); x = tl.dot(Q, K) * scale
        x = tl.where(rm[:, None] >= (s + rn)[None, :], x, -1e30)
        mn = tl.maximum(m, tl.max(x, 1)); p = tl.exp2(x - mn[:, None]); a = tl.exp2(m - mn); l = l * a + tl.sum(p, 1)
        V = tl.load(v + off + (s + rn)[:, None] * D + rd[None, :]); acc = tl.dot(p.to(tl.float16), V, acc * a[:, None]); m = mn
    tl.store(o + off + rm[:, None] * D + rd[None, :], (acc / l[:, None]).to(tl.float16))
@triton.jit
def embedding(ids, table, out, D: tl.constexpr, BS: tl.constexpr):
    r = tl.program_id(0); t = tl.load(ids + r); c = tl.arange(0, BS); m = c < D
    tl.store(out + r * D + c, tl.load(table + t * D + c, mask=m), mask=m)
@triton.jit
def histo(x, o, n, BS: tl.constexpr):
    i = tl.program_id(0) * BS + tl.arange(0, BS); v = tl.load(x + i, mask=i < n, other=0); tl.atomic_add(o + (v & 127), 1, mask=i < n)
@triton.jit
def cumsum(x, o, n, BS: tl.constexpr):
    i = tl.arange(0, BS); tl.store(o + tl.program_id(0) * BS + i, tl.cumsum(tl.load(x + tl.program_id(0) * BS + i), 0))
@triton.jit
def vadd(x, y, o, n, BS: tl.constexpr):
    i = tl.program_id(0) * BS + tl.arange(0, BS); m = i < n; tl.store(o + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)
@triton.jit
def sortk(x, o, BS: tl.constexpr):
    i = tl.arange(0, BS); tl.store(o + i, tl.sort(tl.load(x + i)))
def save(n, h, g): open(n + '.cubin', 'wb').write(h.asm['cubin']); print(n, h.metadata.name, h.metadata.shared, h.metadata.num_warps, g)
f = lambda *s, dt=torch.float32: torch.randn(*s, device=dev, dtype=dt)
ii = lambda n, hi: torch.randint(0, hi, (n,), device=dev, dtype=torch.int32)
def go(name, fn):
    try: fn()
    except Exception as e: print(name, 'FAILED', repr(e)[:300])
go('layernorm', lambda: save('layernorm', layernorm[(64,)](f(64, 1000), f(1000), f(1000), f(64, 1000), 1000, 1000, 1e-5, BS=1024), 64))
for D in (64,):
    t = lambda: f(2, 512, D, dt=torch.float16)
    go('attention', lambda: save('attention', attention[(4, 2)](t(), t(), t(), t(), 0.18, 512, D=D, BM=128, BN=64, num_warps=4, num_stages=2), (4, 2)))
    go('attention8', lambda: save('attention8', attention[(4, 2)](t(), t(), t(), t(), 0.18, 512, D=D, BM=128, BN=64, num_warps=8, num_stages=3), (4, 2)))
go('embedding', lambda: save('embedding', embedding[(128,)](ii(128, 1000), f(1000, 200), f(128, 200), D=200, BS=256), 128))
go('histo', lambda: save('histo', histo[(16,)](ii(8192, 5000), ii(128, 1), 8000, BS=512), 16))
go('cumsum', lambda: save('cumsum', cumsum[(8,)](f(8192), f(8192), 8192, BS=1024), 8))
go('vadd', lambda: save('vadd', vadd[(64,)](f(65536), f(65536), f(65536), 65000, BS=1024), 64))
go('sortk', lambda: save('sortk', sortk[(1,)](ii(256, 999), ii(256, 1), BS=256), 1))
@triton.jit
def mm(a,b,c,M,N,K,sam,sak,sbk,sbn,scm,scn,BM:tl.constexpr,BN:tl.constexpr,BK:tl.constexpr,G:tl.constexpr):
    pid=tl.program_id(0); nm=tl.cdiv(M,BM); nn=tl.cdiv(N,BN); w=G*nn; g=pid//w; f=g*G; gs=min(nm-f,G)
    pm=f+((pid%w)%gs); pn=(pid%w)//gs
    om=(pm*BM+tl.arange(0,BM))%M; on=(pn*BN+tl.arange(0,BN))%N; ok=tl.arange(0,BK)
    ap=a+om[:,None]*sam+ok[None,:]*sak; bp=b+ok[:,None]*sbk+on[None,:]*sbn
    acc=tl.zeros((BM,BN),dtype=tl.float32)
    for k in range(0,tl.cdiv(K,BK)):
        x=tl.load(ap,mask=ok[None,:]<K-k*BK,other=0.0); y=tl.load(bp,mask=ok[:,None]<K-k*BK,other=0.0)
        acc=tl.dot(x,y,acc); ap+=BK*sak; bp+=BK*sbk
    o=acc.to(tl.float16); om=pm*BM+tl.arange(0,BM); on=pn*BN+tl.arange(0,BN)
    tl.store(c+scm*om[:,None]+scn*on[None,:],o,mask=(om[:,None]<M)&(on[None,:]<N))
@triton.jit
def softmax(o,i,si,so,n,BS:tl.constexpr):
    r=tl.program_id(0); c=tl.arange(0,BS); m=c<n
    x=tl.load(i+r*si+c,mask=m,other=-float('inf')); x=x-tl.max(x,0); e=tl.exp(x); tl.store(o+r*so+c,e/tl.sum(e,0),mask=m)
def run(dt,name,**kw):
    M=N=K=512
    a=torch.randn(M,K,device=dev,dtype=dt); b=torch.randn(K,N,device=dev,dtype=dt); c=torch.empty(M,N,device=dev,dtype=torch.float16)
    h=mm[(triton.cdiv(M,kw['BM'])*triton.cdiv(N,kw['BN']),)](a,b,c,M,N,K,a.stride(0),a.stride(1),b.stride(0),b.stride(1),c.stride(0),c.stride(1),**kw)
    open(name + '.90.cubin', 'wb').write(h.asm['cubin'])
    print(name,h.metadata)
run(torch.float16,'triton_mm_wgmma',BM=128,BN=128,BK=64,G=8,num_warps=8,num_stages=3)
run(torch.float16,'triton_mm_small',BM=32,BN=32,BK=32,G=8,num_warps=4,num_stages=2)
run(torch.float32,'triton_mm_tf32',BM=64,BN=64,BK=32,G=8,num_warps=4,num_stages=3)
x=torch.randn(128,1000,device=dev); o=torch.empty_like(x)
h=softmax[(128,)](o,x,x.stride(0),o.stride(0),1000,BS=1024); open('triton_softmax.90.cubin','wb').write(h.asm['cubin'])
