/** Inputs that broke something once, each named after what went wrong. Fuzzing finds them by chance; here they stay. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { parseSceneFile } from '../../page/editor/open-files.js'
import { linkOf, stateOf } from '../../page/link/page-state.js'
import { liveOf, settingsFor } from '../../page/settings.js'
import { nearest } from '../../src/input-error.js'
import { joinParts } from '../../src/io/bytes/bytes.js'
import { formatContainer } from '../../src/io/bytes/container.js'
import { crc32 } from '../../src/io/bytes/crc32.js'
import { type JsonObject, parseJson } from '../../src/io/bytes/json.js'
import { parseHistories } from '../../src/io/formats/history.js'
import { createRun, openRun } from '../../src/io/run/directory.js'
import { checkTarget } from '../../src/io/run/export-record.js'
import { parseFrame } from '../../src/io/run/frame-file.js'
import { readRun } from '../../src/io/run/read.js'
import { loadScene } from '../../src/io/scene-file.js'
import { setScenePath } from '../../src/scene/overrides.js'
import { validateScene } from '../../src/scene/validate.js'
import { findSolver } from '../../src/solvers/registry.js'
import { laterRefusal, refusal } from '../io/refusal.js'
import { createFrame } from '../support/frames.js'

/** JSON of so many levels that functions which call themselves run out of stack. */
const DEEP = '{"a":['.repeat(100_000) + ']}'.repeat(100_000)

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'peel-hostile-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function newRun(path: string): Promise<void> {
  const about = { scene: { version: 1 }, seed: 1, versions: { peel: '0.1.0', scene: 1 }, engine: 'auto' }
  const run = await createRun(path, about)
  await run.keep({ frame: createFrame({ index: 0, shape: [4, 3] }), stats: {}, checkpoint: { header: {}, arrays: new Map() } })
  await run.close()
}

describe('JSON of 200 000 levels', () => {
  it('as a scene is refused', async () => {
    await inFolder(async folder => {
      const file = join(folder, 'deep.json')
      await writeFile(file, DEEP)
      expect(await laterRefusal(() => loadScene(file))).toContain('levels')
      await writeFile(file, `{"version":1,"liquid":${DEEP}}`)
      expect(await laterRefusal(() => loadScene(file, [['liquid', 1]]))).toContain('levels')
    })
    expect(refusal(() => validateScene(JSON.parse(DEEP)))).toContain('levels')
    expect(refusal(() => parseSceneFile(DEEP, 'deep.json'))).toContain('levels')
  })

  it('as the scene of a run ran out of stack', async () => {
    await inFolder(async folder => {
      await newRun(join(folder, 'run'))
      await writeFile(join(folder, 'run/scene.json'), DEEP)
      for (const action of [
        () => openRun(join(folder, 'run')),
        () => openRun(join(folder, 'run'), { expected: { scene: {}, seed: 1 } }),
      ])
        expect(await laterRefusal(action)).toContain('scene.json')
      await readRun(join(folder, 'run')).catch(error => expect(error.name).toBe('InputError'))
    })
  })

  it('in the manifest of a run ran out of stack', async () => {
    await inFolder(async folder => {
      await newRun(join(folder, 'run'))
      const { manifest } = await readRun(join(folder, 'run'))
      for (const key of ['versions', 'meshes', 'extra']) {
        const text = JSON.stringify({ format: 'peel-run', ...manifest, version: 1, [key]: 0 }).replace(
          `"${key}":0`,
          `"${key}":${DEEP}`,
        )
        await writeFile(join(folder, 'run/manifest.json'), text)
        expect(
          await laterRefusal(() => openRun(join(folder, 'run'), { expected: { scene: { version: 1 }, seed: 1 } })),
        ).toContain('manifest.json')
      }
    })
  })

  it('beside exported files ran out of stack', async () => {
    await inFolder(async folder => {
      await mkdir(join(folder, 'out'))
      const record = { run: {}, what: 'surface', format: 'ply' }
      for (const text of [
        DEEP,
        `{"format":"peel-export","version":1,"run":${DEEP},"exports":[]}`,
        `{"format":"peel-export","version":1,"exports":[${DEEP}]}`,
      ]) {
        await writeFile(join(folder, 'out/export.json'), text)
        expect(await laterRefusal(() => checkTarget(join(folder, 'out'), record, []))).toContain('export.json')
      }
    })
  })

  it('in a link ran out of stack when the page made a link of its own', () => {
    const scene = { version: 1 as const, domain: { size: [1, 1], resolution: 16 }, liquid: [] }
    const settings = settingsFor(scene, 'phone')
    const state = {
      scene: { shipped: 'splash' },
      settings,
      recording: { frame: 0, start: liveOf(settings), events: [] },
      look: 0,
    }
    // The same letters as formatLink would give, without its recursion.
    const bytes = new TextEncoder().encode(JSON.stringify(state).replace('"look":0', `"look":${DEEP}`))
    const sum = Buffer.alloc(4)
    sum.writeUInt32BE(crc32(bytes))
    const link = `#v1.${Buffer.concat([sum, deflateSync(bytes)]).toString('base64url')}`
    expect(refusal(() => linkOf(stateOf(link, settings)!))).toContain('The link is damaged')
  })

  it('as a history is refused', () => {
    expect(refusal(() => parseHistories(DEEP, 'h.json'))).toContain('h.json')
  })
})

it('brackets within texts are no levels', () => {
  for (const value of [{ a: '['.repeat(2000) }, ['\\', '"[{', '\\"['.repeat(999)], { [`${'{'.repeat(999)}\\"`]: [[], {}] }])
    expect(parseJson(JSON.stringify(value))).toEqual(value)
  expect(parseJson(`[${'[],'.repeat(5000)}[]]`)).toHaveLength(5001)
})

describe('a name of a megabyte', () => {
  const long = 'x'.repeat(2 ** 20)
  it('was printed in full, several times', () => {
    const scene = { version: 1 } as Record<string, unknown>
    for (const action of [
      () => setScenePath(scene, long, 1),
      () => validateScene({ version: 1, [long]: 1 }),
      () => validateScene({ version: 1, walls: long }),
    ])
      expect(wholeRefusal(action).length).toBeLessThan(5000)
  })

  it('was compared with every name that it could have been', () => {
    expect(nearest(long, ['splash'])).toBeUndefined()
  })
})

/** Of one line or more. */
function wholeRefusal(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    expect((error as Error).name).toBe('InputError')
    return (error as Error).message
  }
  return expect.fail('bad input was accepted')
}

it('lists of a scene were frozen by its check', () => {
  const gravity = [0, 1, 2].map(time => ({ time, value: [time, -9.81] }))
  const min = [0, 'x']
  const scene = { version: 1, domain: { size: [1, 1], resolution: 8 }, liquid: [] as unknown[], gravity }
  validateScene(scene)
  expect(Object.isFrozen(gravity)).toBe(false)
  wholeRefusal(() => validateScene({ ...scene, liquid: [{ shape: 'box', min, max: [1, 1] }] }))
  expect(Object.isFrozen(min)).toBe(false)
})

it('an object whose toString is none was asked for its text', () => {
  const odd = JSON.parse('{"toString":1,"valueOf":1}')
  const [prefix] = formatContainer({ kind: 'frame', version: 1, header: {}, sections: [] }).parts
  for (const content of [{ kind: odd }, { kind: 'frame', version: odd }]) {
    const text = JSON.stringify(content)
    const head = new TextEncoder().encode(text.padEnd(Math.ceil((20 + text.length) / 8) * 8 - 20))
    const start = prefix.slice()
    new DataView(start.buffer).setUint32(12, head.length, true)
    new DataView(start.buffer).setUint32(16, crc32(head), true)
    expect(refusal(() => parseFrame(joinParts([start, head]), 'f.bin'))).toContain('an object')
  }
  expect(refusal(() => findSolver('psor').create({ relaxation: odd }))).toContain('an object')
})

describe('keys that objects have anyway', () => {
  it.each(['__proto__', 'constructor', 'toString'])('%s changes nothing but what it names', async key => {
    const text = `{"version":1,"${key}":{"polluted":true},"domain":{"size":[1,1],"${key}":1}}`
    wholeRefusal(() => validateScene(JSON.parse(text)))
    wholeRefusal(() => setScenePath(JSON.parse('{}') as JsonObject, `${key}.polluted`, true))
    expect(({} as JsonObject).polluted).toBeUndefined()
  })
})
