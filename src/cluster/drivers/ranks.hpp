// Words for all ranks: what they agree on, and what they add up.
#pragma once
#include <mpi.h>

#include <cmath>

inline double largest(double value) {
  // MPI_MAX may drop a NaN, and a NaN must not look like convergence.
  double pair[2] = {std::isnan(value) ? 1.0 : 0.0, std::isnan(value) ? 0.0 : value}, all[2];
  MPI_Allreduce(pair, all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all[0] > 0 ? NAN : all[1];
}

inline double total(double value) {
  double sum;
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

inline bool anywhere(bool value) { return largest(value ? 1 : 0) > 0; }
