// Writes one system file, in a process of its own: assembling a large problem takes memory that the benchmark should not keep.
// Arguments: problem, cells per side, file.
import { scaledProblem, writeSystem } from './system-file.mjs'

const [name, size, path] = process.argv.slice(2)
try {
  writeSystem(path, scaledProblem(name, Number(size)))
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
