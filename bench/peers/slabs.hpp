// hypre over one or several ranks: every rank holds a slab of planes. The struct grid is the bounding box of the unknowns.
#pragma once
#include <HYPRE.h>
#include <HYPRE_struct_ls.h>
#include <mpi.h>
#include <unistd.h>

#include "../../src/cluster/drivers/ranks.hpp"
#include "system.hpp"

struct Ranks {
  int rank = 0, count = 1;
};

/** Makes the planes next to a slab current. */
template <class T>
void exchangePlanes(const System& s, Ranks r, std::vector<T>& field) {
  const long bytes = s.plane() * sizeof(T);
  T* data = field.data();
  const int below = r.rank > 0 ? r.rank - 1 : MPI_PROC_NULL, above = r.rank < r.count - 1 ? r.rank + 1 : MPI_PROC_NULL;
  T* firstOwn = data + s.at(0, 0, s.first);
  T* lastOwn = data + s.at(0, 0, s.last - 1);
  MPI_Sendrecv(firstOwn, bytes, MPI_BYTE, below, 1, lastOwn + s.plane(), bytes, MPI_BYTE, above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(lastOwn, bytes, MPI_BYTE, above, 2, firstOwn - s.plane(), bytes, MPI_BYTE, below, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/** Rank 0 listens, the others sleep: MPI's own waiting would take the core from the contender whose turn it is. */
inline std::string commandForAll(Ranks r) {
  char text[256] = {0};
  if (r.rank == 0) snprintf(text, sizeof text, "%s", nextCommand().c_str());
  MPI_Request request;
  MPI_Ibcast(text, sizeof text, MPI_CHAR, 0, MPI_COMM_WORLD, &request);
  for (int done = 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE), !done;) usleep(2000);
  return text;
}

/** The part of the bounding box that this rank owns. */
inline Box ownBox(const System& s) {
  Box box = s.bounds;
  box.lower[2] = std::max(box.lower[2], s.first);
  box.upper[2] = std::min(box.upper[2], s.last - 1);
  return box;
}

template <class Visit>
void forCells(const System& s, const Box& box, Visit visit) {
  long n = 0;
  for (int k = box.lower[2]; k <= box.upper[2]; k++)
    for (int j = box.lower[1]; j <= box.upper[1]; j++)
      for (int i = box.lower[0]; i <= box.upper[0]; i++, n++) visit(n, s.at(i, j, k), i, j, k);
}

/** Grid, stencil, matrix and the two vectors on the box. Values are passed plane by plane, so that the buffer does not count. */
struct StructSystem {
  Box box;
  HYPRE_StructGrid grid;
  HYPRE_StructStencil stencil;
  HYPRE_StructMatrix A;
  HYPRE_StructVector rhs, x;
  std::vector<double> values;  // of one plane, 4 per cell

  StructSystem(const System& s) : box(ownBox(s)), values(4 * box.cells() / (box.upper[2] - box.lower[2] + 1)) {
    HYPRE_StructGridCreate(MPI_COMM_WORLD, 3, &grid);
    HYPRE_StructGridSetExtents(grid, box.lower, box.upper);
    HYPRE_StructGridAssemble(grid);
    int offsets[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    HYPRE_StructStencilCreate(3, 4, &stencil);
    for (int e = 0; e < 4; e++) HYPRE_StructStencilSetElement(stencil, e, offsets[e]);
    HYPRE_StructMatrixCreate(MPI_COMM_WORLD, grid, stencil, &A);
    HYPRE_StructMatrixSetSymmetric(A, 1);
    HYPRE_StructMatrixInitialize(A);
    for (HYPRE_StructVector* v : {&rhs, &x}) {
      HYPRE_StructVectorCreate(MPI_COMM_WORLD, grid, v);
      HYPRE_StructVectorInitialize(*v);
    }
  }
  ~StructSystem() {
    HYPRE_StructVectorDestroy(x);
    HYPRE_StructVectorDestroy(rhs);
    HYPRE_StructMatrixDestroy(A);
    HYPRE_StructStencilDestroy(stencil);
    HYPRE_StructGridDestroy(grid);
  }
  StructSystem(const StructSystem&) = delete;

  /** Calls `use` with every plane of the box and the number of its first cell. */
  template <class Use>
  void forPlanes(Use use) {
    for (int k = box.lower[2]; k <= box.upper[2]; k++) {
      Box plane = box;
      plane.lower[2] = plane.upper[2] = k;
      use(plane, plane.cells() * (k - box.lower[2]));
    }
  }

  /** Rows that are `off` (cells without unknown, pinned contacts) become the identity, without links to others. */
  template <class Off>
  void setMatrix(const System& s, Off off) {
    int entries[4] = {0, 1, 2, 3};
    const Box& all = s.bounds;
    forPlanes([&](Box& plane, long) {
      forCells(s, plane, [&](long n, long c, int i, int j, int k) {
        double* v = &values[4 * n];
        const bool here = !off(c);
        v[0] = here ? s.diagonal[c] : 1;
        v[1] = here && i < all.upper[0] && !off(c + 1) ? s.east[c] : 0;
        v[2] = here && j < all.upper[1] && !off(c + s.nx) ? s.north[c] : 0;
        v[3] = here && k < all.upper[2] && !off(c + s.plane()) ? s.up[c] : 0;
      });
      HYPRE_StructMatrixSetBoxValues(A, plane.lower, plane.upper, 4, entries, values.data());
    });
    HYPRE_StructMatrixAssemble(A);
  }

  /** Right-hand side from the number of a cell in the box and its place in the system; x = 0. */
  template <class Value>
  void setVectors(const System& s, Value value) {
    forPlanes([&](Box& plane, long first) {
      forCells(s, plane, [&](long n, long c, int, int, int) { values[n] = value(first + n, c); });
      HYPRE_StructVectorSetBoxValues(rhs, plane.lower, plane.upper, values.data());
    });
    HYPRE_StructVectorAssemble(rhs);
    HYPRE_StructVectorSetConstantValues(x, 0);
    HYPRE_StructVectorAssemble(x);
  }

  template <class Use>
  void readSolution(const System& s, Use use) {
    forPlanes([&](Box& plane, long) {
      HYPRE_StructVectorGetBoxValues(x, plane.lower, plane.upper, values.data());
      forCells(s, plane, [&](long n, long c, int, int, int) { use(c, values[n]); });
    });
  }
};

constexpr const char* ROBUST_NOTE = "Jacobi relaxation, since red-black broke down";
constexpr const char* BROKEN_NOTE = "broke down";

/** Conjugate gradients preconditioned by one PFMG cycle, as fast as we know to set them. */
struct PfmgCg {
  HYPRE_StructSolver cg, pfmg;

  /** `robust`: weighted Jacobi with Galerkin coarse operators. Red-black forces others, which can break down at thin passages. */
  PfmgCg(StructSystem& on, double relative, double absolute, int maxIterations, bool robust) {
    HYPRE_StructPCGCreate(MPI_COMM_WORLD, &cg);
    HYPRE_StructPCGSetTol(cg, relative);
    HYPRE_StructPCGSetAbsoluteTol(cg, absolute);
    HYPRE_StructPCGSetTwoNorm(cg, 1);
    HYPRE_StructPCGSetMaxIter(cg, maxIterations);
    HYPRE_StructPCGSetLogging(cg, 1);
    HYPRE_StructPFMGCreate(MPI_COMM_WORLD, &pfmg);
    HYPRE_StructPFMGSetMaxIter(pfmg, 1);
    HYPRE_StructPFMGSetTol(pfmg, 0);
    HYPRE_StructPFMGSetZeroGuess(pfmg);
    HYPRE_StructPFMGSetRelaxType(pfmg, robust ? 1 : 2);
    HYPRE_StructPFMGSetRAPType(pfmg, 0);
    HYPRE_StructPFMGSetNumPreRelax(pfmg, 1);
    HYPRE_StructPFMGSetNumPostRelax(pfmg, 1);
    HYPRE_StructPFMGSetSkipRelax(pfmg, 1);
    HYPRE_StructPCGSetPrecond(cg, HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup, pfmg);
    HYPRE_StructPCGSetup(cg, on.A, on.rhs, on.x);
  }
  ~PfmgCg() {
    HYPRE_StructPCGDestroy(cg);
    HYPRE_StructPFMGDestroy(pfmg);
  }
  PfmgCg(const PfmgCg&) = delete;

  /** Iterations taken; −1 if conjugate gradients broke down or did not get there. */
  int solve(StructSystem& on) {
    HYPRE_StructPCGSolve(cg, on.A, on.rhs, on.x);
    int iterations = 0;
    HYPRE_StructPCGGetNumIterations(cg, &iterations);
    const bool broken = anywhere(HYPRE_GetError() != 0);
    HYPRE_ClearAllErrors();
    return broken ? -1 : iterations;
  }
};

/** Starts MPI and hypre, reads the system, and answers commands until told to quit. */
template <class Driver>
int runDriver(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  HYPRE_Init();
  Ranks ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &ranks.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks.count);
  if (argc < 3) fail("Needed: a system file and a tolerance in 1/s.");
  {
    Driver driver(readSystem(argv[1], ranks.rank, ranks.count), ranks, atof(argv[2]));
    const double loaded = total(memoryMb("VmRSS"));
    if (ranks.rank == 0) sayReady(driver.system.unknowns, loaded);
    for (std::string command; (command = commandForAll(ranks)) != "quit";) {
      if (ranks.count == 1 && savePressure(command, driver.p)) continue;
      Answer answer = driver.solve();
      answer.memory = total(memoryMb("VmHWM"));
      if (ranks.rank == 0) say(answer);
    }
  }
  HYPRE_Finalize();
  MPI_Finalize();
  return 0;
}
