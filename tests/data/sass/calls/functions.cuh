// What the kernels of calls.cu call: functions that stay functions, in one file with the kernels or in another (-rdc).
#pragma once

__device__ int triple_plus(int x, int y);
__device__ int count_down(int n, int* steps);
__device__ int even_steps(int n);
__device__ int odd_steps(int n);

struct Shape {
  int edge;
  __device__ explicit Shape(int e) : edge(e) {}
  __device__ virtual int area() const = 0;
  __device__ virtual int corners() const { return 0; }
};
struct Square : Shape {
  using Shape::Shape;
  __device__ int area() const override;
  __device__ int corners() const override { return 4; }
};
struct Round : Shape {
  using Shape::Shape;
  __device__ int area() const override;
};

using Step = int (*)(int);
__device__ int add_seven(int x);
__device__ int times_nine(int x);
__device__ int half_of(int x);
__device__ int negative(int x);
