// The complementarity problem (walls let go) on PETSc: SNESVI, the reduced-space active-set Newton method, with conjugate
// gradients and Eisenstat's SSOR inside and loose inner tolerances by Eisenstat and Walker. On one rank: that preconditioner has
// no parallel form.
#include <petscsnes.h>

#include "system.hpp"

namespace {

System s;
double tolerance;
std::vector<long> cellOf;  // of every row
Mat A;
Vec b;
std::vector<double> p;  // of every cell

PetscErrorCode evaluate(SNES, Vec x, Vec f, void*) {
  PetscCall(MatMultAdd(A, x, b, f));
  return 0;
}

PetscErrorCode keepMatrix(SNES, Vec, Mat, Mat, void*) { return 0; }

/** Our yardstick in place of PETSc's 2-norm: min(w, a p) in contacts. */
PetscErrorCode test(SNES snes, PetscInt iteration, PetscReal, PetscReal, PetscReal, SNESConvergedReason* reason, void*) {
  Vec x, f;
  const PetscScalar *px, *pf;
  PetscCall(SNESGetSolution(snes, &x));
  PetscCall(SNESGetFunction(snes, &f, nullptr, nullptr));
  PetscCall(VecGetArrayRead(x, &px));
  PetscCall(VecGetArrayRead(f, &pf));
  double most = 0;
  for (size_t row = 0; row < cellOf.size(); row++) {
    const long c = cellOf[row];
    double w = pf[row];
    if (s.kind[c] == 2) w = std::min(w, s.diagonal[c] * px[row]);
    if (!(std::fabs(w) <= most) && !std::isnan(most)) most = std::fabs(w);
  }
  PetscCall(VecRestoreArrayRead(x, &px));
  PetscCall(VecRestoreArrayRead(f, &pf));
  *reason = most <= tolerance ? SNES_CONVERGED_FNORM_ABS : std::isnan(most) ? SNES_DIVERGED_FNORM_NAN : SNES_CONVERGED_ITERATING;
  if (*reason == SNES_CONVERGED_ITERATING && iteration >= 100) *reason = SNES_DIVERGED_MAX_IT;
  return 0;
}

/** Rows in the order of the cells, as an SSOR sweep likes them. */
PetscErrorCode assemble() {
  std::vector<PetscInt> rowOf(s.size(), -1);
  cellOf.clear();
  for (long c = 0; c < s.size(); c++)
    if (s.kind[c]) {
      rowOf[c] = PetscInt(cellOf.size());
      cellOf.push_back(c);
    }
  const PetscInt rows = PetscInt(cellOf.size());
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, rows, rows, 7, nullptr, &A));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, rows, &b));
  const long strides[3] = {1, s.nx, s.plane()};
  const std::vector<double>* links[3] = {&s.east, &s.north, &s.up};
  for (PetscInt row = 0; row < rows; row++) {
    const long c = cellOf[row];
    PetscInt columns[7], count = 0;
    PetscScalar values[7];
    const auto add = [&](PetscInt column, double value) {
      if (value == 0) return;
      columns[count] = column;
      values[count++] = value;
    };
    for (int a = 2; a >= 0; a--)
      if (c >= strides[a] && rowOf[c - strides[a]] >= 0) add(rowOf[c - strides[a]], (*links[a])[c - strides[a]]);
    add(row, s.diagonal[c]);
    for (int a = 0; a < 3; a++)
      if (c + strides[a] < s.size() && rowOf[c + strides[a]] >= 0) add(rowOf[c + strides[a]], (*links[a])[c]);
    PetscCall(MatSetValues(A, 1, &row, count, columns, values, INSERT_VALUES));
    PetscCall(VecSetValue(b, row, s.b[c], INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(VecAssemblyBegin(b));
  PetscCall(VecAssemblyEnd(b));
  return 0;
}

PetscErrorCode solveOnce(Answer& answer) {
  const double t0 = wallSeconds();
  PetscCall(assemble());
  const double t1 = wallSeconds(), cpu = cpuSeconds();
  Vec x, f, lower, upper;
  PetscCall(VecDuplicate(b, &x));
  PetscCall(VecDuplicate(b, &f));
  PetscCall(VecDuplicate(b, &lower));
  PetscCall(VecDuplicate(b, &upper));
  PetscCall(VecSet(x, 0));
  PetscCall(VecSet(upper, PETSC_INFINITY));
  PetscScalar* low;
  PetscCall(VecGetArray(lower, &low));
  for (size_t row = 0; row < cellOf.size(); row++) low[row] = s.kind[cellOf[row]] == 2 ? 0 : PETSC_NINFINITY;
  PetscCall(VecRestoreArray(lower, &low));
  SNES snes;
  PetscCall(SNESCreate(PETSC_COMM_SELF, &snes));
  PetscCall(SNESSetFunction(snes, f, evaluate, nullptr));
  PetscCall(SNESSetJacobian(snes, A, A, keepMatrix, nullptr));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(SNESVISetVariableBounds(snes, lower, upper));
  PetscCall(SNESSetConvergenceTest(snes, test, nullptr, nullptr));
  // SNESSolve would do both by itself; here they can be timed apart.
  PetscCall(SNESSetSolution(snes, x));
  PetscCall(SNESSetUp(snes));
  const double t2 = wallSeconds();
  PetscCall(SNESSolve(snes, nullptr, x));
  const PetscScalar* px;
  PetscCall(VecGetArrayRead(x, &px));
  for (size_t row = 0; row < cellOf.size(); row++) p[cellOf[row]] = px[row];
  PetscCall(VecRestoreArrayRead(x, &px));
  const double t3 = wallSeconds();
  answer.fill = t1 - t0;
  answer.setup = t2 - t1;
  answer.solve = t3 - t2;
  answer.cpu = cpuSeconds() - cpu;
  PetscInt outer, inner;
  PetscCall(SNESGetIterationNumber(snes, &outer));
  PetscCall(SNESGetLinearSolveIterations(snes, &inner));
  answer.outer = int(outer);
  answer.iterations = int(inner);
  SNESConvergedReason reason;
  PetscCall(SNESGetConvergedReason(snes, &reason));
  if (reason < 0) answer.note = std::string("SNES says ") + SNESConvergedReasons[reason];
  answer.residual = naturalResidual(s, p, false);
  PetscCall(SNESDestroy(&snes));
  for (Vec* v : {&x, &f, &lower, &upper, &b}) PetscCall(VecDestroy(v));
  PetscCall(MatDestroy(&A));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) fail("Needed: a system file and a tolerance in 1/s.");
  const char* path = argv[1];
  tolerance = atof(argv[2]);
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  s = readSystem(path);
  const char* options[][2] = {
      {"-snes_type", "vinewtonrsls"},
      {"-snes_linesearch_type", "basic"},
      {"-snes_max_it", "100"},
      {"-snes_max_linear_solve_fail", "1000"},
      {"-ksp_type", "cg"},
      {"-pc_type", "eisenstat"},
      {"-pc_eisenstat_omega", std::max({s.nx, s.ny, s.nz}) >= 256 ? "1.9" : "1.85"},
      {"-snes_ksp_ew", nullptr},
      {"-snes_ksp_ew_version", "2"},
  };
  for (const auto& [name, value] : options) PetscCall(PetscOptionsSetValue(nullptr, name, value));
  p.assign(s.size(), 0.0);
  sayReady(s.unknowns, memoryMb("VmRSS"));
  for (std::string command; (command = nextCommand()) != "quit";) {
    if (savePressure(command, p)) continue;
    Answer answer;
    PetscCall(solveOnce(answer));
    answer.memory = memoryMb("VmHWM");
    say(answer);
  }
  PetscCall(PetscFinalize());
  return 0;
}
