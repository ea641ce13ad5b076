// Matrices without a grid over MPI: PETSc's SNESVI, the reduced-space active-set Newton method, with conjugate gradients and BoomerAMG
// inside and loose inner tolerances by Eisenstat and Walker.
#include <petscsnes.h>

#include "bridge.hpp"

using namespace bridge;

namespace {

// Kinds of rows, as in ../frames.ts.
constexpr uint8_t CONTACT = 1, GROUND = 255;
/** Of its diagonal: what holds a row in which a pocket without air is grounded. b is compatible there, so that a balanced pocket does not
 *  notice; in an expanding one the pull moves contacts towards letting go, and should be weak once one has. */
constexpr double GROUNDING = 1e-4;

struct Task {
  int64_t rows;
  double tolerance, innerTolerance;
  int32_t maxOuter, maxInner, warm, reserved;
  int64_t unused;
};
static_assert(sizeof(Task) == 48);

struct Share {
  int64_t rows, entries;
};

uint64_t padded(uint64_t bytes) { return (bytes + 7) / 8 * 8; }

uint64_t bytesOf(const Share& share) {
  return padded(4 * (share.rows + 1)) + padded(4 * share.entries) + 8 * share.entries + 16 * share.rows + padded(share.rows);
}

/** What the rank has of a problem. */
struct Part {
  Task task;
  Share share;
  uint32_t id;
  const int32_t *rowStart, *columns;
  const double *values, *b, *p;
  const uint8_t* kind;
  std::vector<double> diagonal;
  Mat A = nullptr, jacobian = nullptr;
  Vec right = nullptr;
  Statistics statistics;
  double pinned = 0;
};

double countBad(const Part& part) {
  double bad = 0;
  for (int64_t row = 0; row < part.share.rows; row++) bad += !std::isfinite(part.b[row]) || !std::isfinite(part.p[row]);
  for (int64_t at = 0; at < part.share.entries; at++) bad += !std::isfinite(part.values[at]);
  return total(bad);
}

PetscErrorCode assemble(Part& part) {
  const Share& share = part.share;
  PetscCall(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, PetscInt(share.rows), PetscInt(share.rows), PETSC_DETERMINE, PETSC_DETERMINE,
                                      part.rowStart, part.columns, part.values, &part.A));
  PetscCall(MatDuplicate(part.A, MAT_COPY_VALUES, &part.jacobian));
  PetscInt first, end;
  PetscCall(MatGetOwnershipRange(part.A, &first, &end));
  part.diagonal.assign(share.rows, 0);
  for (int64_t row = 0; row < share.rows; row++)
    for (int32_t at = part.rowStart[row]; at < part.rowStart[row + 1]; at++)
      if (part.columns[at] == first + row) part.diagonal[row] = part.values[at];
  for (int64_t row = 0; row < share.rows; row++)
    if (part.kind[row] == GROUND)
      PetscCall(MatSetValue(part.jacobian, PetscInt(first + row), PetscInt(first + row), GROUNDING * part.diagonal[row], ADD_VALUES));
  PetscCall(MatAssemblyBegin(part.jacobian, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(part.jacobian, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateVecs(part.A, nullptr, &part.right));
  PetscScalar* right;
  PetscCall(VecGetArray(part.right, &right));
  std::copy(part.b, part.b + share.rows, right);
  PetscCall(VecRestoreArray(part.right, &right));
  return 0;
}

PetscErrorCode evaluate(SNES, Vec x, Vec f, void* context) {
  const Part& part = *static_cast<Part*>(context);
  PetscCall(MatMultAdd(part.A, x, part.right, f));
  return 0;
}

PetscErrorCode keepMatrix(SNES, Vec, Mat, Mat, void*) { return 0; }

/** Our yardstick in place of PETSc's 2-norm: min(w, a p) in contacts. */
double naturalResidual(Part& part, const PetscScalar* p, const PetscScalar* w) {
  double most = 0, pinned = 0;
  for (int64_t row = 0; row < part.share.rows; row++) {
    const double scaled = part.diagonal[row] * p[row];
    const bool off = part.kind[row] == CONTACT && scaled < w[row];
    const double natural = std::fabs(off ? scaled : w[row]);
    pinned += off;
    if (!(natural <= most) && !std::isnan(most)) most = natural;
  }
  part.pinned = total(pinned);
  return largest(most);
}

PetscErrorCode test(SNES snes, PetscInt outer, PetscReal, PetscReal, PetscReal, SNESConvergedReason* reason, void* context) {
  Part& part = *static_cast<Part*>(context);
  Statistics& statistics = part.statistics;
  Vec x, f;
  const PetscScalar *p, *w;
  PetscInt inner;
  PetscCall(SNESGetSolution(snes, &x));
  PetscCall(SNESGetFunction(snes, &f, nullptr, nullptr));
  PetscCall(SNESGetLinearSolveIterations(snes, &inner));
  PetscCall(VecGetArrayRead(x, &p));
  PetscCall(VecGetArrayRead(f, &w));
  statistics.residual = naturalResidual(part, p, w);
  PetscCall(VecRestoreArrayRead(x, &p));
  PetscCall(VecRestoreArrayRead(f, &w));
  statistics.outer = outer;
  statistics.inner = inner;
  writeProgress(part.id, outer, statistics.residual, part.pinned, inner);
  *reason = SNES_CONVERGED_ITERATING;
  if (statistics.residual <= part.task.tolerance) *reason = SNES_CONVERGED_FNORM_ABS;
  else if (std::isnan(statistics.residual)) *reason = SNES_DIVERGED_FNORM_NAN;
  else if (isCancelled(part.id)) {
    statistics.cancelled = 1;
    *reason = SNES_CONVERGED_ITS;
  } else if (outer >= part.task.maxOuter || inner >= part.task.maxInner) *reason = SNES_DIVERGED_MAX_IT;
  KSP ksp;
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPSetTolerances(ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, std::max<PetscInt>(1, part.task.maxInner - inner)));
  return 0;
}

PetscErrorCode run(Part& part) {
  const double cpu = cpuSeconds();
  const double bad = countBad(part);
  if (bad > 0) {
    writeError(part.id, "bad-input", std::to_string(long(bad)) + " values are not finite");
    return 0;
  }
  PetscCall(assemble(part));
  Vec x, f, lower, upper;
  PetscCall(VecDuplicate(part.right, &x));
  PetscCall(VecDuplicate(part.right, &f));
  PetscCall(VecDuplicate(part.right, &lower));
  PetscCall(VecDuplicate(part.right, &upper));
  PetscCall(VecSet(upper, PETSC_INFINITY));
  PetscScalar *low, *start;
  PetscCall(VecGetArray(lower, &low));
  PetscCall(VecGetArray(x, &start));
  for (int64_t row = 0; row < part.share.rows; row++) {
    low[row] = part.kind[row] == CONTACT ? 0 : PETSC_NINFINITY;
    start[row] = part.kind[row] == CONTACT ? std::max(0.0, part.p[row]) : part.p[row];
  }
  PetscCall(VecRestoreArray(lower, &low));
  PetscCall(VecRestoreArray(x, &start));
  SNES snes;
  PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
  PetscCall(SNESSetFunction(snes, f, evaluate, &part));
  PetscCall(SNESSetJacobian(snes, part.jacobian, part.jacobian, keepMatrix, &part));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(SNESVISetVariableBounds(snes, lower, upper));
  PetscCall(SNESSetConvergenceTest(snes, test, &part, nullptr));
  PetscCall(SNESSolve(snes, nullptr, x));
  SNESConvergedReason reason;
  PetscCall(SNESGetConvergedReason(snes, &reason));
  if (reason < 0 && reason != SNES_DIVERGED_MAX_IT) {
    writeError(part.id, "no-convergence", std::string("PETSc says ") + SNESConvergedReasons[reason]);
  } else {
    const PetscScalar* p;
    PetscCall(VecGetArrayRead(x, &p));
    const std::vector<double> answer(p, p + part.share.rows);
    PetscCall(VecRestoreArrayRead(x, &p));
    part.statistics.unknowns = part.statistics.cells = double(part.task.rows);
    writeSolution(part.id, part.statistics, cpuSeconds() - cpu, answer);
  }
  PetscCall(SNESDestroy(&snes));
  for (Vec* vector : {&x, &f, &lower, &upper, &part.right}) PetscCall(VecDestroy(vector));
  for (Mat* matrix : {&part.A, &part.jacobian}) PetscCall(MatDestroy(matrix));
  return 0;
}

/** false if the frame makes no sense, so that nothing after it can be understood. */
bool solve(const Header& header) {
  Part part;
  part.id = header.id;
  std::vector<Share> shares(ranks);
  const uint64_t head = sizeof part.task + sizeof(Share) * ranks;
  if (header.length < head) return false;
  if (rank == 0) {
    readOrGiveUp(&part.task, sizeof part.task);
    readOrGiveUp(shares.data(), sizeof(Share) * ranks);
  }
  fromRoot(part.task);
  MPI_Bcast(shares.data(), int(sizeof(Share) * ranks), MPI_BYTE, 0, MPI_COMM_WORLD);
  std::vector<uint64_t> start(ranks + 1);
  for (int r = 0; r < ranks; r++) {
    const uint64_t most = header.length;
    if (shares[r].rows < 0 || shares[r].entries < 0 || uint64_t(shares[r].rows) > most || uint64_t(shares[r].entries) > most) return false;
    start[r + 1] = start[r] + bytesOf(shares[r]);
  }
  if (header.length != head + start[ranks]) return false;
  const std::vector<char> bytes = receiveShare(start);
  part.share = shares[rank];
  const char* at = bytes.data();
  const auto take = [&](uint64_t length) {
    const char* from = at;
    at += padded(length);
    return from;
  };
  part.rowStart = reinterpret_cast<const int32_t*>(take(4 * (part.share.rows + 1)));
  part.columns = reinterpret_cast<const int32_t*>(take(4 * part.share.entries));
  part.values = reinterpret_cast<const double*>(take(8 * part.share.entries));
  part.b = reinterpret_cast<const double*>(take(8 * part.share.rows));
  part.p = reinterpret_cast<const double*>(take(8 * part.share.rows));
  part.kind = reinterpret_cast<const uint8_t*>(take(part.share.rows));
  if (run(part) != 0) giveUp("PETSc has failed");
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  // No options from files: one of the current folder may come with any data, and options can load libraries.
  char skip[] = "-skip_petscrc";
  char* arguments[] = {argv[0], skip, nullptr};
  char** given = arguments;
  int count = 2;
  PetscCall(PetscInitialize(&count, &given, nullptr, nullptr));
  const char* options[][2] = {
      {"-snes_type", "vinewtonrsls"}, {"-snes_linesearch_type", "basic"},       {"-snes_max_it", "1000"},
      {"-snes_max_linear_solve_fail", "1000"}, {"-ksp_type", "cg"},             {"-pc_type", "hypre"},
      {"-pc_hypre_type", "boomeramg"}, {"-pc_hypre_boomeramg_relax_type_all", "symmetric-SOR/Jacobi"}, {"-snes_ksp_ew", nullptr},
      {"-snes_ksp_ew_version", "2"},
  };
  for (const auto& [name, value] : options) PetscCall(PetscOptionsSetValue(nullptr, name, value));
  int major, minor, patch;
  PetscCall(PetscGetVersionNumber(&major, &minor, &patch, nullptr));
  const std::string version = std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
  start(argc, argv, "\"library\":\"PETSc " + version + "\",\"indexBits\":" + std::to_string(8 * sizeof(PetscInt)));
  serve(solve);
  PetscCall(PetscFinalize());
  MPI_Finalize();
  return 0;
}
