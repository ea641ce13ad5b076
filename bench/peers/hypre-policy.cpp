// The complementarity problem (walls let go) on hypre: policy iteration around conjugate gradients with PFMG. Each outer step
// pins the contacts where the liquid lets go, sets PFMG up for the rows that are left when that set has changed, and solves
// loosely for a correction. Counts filling the matrix anew as set-up, and everything else of the loop as solve.
#include "slabs.hpp"

struct HyprePolicy {
  static constexpr double INNER_TOLERANCE = 1e-1;
  static constexpr int MAX_OUTER = 100, MAX_INNER = 200;

  System system;
  Ranks ranks;
  double tolerance;
  bool robust = false;
  std::vector<double> p;
  std::vector<double> f;     // A p + b, by number in the box
  std::vector<uint8_t> off;  // no unknown, or pinned

  HyprePolicy(System given, Ranks r, double t)
      : system(std::move(given)), ranks(r), tolerance(t), p(system.size()), f(ownBox(system).cells()), off(system.size()) {}

  /** f = A p + b; returns the natural residual. */
  double evaluate() {
    const System& s = system;
    exchangePlanes(s, ranks, p);
    double most = 0;
    forCells(s, ownBox(s), [&](long n, long c, int i, int j, int k) {
      if (!s.kind[c]) return;
      const double w = f[n] = rowValue(s, p.data(), i, j, k, c), scaled = s.diagonal[c] * p[c];
      const double natural = std::fabs(s.kind[c] == 2 && scaled < w ? scaled : w);
      if (!(natural <= most) && !std::isnan(most)) most = natural;
    });
    return largest(most);
  }

  /** Contacts where the liquid lets go are pinned at p = 0. Returns whether the set has changed. */
  bool choosePinned(bool first) {
    const System& s = system;
    bool changed = false, moved = false;
    forCells(s, ownBox(s), [&](long n, long c, int, int, int) {
      if (s.kind[c] != 2) return;
      const uint8_t pinned = first ? f[n] > 0 : s.diagonal[c] * p[c] < f[n];
      changed |= pinned != off[c];
      off[c] = pinned;
      if (pinned && p[c] != 0) {
        p[c] = 0;
        moved = true;
      }
    });
    if (anywhere(moved)) evaluate();
    changed = anywhere(changed);
    if (changed) exchangePlanes(s, ranks, off);
    return changed;
  }

  Answer solve() {
    Answer answer = once();
    if (answer.note != BROKEN_NOTE || robust) return answer;
    robust = true;
    return once();
  }

  Answer once() {
    const System& s = system;
    Answer answer;
    std::fill(p.begin(), p.end(), 0.0);
    for (long c = 0; c < s.size(); c++) off[c] = s.kind[c] == 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double t0 = wallSeconds();
    StructSystem on(s);
    answer.fill = wallSeconds() - t0;
    const double start = wallSeconds(), cpu = cpuSeconds();
    double setup = 0, firstFill = 0;
    PfmgCg* cg = nullptr;
    for (double residual = evaluate(); answer.outer < MAX_OUTER && residual > tolerance; residual = evaluate()) {
      const bool first = answer.outer++ == 0;
      const bool changed = choosePinned(first);
      const double t1 = wallSeconds();
      if (changed || !cg) {
        delete cg;
        on.setMatrix(s, [&](long c) { return off[c]; });
        if (first) firstFill = wallSeconds() - t1;
        on.setVectors(s, [&](long, long) { return 0; });
        cg = new PfmgCg(on, INNER_TOLERANCE, tolerance, MAX_INNER, robust);
        setup += wallSeconds() - t1;
      }
      on.setVectors(s, [&](long n, long c) { return off[c] ? 0 : -f[n]; });
      const int inner = cg->solve(on);
      answer.iterations += std::max(0, inner);
      bool finite = true;
      on.readSolution(s, [&](long c, double value) {
        finite &= std::isfinite(value);
        if (!off[c]) p[c] += value;
      });
      if (anywhere(!finite) || inner < 0) {
        answer.note = BROKEN_NOTE;
        break;
      }
    }
    delete cg;
    MPI_Barrier(MPI_COMM_WORLD);
    const double whole = wallSeconds() - start;
    answer.cpu = total(cpuSeconds() - cpu) - total(firstFill);
    answer.fill += firstFill;
    answer.setup = setup - firstFill;
    answer.solve = whole - setup;
    exchangePlanes(s, ranks, p);
    answer.residual = largest(naturalResidual(s, p, false));
    if (robust && answer.note.empty()) answer.note = ROBUST_NOTE;
    return answer;
  }
};

int main(int argc, char** argv) { return runDriver<HyprePolicy>(argc, argv); }
