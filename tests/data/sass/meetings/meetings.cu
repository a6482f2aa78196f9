// One warp whose lanes part and meet: what the hardware executes says which lanes run together, and in what order.
// marks[32 * i + l] is 1 where lane l finds something in its step i; trips[l] is the number of its steps.

// Lanes that find something meet behind the loop, the others exit in it.
extern "C" __global__ void search(int* out, const int* trips, const int* marks) {
  const int lane = static_cast<int>(threadIdx.x);
  if (trips[lane] == 0) return;
  for (int at = 0; at < trips[lane]; ++at) {
    if (marks[32 * at + lane] == 1) {
      out[lane] = at;
      atomicAdd(&out[32], 1);
      return;
    }
  }
}

// Nobody exits: who finds nothing meets the others behind the branch.
extern "C" __global__ void pick(int* out, const int* trips, const int* marks) {
  const int lane = static_cast<int>(threadIdx.x);
  int found = -1;
  for (int at = 0; at < trips[lane]; ++at) {
    if (marks[32 * at + lane] == 1) {
      found = at;
      break;
    }
  }
  if (found >= 0) {
    out[lane] = found;
    atomicAdd(&out[32], 1);
  } else {
    out[lane] = trips[lane];
    atomicAdd(&out[33], 1);
  }
  out[64 + lane] = out[96 + lane] + found;
}

// Lanes exit in either arm of a branch, and behind it.
extern "C" __global__ void arms(int* out, const int* trips, const int* marks) {
  const int lane = static_cast<int>(threadIdx.x);
  const int kind = trips[lane];
  int value = marks[lane];
  if (kind & 1) {
    value += out[128 + lane];
    if (kind & 2) {
      out[lane] = value;
      return;
    }
    value *= marks[32 + lane];
    atomicAdd(&out[32], value);
  } else {
    value += out[160 + lane];
    if (kind & 4) {
      out[lane] = value + 1;
      return;
    }
    value ^= marks[64 + lane];
    atomicAdd(&out[33], value);
  }
  if (kind & 8) return;
  out[64 + lane] = value + out[96 + lane];
}

// As search, but the lanes draw numbers where they find something and where they leave: the order of the groups.
extern "C" __global__ void order(int* out, const int* trips, const int* marks) {
  const int lane = static_cast<int>(threadIdx.x);
  if (trips[lane] == 0) return;
  for (int at = 0; at < trips[lane]; ++at) {
    if (marks[32 * at + lane] == 1) {
      out[lane] = atomicAdd(&out[32], 1);
      return;
    }
  }
  out[lane] = atomicAdd(&out[32], 1);
}

// A sort in shared memory whose comparisons are branches: the compiler runs out of convergence barriers.
template <int N>
__device__ void sort(float* keys, int* values, bool* valid) {
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int size = 2; size <= N; size *= 2) {
    const bool descending = size < N && (thread & (size / 2)) != 0;
#pragma unroll
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const int a = 2 * thread - (thread & (stride - 1));
      const int b = a + stride;
      const bool wrong = (keys[a] > keys[b] && valid[a]) || !valid[b];
      if (wrong == descending) {
        const float key = keys[a];
        keys[a] = keys[b];
        keys[b] = key;
        const int value = values[a];
        values[a] = values[b];
        values[b] = value;
        const bool is = valid[a];
        valid[a] = valid[b];
        valid[b] = is;
      }
    }
  }
  __syncthreads();
}

extern "C" __global__ void sorted(int* out, const int* trips, const int* marks) {
  __shared__ float keys[32];
  __shared__ int values[32];
  __shared__ bool valid[32];
  const int thread = static_cast<int>(threadIdx.x);
  const int n = trips[0];
  for (int i = thread; i < 32; i += 16) {
    valid[i] = i < n;
    keys[i] = i < n ? static_cast<float>(trips[i] * 32 + marks[i]) : 0.0f;
    values[i] = i < n ? marks[32 + i] : 0;
  }
  sort<32>(keys, values, valid);
  if (thread < n) {
    out[thread] = values[thread];
    if (thread + 16 < n) out[thread + 16] = values[thread + 16];
  }
}
