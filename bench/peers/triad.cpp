// a = b + s c on arrays of a given length: what memory gives to one thread and to several, beside which a sweep's bandwidth reads.
// Counts 24 bytes per element; the line that a store fetches first is not counted, as is usual.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

static double seconds() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void triad(double* __restrict a, const double* __restrict b, const double* __restrict c, long from, long to) {
  for (long i = from; i < to; i++) a[i] = b[i] + 0.7 * c[i];
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "Needed: length and threads.\n");
    return 1;
  }
  const long length = std::max(1L, atol(argv[1]));
  const int threads = std::max(1, atoi(argv[2]));
  std::vector<double> a(length, 0.0), b(length, 1.0), c(length, 2.0);
  // Short arrays many times over in one sample, so that starting threads does not count.
  const long repeats = std::max(1L, 20'000'000 / length);
  double best = 1e30;
  const auto began = seconds();
  for (int sample = 0; sample < 3 || seconds() - began < 0.5; sample++) {
    const double start = seconds();
    std::vector<std::thread> pool;
    for (int t = 0; t < threads; t++)
      pool.emplace_back([&, t] {
        for (long r = 0; r < repeats; r++) {
          triad(a.data(), b.data(), c.data(), length * t / threads, length * (t + 1) / threads);
          asm volatile("" ::: "memory");  // each repetition counts
        }
      });
    for (auto& thread : pool) thread.join();
    best = std::min(best, (seconds() - start) / repeats);
  }
  printf("{\"length\":%ld,\"threads\":%d,\"gigabytesPerSecond\":%.4g}\n", length, threads, 24e-9 * length / best);
}
