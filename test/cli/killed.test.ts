/** Runs, exports and reproductions that are killed at any moment of their lives; many more in killed.slow.test.ts. */
import { join } from 'node:path'
import { it } from 'vitest'
import { killExports, killReproductions, killRuns } from '../support/kills.js'
import { inTemporaryFolder } from './run.js'

const seed = 20260712

it('a run killed at any moment, before its first frame too, goes on to the same bits', () =>
  inTemporaryFolder(async folder => {
    const flat = ['run', 'andersen-dam-break', '--resolution', '12', '--threads', '1', '--frames', '8', '--pictures']
    await killRuns({ seed, kills: 5, each: 3 }, join(folder, '2D'), [...flat, '--set', 'output.pictures.width=32'])
    const space = ['run', 'splash', '--resolution', '12', '--threads', '1', '--frames', '2', '--set', 'time.minSubsteps=30']
    await killRuns({ seed, kills: 4, each: 2 }, join(folder, '3D'), space)
  }))

it('an export killed at any moment is completed by the next, and leaves no temporary file', () =>
  inTemporaryFolder(folder => killExports({ seed, kills: 2, each: 1 }, folder)))

it('a reproduction likewise', () => inTemporaryFolder(folder => killReproductions({ seed, kills: 1, each: 1 }, folder)))
