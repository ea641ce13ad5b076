/** Two hundred kills of runs, and some dozens of exports and reproductions, at moments drawn at random over their whole lives. */
import { it } from 'vitest'
import { killExports, killReproductions, killRuns } from '../support/kills.js'
import { inTemporaryFolder } from './run.js'

const seed = 830412
const FLAT = ['run', 'andersen-dam-break', '--resolution', '12', '--threads', '1', '--frames', '24']
const SPACE = ['run', 'splash', '--resolution', '8', '--threads', '1', '--frames', '8']
/** Frames take long beside everything else, so that many kills fall between frame 0 and frame 1. */
const LONG_FRAMES = [
  'run',
  'splash',
  '--resolution',
  '16',
  '--threads',
  '1',
  '--frames',
  '2',
  '--set',
  'time.minSubsteps=64',
  '--set',
  'time.maxSubsteps=64',
]

it.each([
  ['in 2D', 80, [...FLAT, '--set', 'output.checkpointEvery=5']],
  ['in 2D with pictures', 40, [...FLAT, '--pictures', '--set', 'output.pictures.width=32', '--set', 'particles.method=apic']],
  ['in 3D with long frames', 40, LONG_FRAMES],
  ['in 3D with a band of particles', 40, [...SPACE, '--set', 'particles.band=3', '--set', 'output.checkpointEvery=3']],
])('a run %s killed at any moment goes on to the same bits', (_, kills, scene) =>
  inTemporaryFolder(folder => killRuns({ seed, kills, each: 5 }, folder, scene)),
)

it('an export killed at any moment is completed by the next', () =>
  inTemporaryFolder(folder => killExports({ seed, kills: 40, each: 3 }, folder)))

it('a reproduction killed at any moment goes on', () =>
  inTemporaryFolder(folder => killReproductions({ seed, kills: 20, each: 3 }, folder)))
