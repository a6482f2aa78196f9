#!/usr/bin/env bash
# What capturing costs a PyTorch training step: four transformer layers (width 256: the CPU launches as fast as it can; width 1024: the GPU
# is busy), AdamW, with and without the recorder in turns.
#   gpu/collect/capture_overhead.sh TILESCOPE-CAPTURE [ROUNDS]     a line per run on stdout: WIDTH none|capture MILLISECONDS, then medians
set -euo pipefail
recorder=$1
rounds=${2:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/train.py" <<'PYTHON'
import sys, time, torch
width, steps = int(sys.argv[1]), int(sys.argv[2])
torch.manual_seed(0)
layer = torch.nn.TransformerEncoderLayer(width, 8, 4 * width, batch_first=True, dropout=0.0)
model = torch.nn.TransformerEncoder(layer, 4).cuda()
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
x = torch.randn(8, 128, width, device="cuda")
y = torch.randn_like(x)

def step():
    optimizer.zero_grad(set_to_none=True)
    ((model(x) - y) ** 2).mean().backward()
    optimizer.step()

for _ in range(10):
    step()
torch.cuda.synchronize()
times = []
for _ in range(7):
    start = time.perf_counter()
    for _ in range(steps):
        step()
    torch.cuda.synchronize()
    times.append((time.perf_counter() - start) / steps * 1e3)
print("MILLISECONDS", sorted(times)[3])
PYTHON
for ((round = 0; round < rounds; ++round)); do
  for width in 256 1024; do
    for kind in none capture; do
      prefix=()
      [ "$kind" = none ] || prefix=("$recorder" -o "$work/$width.$round")
      "${prefix[@]}" python3 "$work/train.py" "$width" 30 2>"$work/log" | awk -v w="$width" -v k="$kind" '/^MILLISECONDS/ { print w, k, $2 }'
      rm -rf "$work/$width.$round"
    done
  done
done | tee "$work/rows"
sort -k1,1n -k2,2 -k3,3n "$work/rows" | awk '
  { key = $1 " " $2; values[key, ++count[key]] = $3; seen[$1] = 1 }
  function median(key) { return values[key, int((count[key] + 1) / 2)] }
  END { for (width in seen) {
    none = median(width " none"); capture = median(width " capture")
    printf "width %s: %.2f ms, captured %.2f ms: %+.1f %%\n", width, none, capture, 100 * (capture / none - 1)
  } }'
