/** The flag of commands that simulate a scene. */
import { Option } from 'commander'
import { ENGINES } from '../../machine/engine-choice.js'

export function engineOption(): Option {
  return new Option('--engine <name>', 'engine of the whole simulation; portable: plain TypeScript (solver.engine)').choices([
    ...ENGINES,
  ])
}
