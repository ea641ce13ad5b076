/** A Python with NumPy, for tests that read and write through NumPy itself. */
import { execFileSync } from 'node:child_process'

export const NUMPY_REQUIRED = process.env.PEEL_REQUIRE_NUMPY === '1'

export function findNumpyPython(): string | undefined {
  return ['python3', '/usr/bin/python3'].find(python => {
    try {
      execFileSync(python, ['-c', 'import numpy'], { stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  })
}
