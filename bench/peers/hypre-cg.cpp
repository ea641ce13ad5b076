// The linear problem (walls stick) on hypre: conjugate gradients preconditioned by one PFMG cycle on the bounding box.
// hypre stops on the 2-norm. The first solve searches, outside the clock, for the loosest 2-norm target at which the largest
// residual is small enough, so that hypre neither stops too early nor works for nothing. One cell of every sealed pocket is held at
// p = 0, because PFMG breaks down on a singular matrix; the residual is judged in that cell, too.
#include "slabs.hpp"

struct HypreCg {
  System system;
  Ranks ranks;
  double tolerance;
  double target;  // 2-norm
  bool calibrated = false, robust = false;
  std::vector<double> p;
  std::vector<uint8_t> off;  // no unknown, or held

  HypreCg(System given, Ranks r, double t)
      : system(std::move(given)), ranks(r), tolerance(t), target(t * std::sqrt(double(system.unknowns)) / 2), p(system.size(), 0.0), off(system.size()) {
    for (long c = 0; c < system.size(); c++) off[c] = system.kind[c] == 0;
    for (long c : system.holdable) off[c] = 1;
  }

  Answer solve() {
    Answer answer = once();
    for (int attempt = 0; !calibrated && attempt < 30; attempt++) {
      if (answer.residual <= tolerance) calibrated = true;
      else if (answer.note == BROKEN_NOTE && robust) break;
      else if (answer.note == BROKEN_NOTE) robust = true;
      else target *= std::min(0.8, std::max(0.1, 0.9 * tolerance / answer.residual));
      if (!calibrated) answer = once();
    }
    return answer;
  }

  Answer once() {
    const System& s = system;
    Answer answer;
    MPI_Barrier(MPI_COMM_WORLD);
    const double t0 = wallSeconds();
    StructSystem on(s);
    on.setMatrix(s, [&](long c) { return off[c]; });
    on.setVectors(s, [&](long, long c) { return off[c] ? 0 : -s.b[c]; });
    MPI_Barrier(MPI_COMM_WORLD);
    const double t1 = wallSeconds(), cpu = cpuSeconds();
    {
      PfmgCg cg(on, 0, target, 500, robust);
      const double t2 = wallSeconds();
      const int taken = cg.solve(on);
      answer.iterations = answer.outer = std::max(0, taken);
      answer.note = taken < 0 ? BROKEN_NOTE : robust ? ROBUST_NOTE : "";
      on.readSolution(s, [&](long c, double value) { p[c] = off[c] ? 0 : value; });
      MPI_Barrier(MPI_COMM_WORLD);
      const double t3 = wallSeconds();
      answer.fill = t1 - t0;
      answer.setup = t2 - t1;
      answer.solve = t3 - t2;
    }
    answer.cpu = total(cpuSeconds() - cpu);
    exchangePlanes(s, ranks, p);
    answer.residual = largest(naturalResidual(s, p, true));
    if (!std::isfinite(answer.residual)) answer.note = BROKEN_NOTE;
    return answer;
  }
};

int main(int argc, char** argv) { return runDriver<HypreCg>(argc, argv); }
