/** Scenes, runs and links are data: they start no program and grant no right. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { runCommand } from '../../src/cli/commands/run.js'
import { clusterSolver } from '../../src/cluster/index.js'
import { hashScene, loadScene } from '../../src/io/index.js'
import { simulateScene } from '../../src/liquid/from-scene.js'
import { prepareScene } from '../../src/scene/prepare.js'
import { type Scene, sceneJsonSchema } from '../../src/scene/schema.js'
import { validateScene } from '../../src/scene/validate.js'
import { flagOf, isForHost } from '../../src/solvers/contract/data-limits.js'
import { addSolver, createSolver, solvers } from '../../src/solvers/registry.js'
import { inTemporaryFolder, peel } from '../cli/run.js'
import { createStandIns } from '../cluster/stand-ins.js'

addSolver(clusterSolver)
const standIns = createStandIns()
const mark = join(standIns.folder, 'was-started')
/** Leaves a mark when anything starts it, under a name that launchers and compilers have. */
const script = `#!/bin/sh\necho "$@" >> ${mark}\necho 'mpiexec (OpenRTE) 4.1.4'\nexit 1\n`
const program = standIns.script('mpiexec', script)
for (const name of ['mpicxx', 'srun', 'mpirun', 'pkg-config']) standIns.script(name, script)
const env = { PATH: `${standIns.folder}:${process.env.PATH}`, PEEL_CACHE: join(standIns.folder, 'cache') }

beforeEach(() => rmSync(mark, { force: true }))

const tank = (solver: object) => ({
  version: 1,
  domain: { size: [1, 1], resolution: 8 },
  liquid: [{ shape: 'box', min: [0, 0], max: [1, 0.4] }],
  time: { frames: 1 },
  solver,
})

const forHost = solvers.flatMap(entry =>
  Object.entries(entry.options)
    .filter(([, option]) => isForHost(entry, option))
    .map(([name, option]) => [entry.name, name, option.default] as const),
)

describe('options for the host alone', () => {
  it('are all free texts, and all of a solver that starts programs but for those that were opened', () => {
    for (const { options } of solvers)
      for (const [name, option] of Object.entries(options))
        if (option.type === 'text') expect(forHost.map(([, known]) => known)).toContain(name)
    const open = Object.keys(clusterSolver.options).filter(name => !forHost.some(([, known]) => known === name))
    expect(open).toEqual(['patience', 'fallback'])
  })

  it.each(forHost)('%s: %s is refused in a scene, by every way in, and the flag is named', async (solver, option, value) => {
    const given = tank({ name: solver, options: { [option]: value } })
    const flag = flagOf(option)
    const refusal = new RegExp(`solver\\.options\\.${option} must not be set by data.*use the flag ${flag},`)
    const host = { name: solver }
    expect(() => validateScene(given)).toThrow(refusal)
    expect(() => validateScene(given, 'The scene', host)).toThrow(refusal)
    // A scene that nobody has validated.
    const valid = validateScene(tank({}))
    const raw = { ...valid, solver: { ...valid.solver, ...given.solver } } as Scene
    expect(() => prepareScene(raw)).toThrow(refusal)
    await expect(async () => simulateScene({ scene: raw }, { host })).rejects.toThrow(refusal)
    await inTemporaryFolder(async folder => {
      const file = join(folder, 'scene.json')
      writeFileSync(file, JSON.stringify(given))
      await expect(loadScene(file, [], host)).rejects.toThrow(refusal)
    })
    expect(runCommand(() => {}).options.map(({ long }) => long)).toContain(flag)
    expect(JSON.stringify(sceneJsonSchema())).not.toContain(`"${option}"`)
  })

  it('are still for code to set', async () => {
    createSolver('cluster', { launcher: program, asRoot: true }).dispose()
    const options = { launcher: 'no-such-launcher', fallback: 'local' }
    const scene = validateScene(tank({}))
    for (const given of [{ solver: { name: 'cluster', options } }, { host: { name: 'cluster', options } }]) {
      const named = 'host' in given ? { ...scene, solver: { ...scene.solver, name: 'cluster' } } : scene
      const simulation = await simulateScene({ scene: named }, given)
      const { substeps } = await simulation.advance()
      simulation.dispose()
      expect(substeps[0].solve.note).toMatch(/solved it on this machine instead/)
    }
  })
})

describe('a solver that starts programs', () => {
  it('is not chosen by a scene, and is by the host', async () => {
    const given = tank({ name: 'cluster', options: { fallback: 'local' } })
    const refusal = /solver\.name must not be cluster in data.*--solver cluster/
    expect(() => validateScene(given)).toThrow(refusal)
    expect(() => validateScene(given, 'The scene', { name: 'nas-mgpcg' })).toThrow(refusal)
    const scene = validateScene(given, 'The scene', { name: 'cluster' })
    await expect(simulateScene({ scene })).rejects.toThrow(refusal)
  })
})

describe('the command line', () => {
  const evil = { name: 'cluster', options: { launcher: program, launcherArguments: '-c true', asRoot: true } }

  it.each([
    ['a launcher', evil, /solver\.options\.launcher must not be set by data.*--launcher/],
    ['the solver cluster alone', { name: 'cluster' }, /solver\.name must not be cluster in data.*--solver cluster/],
  ])('starts nothing for a scene that names %s', (_, solver, refusal) =>
    inTemporaryFolder(async folder => {
      const file = join(folder, 'scene.json')
      writeFileSync(file, JSON.stringify(tank(solver)))
      const output = join(folder, 'out')
      for (const args of [
        ['run', file, '-o', output],
        ['check', file],
      ]) {
        const { code, stderr } = await peel(args, { env })
        expect(stderr).toMatch(refusal)
        expect(code).toBe(1)
      }
      expect(existsSync(mark)).toBe(false)
      expect(existsSync(output)).toBe(false)
    }),
  )

  it('starts nothing for a run whose scene names a launcher', () =>
    inTemporaryFolder(async folder => {
      const file = join(folder, 'scene.json')
      writeFileSync(file, JSON.stringify(tank({})))
      const run = join(folder, 'run')
      expect((await peel(['run', file, '-o', run], { env })).code).toBe(0)
      const kept = JSON.parse(readFileSync(join(run, 'scene.json'), 'utf8'))
      // A run from elsewhere agrees with itself.
      const scene = { ...kept, solver: { ...kept.solver, ...evil } }
      writeFileSync(join(run, 'scene.json'), JSON.stringify(scene))
      const manifest = JSON.parse(readFileSync(join(run, 'manifest.json'), 'utf8'))
      writeFileSync(join(run, 'manifest.json'), JSON.stringify({ ...manifest, sceneHash: hashScene(scene) }))
      const target = join(folder, 'problems')
      const args = ['export', run, '--format', 'npz', '--what', 'problem', '--frames', '1', '-o', target]
      for (const more of [[], ['--solver', 'cluster']]) {
        const { code, stderr } = await peel([...args, ...more], { env })
        expect(stderr).toMatch(/solver\.options\.launcher must not be set by data/)
        expect(code).toBe(1)
      }
      expect(existsSync(mark)).toBe(false)
    }))

  it('sets what is for the host by flags, not with --set', () =>
    inTemporaryFolder(async folder => {
      const file = join(folder, 'scene.json')
      writeFileSync(file, JSON.stringify(tank({})))
      const bySet = await peel(['run', file, '-o', join(folder, 'a'), '--set', `solver.options.launcher=${program}`], { env })
      expect(bySet).toMatchObject({ code: 1, stderr: expect.stringMatching(/launcher/) })
      const alone = await peel(['run', file, '-o', join(folder, 'a'), '--launcher', program], { env })
      expect(alone.stderr).toMatch(/--launcher belongs to the solver "cluster"; add --solver cluster/)
      expect(existsSync(mark)).toBe(false)
      const args = ['run', file, '-o', join(folder, 'b'), '--solver', 'cluster', '--launcher', 'no-such', '--ranks', '2']
      const byFlags = await peel([...args, '--fallback', 'local'], { env: { PEEL_CACHE: env.PEEL_CACHE } })
      expect(byFlags.code, byFlags.stderr).toBe(0)
      // The run keeps what belongs to the scene, and no programs.
      const { solver } = JSON.parse(readFileSync(join(folder, 'b/scene.json'), 'utf8'))
      expect(solver).toMatchObject({ name: 'cluster', options: { fallback: 'local' } })
      expect(Object.keys(solver.options)).toEqual(['fallback'])
      const check = await peel(['check', join(folder, 'b/scene.json'), '--solver', 'cluster'], { env })
      expect(check.code, check.stderr).toBe(0)
    }))
})
