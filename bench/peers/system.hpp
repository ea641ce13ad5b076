// What the drivers share: the system file, the residual recomputed in f64, clocks, peak memory, and the conversation with the
// benchmark. A driver reads its file once, says it is ready, and then answers every line "solve" with one line of JSON; on one rank,
// "save FILE" writes the pressure found last, f64 for every cell, for others to judge.
//
// The file, little-endian: 8 bytes "PEELSYS1", u32 nx, ny, nz, 0, f64 spacing; then f64 diagonal, east, north, up, b and u8 kind
// (0 no unknown, 1 liquid, 2 contact; 4 more in one cell of every sealed pocket), each nx ny nz long with x fastest. east, north,
// up are the entries of A towards the upper neighbour. A p + b = 0 in liquid, 0 <= p ⊥ A p + b >= 0 in contacts, both in 1/s; the
// interior stencil is (6, -1).
#pragma once
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

inline double wallSeconds() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

/** Of the whole process, all its threads together. */
inline double cpuSeconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

/** Largest resident memory so far (VmHWM), or the present one (VmRSS), in MB of 1e6 bytes. */
inline double memoryMb(const char* what) {
  FILE* file = fopen("/proc/self/status", "r");
  if (!file) return 0;
  char line[256];
  long kilobytes = 0;
  const size_t length = strlen(what);
  while (fgets(line, sizeof line, file))
    if (!strncmp(line, what, length) && line[length] == ':') kilobytes = atol(line + length + 1);
  fclose(file);
  return kilobytes * 1024 / 1e6;
}

/** Ends the process, and with it all ranks of an MPI run. */
[[noreturn]] inline void fail(const std::string& why) {
  fprintf(stderr, "%s\n", why.c_str());
  exit(1);
}

struct Box {
  int lower[3], upper[3];  // cells, both ends included
  long cells() const {
    long product = 1;
    for (int a = 0; a < 3; a++) product *= upper[a] - lower[a] + 1;
    return product;
  }
};

/** The planes z in [first, last) of a system, and one more on either side where there is one. */
struct System {
  int nx = 0, ny = 0, nz = 0;
  int first = 0, last = 0;  // planes that this process owns
  int held = 0;             // lowest plane in the arrays
  long unknowns = 0;        // of the whole system
  Box bounds{};             // of all unknowns
  std::vector<double> diagonal, east, north, up, b;
  std::vector<uint8_t> kind;
  std::vector<long> holdable;  // places of cells whose pressure a linear solver may hold at 0

  long plane() const { return long(nx) * ny; }
  /** Where cell (i, j, k) of the whole grid stands in the arrays. */
  long at(int i, int j, int k) const { return i + nx * (j + long(ny) * (k - held)); }
  long size() const { return long(kind.size()); }
};

/** `part` of `parts`: the unknowns' bounding box is cut into slabs of equally many planes, since a box is paid for by volume. */
inline System readSystem(const char* path, int part = 0, int parts = 1) {
  FILE* file = fopen(path, "rb");
  if (!file) fail(std::string(path) + " cannot be read.");
  char magic[8];
  uint32_t shape[4];
  double spacing;
  if (fread(magic, 8, 1, file) != 1 || memcmp(magic, "PEELSYS1", 8) || fread(shape, 16, 1, file) != 1 ||
      fread(&spacing, 8, 1, file) != 1)
    fail(std::string(path) + " is not a system file.");
  System s;
  s.nx = int(shape[0]);
  s.ny = int(shape[1]);
  s.nz = int(shape[2]);
  const long cells = s.plane() * s.nz, header = 32;
  const auto read = [&](void* to, long offset, long bytes) {
    if (fseek(file, offset, SEEK_SET) || fread(to, 1, bytes, file) != size_t(bytes)) fail(std::string(path) + " is truncated.");
  };

  // One plane at a time: no process needs all of them just to find the box.
  s.bounds = {{s.nx, s.ny, s.nz}, {-1, -1, -1}};
  std::vector<uint8_t> plane(s.plane());
  for (int k = 0; k < s.nz; k++) {
    read(plane.data(), header + 40 * cells + k * s.plane(), s.plane());
    for (int j = 0; j < s.ny; j++)
      for (int i = 0; i < s.nx; i++)
        if (plane[i + long(s.nx) * j]) {
          const int cell[3] = {i, j, k};
          s.unknowns++;
          for (int a = 0; a < 3; a++) {
            s.bounds.lower[a] = std::min(s.bounds.lower[a], cell[a]);
            s.bounds.upper[a] = std::max(s.bounds.upper[a], cell[a]);
          }
        }
  }
  if (s.unknowns == 0) fail(std::string(path) + " has no unknowns.");
  const int low = s.bounds.lower[2], deep = s.bounds.upper[2] - low + 1;
  s.first = parts == 1 ? 0 : low + int(long(deep) * part / parts);
  s.last = parts == 1 ? s.nz : low + int(long(deep) * (part + 1) / parts);
  s.held = std::max(0, s.first - 1);
  const long from = s.held * s.plane(), count = (std::min(s.nz, s.last + 1) - s.held) * s.plane();
  std::vector<double>* arrays[5] = {&s.diagonal, &s.east, &s.north, &s.up, &s.b};
  for (int n = 0; n < 5; n++) {
    arrays[n]->resize(count);
    read(arrays[n]->data(), header + 8 * (n * cells + from), 8 * count);
  }
  s.kind.resize(count);
  read(s.kind.data(), header + 40 * cells + from, count);
  for (long c = 0; c < count; c++)
    if (s.kind[c] & 4) {
      s.kind[c] &= 3;
      s.holdable.push_back(c);
    }
  fclose(file);
  return s;
}

/** (A p + b) of one cell; `c` is its place in the arrays. */
inline double rowValue(const System& s, const double* p, int i, int j, int k, long c) {
  double w = s.b[c] + s.diagonal[c] * p[c];
  const long sy = s.nx, sz = s.plane();
  if (i > 0) w += s.east[c - 1] * p[c - 1];
  if (i < s.nx - 1) w += s.east[c] * p[c + 1];
  if (j > 0) w += s.north[c - sy] * p[c - sy];
  if (j < s.ny - 1) w += s.north[c] * p[c + sy];
  if (k > 0) w += s.up[c - sz] * p[c - sz];
  if (k < s.nz - 1) w += s.up[c] * p[c + sz];
  return w;
}

/** Largest |min(w, a p)| over contacts and |w| over the other unknowns, of the planes this process owns; with `sticking`, |w|
 *  everywhere. NaN stays NaN. The planes of p beyond the owned ones must be current. */
inline double naturalResidual(const System& s, const std::vector<double>& p, bool sticking) {
  double largest = 0;
  for (int k = s.first; k < s.last; k++)
    for (int j = 0; j < s.ny; j++)
      for (int i = 0; i < s.nx; i++) {
        const long c = s.at(i, j, k);
        if (!s.kind[c]) continue;
        double w = rowValue(s, p.data(), i, j, k, c);
        if (s.kind[c] == 2 && !sticking && s.diagonal[c] * p[c] < w) w = s.diagonal[c] * p[c];
        if (!(std::fabs(w) <= largest) && !std::isnan(largest)) largest = std::fabs(w);
      }
  return largest;
}

/** What one solve is answered with. Times in seconds; fill is the copy of the system into the library's own matrix. */
struct Answer {
  double fill = 0, setup = 0, solve = 0, cpu = 0;
  int outer = 0, iterations = 0;
  double residual = NAN;
  double memory = 0;
  std::string note;  // empty, or what was out of the ordinary
};

inline std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  char text[40];
  snprintf(text, sizeof text, "%.9g", value);
  return text;
}

inline void sayReady(long unknowns, double loadedMb) {
  printf("{\"ready\":true,\"unknowns\":%ld,\"loadedMb\":%s}\n", unknowns, number(loadedMb).c_str());
  fflush(stdout);
}

inline void say(const Answer& a) {
  printf("{\"fill\":%s,\"setup\":%s,\"solve\":%s,\"wall\":%s,\"cpu\":%s,\"outer\":%d,\"iterations\":%d,\"residual\":%s,\"peakMb\":%s,\"note\":\"%s\"}\n",
         number(a.fill).c_str(), number(a.setup).c_str(), number(a.solve).c_str(), number(a.setup + a.solve).c_str(),
         number(a.cpu).c_str(), a.outer, a.iterations, number(a.residual).c_str(), number(a.memory).c_str(), a.note.c_str());
  fflush(stdout);
}

/** The next command, or "quit" at the end of the input. */
inline std::string nextCommand() {
  char line[256];
  if (!fgets(line, sizeof line, stdin)) return "quit";
  line[strcspn(line, "\r\n")] = 0;
  return line;
}

/** Whether the command was to save the pressure. */
inline bool savePressure(const std::string& command, const std::vector<double>& p) {
  if (command.rfind("save ", 0) != 0) return false;
  FILE* file = fopen(command.c_str() + 5, "wb");
  const bool written = file && fwrite(p.data(), 8, p.size(), file) == p.size();
  if (file) fclose(file);
  printf("{\"saved\":%s}\n", written ? "true" : "false");
  fflush(stdout);
  return true;
}
