// Pressure problems on grids over MPI: an active-set loop around hypre's conjugate gradients with PFMG. Each rank has the tiles that the
// parent has given it, as boxes; halo exchange, multigrid and reductions are hypre's. Each outer step pins the contacts where the liquid
// lets go, sets PFMG up anew if that set has changed, and solves loosely for a correction.
#include <HYPRE.h>
#include <HYPRE_struct_ls.h>

#include "tiles.hpp"

using namespace bridge;

namespace {

constexpr int MAX_INNER = 200;
/** Residuals this many times the largest one there was at the start do not come back. */
constexpr double DIVERGED = 100;

// Kinds of cells, as in ../frames.ts. Between CONTACT and GROUND: contacts of an expanding pocket, which must keep one pinned.
constexpr uint8_t CONTACT = 1, FIRST_GUARDED = 2, GROUND = 255;

/** Cells that are no part of a symmetric M-matrix of finite numbers. hypre does not look, and a maximum hides a NaN. */
double countBad(const Part& part) {
  double bad = 0;
  for (long c = 0; c < part.cells; c++) {
    double sum = part.diagonal[c] + part.b[c] + part.p[c];
    bool wrong = part.diagonal[c] < 0;
    for (const auto& link : part.links) {
      sum += link[c];
      wrong |= link[c] > 0;
    }
    bad += wrong || !std::isfinite(sum);
  }
  return total(bad);
}

/** hypre's view of the part: the matrix A, the matrix of a pinned set, and vectors. */
struct Structure {
  const Part& part;
  int dims;
  HYPRE_StructGrid grid;
  HYPRE_StructStencil stencil;
  HYPRE_StructMatrix A, pinned, neighbours;
  HYPRE_StructVector x, y;
  std::vector<double> entries;

  explicit Structure(const Part& given) : part(given), dims(given.task.shape[2] > 1 ? 3 : 2), entries((dims + 1) * given.cells) {
    HYPRE_StructGridCreate(MPI_COMM_WORLD, dims, &grid);
    for (const Box& box : part.boxes) HYPRE_StructGridSetExtents(grid, const_cast<int*>(box.low), const_cast<int*>(box.high));
    HYPRE_StructGridAssemble(grid);
    int offsets[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    HYPRE_StructStencilCreate(dims, dims + 1, &stencil);
    for (int entry = 0; entry <= dims; entry++) HYPRE_StructStencilSetElement(stencil, entry, offsets[entry]);
    for (auto* matrix : {&A, &pinned, &neighbours}) HYPRE_StructMatrixCreate(MPI_COMM_WORLD, grid, stencil, matrix);
    for (auto matrix : {A, pinned}) {
      HYPRE_StructMatrixSetSymmetric(matrix, 1);
      HYPRE_StructMatrixInitialize(matrix);
    }
    // Applied to flags, its powers of two tell which upper neighbours have them: no halo code of our own.
    int all[4] = {0, 1, 2, 3};
    double powers[4] = {0, 1, 2, 4};
    HYPRE_StructMatrixSetConstantEntries(neighbours, dims + 1, all);
    HYPRE_StructMatrixInitialize(neighbours);
    HYPRE_StructMatrixSetConstantValues(neighbours, dims + 1, all, powers);
    HYPRE_StructMatrixAssemble(neighbours);
    for (auto* vector : {&x, &y}) {
      HYPRE_StructVectorCreate(MPI_COMM_WORLD, grid, vector);
      HYPRE_StructVectorInitialize(*vector);
      HYPRE_StructVectorAssemble(*vector);
    }
  }
  ~Structure() {
    for (auto matrix : {A, pinned, neighbours}) HYPRE_StructMatrixDestroy(matrix);
    for (auto vector : {x, y}) HYPRE_StructVectorDestroy(vector);
    HYPRE_StructStencilDestroy(stencil);
    HYPRE_StructGridDestroy(grid);
  }

  /** `entry(cell, e)`: the diagonal for e = 0, else the link to the upper neighbour along axis e − 1. */
  template <class Entry>
  void fill(HYPRE_StructMatrix matrix, Entry entry) {
    for (long c = 0; c < part.cells; c++)
      for (int e = 0; e <= dims; e++) entries[(dims + 1) * c + e] = entry(c, e);
    int all[4] = {0, 1, 2, 3};
    for (const Box& box : part.boxes)
      HYPRE_StructMatrixSetBoxValues(matrix, const_cast<int*>(box.low), const_cast<int*>(box.high), dims + 1, all,
                                     &entries[(dims + 1) * box.first]);
    HYPRE_StructMatrixAssemble(matrix);
  }
  void put(HYPRE_StructVector vector, std::vector<double>& values) {
    for (const Box& box : part.boxes)
      HYPRE_StructVectorSetBoxValues(vector, const_cast<int*>(box.low), const_cast<int*>(box.high), &values[box.first]);
  }
  void get(HYPRE_StructVector vector, std::vector<double>& values) {
    for (const Box& box : part.boxes)
      HYPRE_StructVectorGetBoxValues(vector, const_cast<int*>(box.low), const_cast<int*>(box.high), &values[box.first]);
  }
};

int keepSetup(HYPRE_StructSolver, HYPRE_StructMatrix, HYPRE_StructVector, HYPRE_StructVector) { return 0; }

/** Conjugate gradients with PFMG for the matrix of the pinned set as it is now. */
struct InnerSolver {
  Structure& on;
  HYPRE_StructSolver cg, mg;

  /** Red-black sweeps are fastest, but force coarse matrices that may lose a thin passage; `robust` ones are Galerkin products. */
  InnerSolver(Structure& structure, const Task& task, bool robust) : on(structure) {
    HYPRE_StructPFMGCreate(MPI_COMM_WORLD, &mg);
    HYPRE_StructPFMGSetMaxIter(mg, 1);
    HYPRE_StructPFMGSetTol(mg, 0);
    HYPRE_StructPFMGSetZeroGuess(mg);
    HYPRE_StructPFMGSetRelaxType(mg, robust ? 1 : 2);
    HYPRE_StructPFMGSetRAPType(mg, 0);
    HYPRE_StructPFMGSetNumPreRelax(mg, 1);
    HYPRE_StructPFMGSetNumPostRelax(mg, 1);
    HYPRE_StructPFMGSetSkipRelax(mg, 1);
    // Cells are cubes. Left to itself PFMG takes means over all cells of all boxes, so that the order of coarsening, and with it the number
    // of iterations, would depend on how the liquid is dealt out.
    double cubes[3] = {1, 1, 1};
    HYPRE_StructPFMGSetDxyz(mg, cubes);
    HYPRE_StructPFMGSetup(mg, on.pinned, on.y, on.x);
    HYPRE_StructPCGCreate(MPI_COMM_WORLD, &cg);
    HYPRE_StructPCGSetTol(cg, task.innerTolerance);
    HYPRE_StructPCGSetAbsoluteTol(cg, task.tolerance);
    HYPRE_StructPCGSetTwoNorm(cg, 1);
    HYPRE_StructPCGSetMaxIter(cg, MAX_INNER);
    HYPRE_StructPCGSetPrecond(cg, HYPRE_StructPFMGSolve, keepSetup, mg);
    HYPRE_StructPCGSetup(cg, on.pinned, on.y, on.x);
  }
  ~InnerSolver() {
    HYPRE_StructPFMGDestroy(mg);
    HYPRE_StructPCGDestroy(cg);
  }

  /** Returns its iterations, or −1 if it has failed on any rank. */
  int solve(std::vector<double>& rhs, std::vector<double>& result, int limit) {
    HYPRE_StructPCGSetMaxIter(cg, limit);
    on.put(on.y, rhs);
    HYPRE_StructVectorSetConstantValues(on.x, 0);
    HYPRE_ClearAllErrors();
    HYPRE_StructPCGSolve(cg, on.pinned, on.y, on.x);
    int iterations;
    HYPRE_StructPCGGetNumIterations(cg, &iterations);
    // Not to converge is an error to hypre. Before the limit it means that the preconditioner is not positive definite.
    const bool failed = HYPRE_GetError() & ~HYPRE_ERROR_CONV || (HYPRE_GetError() && iterations < limit);
    HYPRE_ClearAllErrors();
    on.get(on.x, result);
    bool finite = true;
    for (double value : result) finite &= std::isfinite(value);
    return anywhere(failed || !finite || iterations >= MAX_INNER) ? -1 : iterations;
  }
};

/** The active-set loop. */
struct Loop {
  Part& part;
  uint32_t id;
  Structure on;
  InnerSolver* inner = nullptr;
  Statistics statistics;
  std::vector<double> f, correction, flags;
  std::vector<uint8_t> off;  // no unknown, or pinned
  double pinnedCount = 0, highest = 0;
  bool robust = false;

  Loop(Part& given, uint32_t frame)
      : part(given), id(frame), on(given), f(given.cells), correction(given.cells), flags(given.cells), off(given.cells, 2) {}
  ~Loop() { delete inner; }

  bool isUnknown(long c) const { return part.diagonal[c] != 0; }
  bool isContact(long c) const { return part.kind[c] != 0 && part.kind[c] != GROUND; }

  /** f = A p + b. */
  void evaluate() {
    on.put(on.x, part.p);
    on.put(on.y, part.b);
    HYPRE_StructMatrixMatvec(1, on.A, on.x, 1, on.y);
    on.get(on.y, f);
  }

  double naturalResidual() const {
    double most = 0;
    for (long c = 0; c < part.cells; c++) {
      if (!isUnknown(c)) continue;
      const double scaled = part.diagonal[c] * part.p[c];
      const double natural = std::fabs(isContact(c) && scaled < f[c] ? scaled : f[c]);
      if (!(natural <= most) && !std::isnan(most)) most = natural;
    }
    return largest(most);
  }

  /** Contacts where the liquid lets go are pinned at p = 0. Returns whether the set has changed. */
  bool choosePinned() {
    const bool cold = statistics.outer == 0 && !part.task.warm;
    std::vector<uint8_t> chosen(part.cells);
    for (long c = 0; c < part.cells; c++)
      chosen[c] = !isUnknown(c) || (isContact(c) && (cold ? f[c] > 0 : part.diagonal[c] * part.p[c] < f[c]));
    guardPockets(chosen);
    double changes = 0, pins = 0, moved = 0;
    for (long c = 0; c < part.cells; c++) {
      changes += chosen[c] != off[c];
      off[c] = chosen[c];
      if (!isUnknown(c) || !off[c]) continue;
      pins++;
      moved += part.p[c] != 0;
      part.p[c] = 0;
    }
    pinnedCount = total(pins);
    if (total(moved) > 0) evaluate();
    return total(changes) > 0;
  }

  /** A pocket without air that its walls draw apart is singular unless one of its contacts has let go: the one most inclined to. */
  void guardPockets(std::vector<uint8_t>& chosen) {
    double last = 0;
    for (long c = 0; c < part.cells; c++)
      if (isContact(c)) last = std::max(last, double(part.kind[c]));
    last = largest(last);
    for (int pocket = FIRST_GUARDED; pocket <= last; pocket++) {
      bool pinned = false;
      double best = -INFINITY;
      for (long c = 0; c < part.cells; c++) {
        if (part.kind[c] != pocket) continue;
        pinned |= chosen[c] != 0;
        best = std::max(best, f[c] - part.diagonal[c] * part.p[c]);
      }
      if (anywhere(pinned)) continue;
      double most;
      MPI_Allreduce(&best, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      pinFirst(chosen, pocket, most);
    }
  }

  /** Of equals the first of the grid, whatever rank has it, so that the answer does not depend on their number. */
  void pinFirst(std::vector<uint8_t>& chosen, int pocket, double inclination) {
    double first = INFINITY, lowest;
    long mine = -1;
    for (const Box& box : part.boxes)
      for (int z = box.low[2]; z <= box.high[2]; z++)
        for (int y = box.low[1]; y <= box.high[1]; y++)
          for (int x = box.low[0]; x <= box.high[0]; x++) {
            const long c = box.at(x, y, z);
            if (part.kind[c] != pocket || f[c] - part.diagonal[c] * part.p[c] != inclination) continue;
            const double place = (double(z) * part.task.shape[1] + y) * part.task.shape[0] + x;
            if (place >= first) continue;
            first = place;
            mine = c;
          }
    MPI_Allreduce(&first, &lowest, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    if (mine >= 0 && first == lowest) chosen[mine] = 1;
  }

  /** Pinned rows become identities, and links to them vanish. A pocket without air is grounded in one cell: as b is compatible there, the
   *  correction is the exact one of A that is 0 in that cell. */
  void setUpInner() {
    for (long c = 0; c < part.cells; c++) flags[c] = off[c] ? 1 : 0;
    on.put(on.x, flags);
    HYPRE_StructVectorSetConstantValues(on.y, 0);
    HYPRE_StructMatrixMatvec(1, on.neighbours, on.x, 0, on.y);
    on.get(on.y, flags);
    on.fill(on.pinned, [&](long c, int e) {
      if (off[c]) return e == 0 ? 1.0 : 0.0;
      if (e == 0) return part.kind[c] == GROUND ? 2 * part.diagonal[c] : part.diagonal[c];
      return int(flags[c] + 0.5) & (1 << (e - 1)) ? 0.0 : part.links[e - 1][c];
    });
    delete inner;
    inner = new InnerSolver(on, part.task, robust);
    statistics.setups++;
  }

  /** Improves p. false if hypre has failed with both kinds of coarse matrices. */
  bool correct(bool changed) {
    for (;;) {
      if (changed || !inner) setUpInner();
      std::vector<double> rhs(part.cells);
      for (long c = 0; c < part.cells; c++) rhs[c] = off[c] ? 0 : -f[c];
      const int left = part.task.maxInner - int(statistics.inner);
      const int iterations = inner->solve(rhs, correction, std::min(MAX_INNER, left));
      if (iterations >= 0) {
        statistics.inner += iterations;
        for (long c = 0; c < part.cells; c++)
          if (!off[c]) part.p[c] += correction[c];
        return true;
      }
      if (robust) return false;
      robust = changed = true;
    }
  }

  /** Sends the answer, or why there is none. */
  void run() {
    const double cpu = cpuSeconds();
    const Task& task = part.task;
    const double bad = countBad(part);
    if (bad > 0) return writeError(id, "bad-input", std::to_string(long(bad)) + " cells are not finite or have a wrong sign");
    on.fill(on.A, [&](long c, int e) { return e == 0 ? (isUnknown(c) ? part.diagonal[c] : 1.0) : part.links[e - 1][c]; });
    for (long c = 0; c < part.cells; c++)
      if (isUnknown(c)) highest = std::max(highest, std::fabs(part.b[c]));
    highest = largest(highest);
    for (evaluate();; evaluate(), statistics.outer++) {
      const double residual = statistics.residual = naturalResidual();
      if (statistics.outer == 0) highest = std::max(highest, residual);
      writeProgress(id, statistics.outer, residual, pinnedCount, statistics.inner);
      const bool converged = residual <= task.tolerance;
      if (!converged && isCancelled(id)) statistics.cancelled = 1;
      if (converged || statistics.cancelled || statistics.outer >= task.maxOuter || statistics.inner >= task.maxInner) break;
      if (!(residual <= DIVERGED * highest)) {
        const char* why = std::isfinite(residual) ? "the residual has grown from %.1e to %.1e 1/s" : "the residual, %.1e at first, became %.1e";
        char text[100];
        snprintf(text, sizeof text, why, highest, residual);
        return writeError(id, "diverged", text);
      }
      if (!correct(choosePinned())) {
        char text[160];
        snprintf(text, sizeof text, "hypre failed with red-black and with Galerkin multigrid, the residual stands at %.1e 1/s", residual);
        return writeError(id, "no-convergence", text);
      }
    }
    double unknowns = 0;
    for (long c = 0; c < part.cells; c++) unknowns += isUnknown(c);
    statistics.unknowns = total(unknowns);
    statistics.cells = total(part.cells);
    statistics.boxes = total(part.boxes.size());
    statistics.robust = robust;
    writeSolution(id, statistics, cpuSeconds() - cpu, pack(part));
  }
};

/** false if the frame makes no sense, so that nothing after it can be understood. */
bool solve(const Header& header) {
  Part part;
  Task& task = part.task;
  if (header.length < sizeof task) return false;
  if (rank == 0) readOrGiveUp(&task, sizeof task);
  fromRoot(task);
  const auto padded = [](uint64_t bytes) { return (bytes + 7) / 8 * 8; };
  const uint64_t tableBytes = padded(12 * uint64_t(std::max(0, task.tiles)) + 4 * uint64_t(ranks + 1));
  if (std::min({task.shape[0], task.shape[1], task.shape[2]}) < 1) return false;
  if (task.tile < 1 || task.tile > 128 || task.tiles < 0 || header.length < sizeof task + tableBytes) return false;
  std::vector<char> table(tableBytes);
  if (rank == 0) readOrGiveUp(table.data(), tableBytes);
  MPI_Bcast(table.data(), int(tableBytes), MPI_BYTE, 0, MPI_COMM_WORLD);
  const Tile* tiles = reinterpret_cast<const Tile*>(table.data());
  const int32_t* first = reinterpret_cast<const int32_t*>(tiles + task.tiles);
  std::vector<uint64_t> start(ranks + 1);
  for (int r = 0; r < ranks; r++) {
    if (first[r] < 0 || first[r] > first[r + 1] || first[r + 1] > task.tiles) return false;
    start[r + 1] = start[r];
    for (int t = first[r]; t < first[r + 1]; t++) {
      if (tiles[t].isEmpty()) return false;
      start[r + 1] += recordBytes(task, tiles[t]);
    }
  }
  if (header.length != sizeof task + tableBytes + start[ranks]) return false;
  part.tiles.assign(tiles + first[rank], tiles + first[rank + 1]);
  layOut(part);
  unpack(part, receiveShare(start).data());
  Loop(part, header.id).run();
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  HYPRE_Init();
  start(argc, argv, "\"library\":\"hypre " HYPRE_RELEASE_VERSION "\",\"indexBits\":" + std::to_string(8 * sizeof(HYPRE_BigInt)));
  serve(solve);
  HYPRE_Finalize();
  MPI_Finalize();
  return 0;
}
