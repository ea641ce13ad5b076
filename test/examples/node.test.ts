/** Every example for Node, run as a reader runs it, with small sizes; what it prints is compared with theory. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { decode } from 'fast-png'
import { afterAll, describe, expect, it } from 'vitest'
import { cleanEnvironment, project, run, temporaryFolder } from '../setup/working-copy.js'
import { describeMp4 } from '../support/mp4-boxes.js'

const examples = join(project, 'examples')
const folders = readdirSync(examples).filter(name => /^\d/.test(name))
const temporary = temporaryFolder()
afterAll(() => temporary.dispose())

/** Runs a file of an example in a folder of its own, where its pictures go. */
async function runExample(file: string, ...args: (string | number)[]): Promise<{ text: string; folder: string }> {
  const folder = join(temporary.folder, file.replace(/\W/g, '-'))
  mkdirSync(folder, { recursive: true })
  const all = [join(examples, file), ...args.map(String)]
  const { code, stdout, stderr } = await run(process.execPath, all, { cwd: folder, env: cleanEnvironment(), timeout: 600_000 })
  expect(stderr).toBe('')
  expect(code).toBe(0)
  return { text: stdout, folder }
}

/** All numbers that follow a text, by the groups of a pattern. */
const numbersIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, ...groups]) => groups.map(Number))

function coloursOf(file: string): number {
  const { data, channels } = decode(readFileSync(file))
  const colours = new Set<number>()
  for (let at = 0; at < data.length; at += channels) colours.add(data[at] + 256 * data[at + 1] + 65536 * data[at + 2])
  return colours.size
}

describe('the folders', () => {
  it('are what the list of examples says', () => {
    const listed = [...readFileSync(join(examples, 'README.md'), 'utf8').matchAll(/^\| \[([^\]]+)\]/gm)].map(([, name]) => name)
    expect(folders.sort()).toEqual(listed.sort())
  })

  const versions = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
  it.each(folders)('%s explains itself and starts', folder => {
    const {
      type,
      private: isPrivate,
      scripts,
      dependencies,
    } = JSON.parse(readFileSync(join(examples, folder, 'package.json'), 'utf8'))
    expect({ type, isPrivate, peel: dependencies.peel }).toEqual({ type: 'module', isPrivate: true, peel: 'file:../..' })
    expect(scripts.prestart).toBe('node ../../scripts/setup.mjs')
    const file = /^node (\S+)$/.exec(scripts.start)?.[1] ?? 'index.html'
    expect(existsSync(join(examples, folder, file))).toBe(true)
    expect(readFileSync(join(examples, folder, 'README.md'), 'utf8')).toMatch(/^# [\s\S]*npm start[\s\S]*Expect /)
    // Copied out, they use the versions that they are tested with.
    for (const [name, version] of Object.entries(dependencies))
      if (name !== 'peel') expect(version).toBe(versions.devDependencies[name] ?? versions.dependencies[name])
  })

  it('start with npm', async () => {
    const { code, stdout } = await run('npm', ['start'], {
      cwd: join(examples, '2-let-go-of-a-ceiling'),
      env: cleanEnvironment(),
      timeout: 600_000,
    })
    expect(code).toBe(0)
    expect(stdout).toContain('separating walls: converged')
  })

  it('run elsewhere, where Peel is installed', async () => {
    const folder = join(temporary.folder, 'elsewhere')
    cpSync(join(examples, '4-own-solver'), folder, { recursive: true })
    mkdirSync(join(folder, 'node_modules'), { recursive: true })
    symlinkSync(project, join(folder, 'node_modules/peel'))
    const { code, stdout } = await run(process.execPath, ['main.mjs', '16'], { cwd: folder, env: cleanEnvironment() })
    expect(code).toBe(0)
    expect(stdout).toContain('accelerated-projection')
  })
})

describe('1-solve-a-problem', () => {
  // Reynolds: p' = 6 μ U R (h - h*) / h³ from the inlet to where the film tears, with h* the gap there and at the largest pressure.
  const gap = (angle: number) => 50e-6 * (1 + 0.5 * Math.cos(angle))
  const pressureAt = (end: number, torn: number) => {
    const count = 4000
    let sum = 0
    for (let n = 0; n < count; n++) {
      const h = gap((end * (n + 0.5)) / count)
      sum += (6 * 0.05 * 8 * 0.025 * (h - gap(torn)) * end) / count / h ** 3
    }
    return sum
  }
  let [low, high] = [Math.PI, 1.5 * Math.PI]
  while (high - low > 1e-9) {
    const middle = (low + high) / 2
    if (pressureAt(middle, middle) > 0) low = middle
    else high = middle
  }

  it('finds where the film tears, and the largest pressure, as an integral of the equation does', async () => {
    const { text } = await runExample('1-solve-a-problem/main.mjs', 719)
    expect(text).toContain('converged')
    const [[torn]] = numbersIn(text, /tears at ([\d.]+)°/g)
    expect(Math.abs(torn - (low * 180) / Math.PI)).toBeLessThan(0.6)
    const [[largest, at]] = numbersIn(text, /largest pressure ([\d.]+) MPa at ([\d.]+)°/g)
    expect(Math.abs(at - (360 - torn))).toBeLessThan(1)
    expect(largest * 1e6).toBeCloseTo(pressureAt(2 * Math.PI - low, low), -4)
  })
})

it('2-let-go-of-a-ceiling: sticking walls hold, separating walls let go', async () => {
  const { text } = await runExample('2-let-go-of-a-ceiling/main.mjs')
  const velocities = numbersIn(text, /velocity below the ceiling (\S+) m\/s/g).flat()
  expect(velocities[0]).toBeCloseTo(0, 4)
  expect(velocities[1]).toBeCloseTo(-0.0981, 4)
  const [[hanging], [falling]] = numbersIn(text, /pressure from (\S+) to/g)
  // Suction at the ceiling carries the weight of what hangs below it, about 0.18 m.
  expect(Math.abs(hanging + 1000 * 9.81 * 0.18)).toBeLessThan(100)
  expect(falling).toBe(0)
  expect(numbersIn(text, /(\d+) contacts separated/g).flat()).toEqual([0, 48])
})

it('3-scene-in-code: simulates and draws', async () => {
  const { text, folder } = await runExample('3-scene-in-code/main.mjs', 64, 6)
  expect(text).not.toContain('did not converge')
  expect(text).toContain('33 pegs')
  for (const [volume] of numbersIn(text, /volume ([\d.]+) m²/g)) expect(Math.abs(volume / 0.14 - 1)).toBeLessThan(0.05)
  expect(coloursOf(join(folder, 'out/board.png'))).toBeGreaterThan(500)
})

it('4-own-solver: agrees with the others, and momentum pays', async () => {
  const { text } = await runExample('4-own-solver/main.mjs', 32)
  const rows = numbersIn(text, /converged +(\d+) iterations, off by ([\d.]+) Pa/g)
  expect(rows).toHaveLength(4)
  for (const [, difference] of rows) expect(difference).toBeLessThan(0.01)
  expect(rows[3][0]).toBeLessThan(rows[2][0] / 4)
  expect(text.match(/^frame \d: \d+ iterations, converged$/gm)).toHaveLength(8)
})

it('5-own-force: a drop on a spring moves as theory says', async () => {
  const { text, folder } = await runExample('5-own-force/main.mjs', 20)
  const rows = numbersIn(text, /^([\d.]+) s ([\d.]+) m +([\d.]+) m$/gm)
  expect(rows.map(([time]) => time)).toEqual([0.125, 0.25, 0.375, 0.5, 0.625, 0.75])
  const ahead = (0.25 * 2 * Math.PI) / 2 / 48
  for (const [time, centre, theory] of rows) {
    expect(theory).toBeCloseTo(0.5 + 0.25 * Math.cos(2 * Math.PI * time), 2)
    expect(Math.abs(centre - theory)).toBeLessThan(1.2 * ahead)
  }
  expect(coloursOf(join(folder, 'out/drop.png'))).toBeGreaterThan(500)
})

describe('6-video-service', () => {
  const scene = {
    version: 1,
    domain: { size: [1, 1], resolution: 16 },
    liquid: [{ shape: 'box', min: [0, 0], max: [0.5, 0.5] }],
    time: { frames: 3, fps: 20 },
  }

  it('answers with videos, with sentences for mistakes, and survives clients that hang up', async () => {
    const server = spawn(process.execPath, [join(examples, '6-video-service/server.mjs')], {
      env: { ...cleanEnvironment(), PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      const [line] = await once(server.stdout, 'data')
      const address = /http:\/\/[\d.:]+\//.exec(String(line))![0]
      const get = (path: string, init?: RequestInit) => fetch(address + path, init)
      const send = (body: string) => get('', { method: 'POST', body })

      const posted = await send(JSON.stringify(scene))
      expect([posted.status, posted.headers.get('content-type')]).toEqual([200, 'video/mp4'])
      const video = describeMp4(new Uint8Array(await posted.arrayBuffer()))
      expect(video).toMatchObject({ frames: 4, width: 480, height: 480 })
      expect(video.seconds).toBeCloseTo(0.2, 2)

      const hangUp = new AbortController()
      const long = get('splash?resolution=40&frames=200', { signal: hangUp.signal })
      setTimeout(() => hangUp.abort(), 300)
      await expect(long).rejects.toThrow()

      const shipped = await get('lai-circle?resolution=16&frames=2')
      expect(describeMp4(new Uint8Array(await shipped.arrayBuffer())).frames).toBe(3)

      for (const [answer, reason] of [
        [await get('../package'), /There is no scene "package"/],
        [await get('%2e%2e%2fpackage'), /There is no scene/],
        [await get('splash?resolution=500'), /cells; this service accepts/],
        [await get('splash?frames=many'), /time\.frames must be/],
        [await send('{'), /not JSON/],
        [await send('{"version": 1}'), /domain is missing/],
        [await send(JSON.stringify({ ...scene, solver: { name: 'cluster' } })), /Unknown solver|must not be cluster/],
        [await send(' '.repeat(1_100_000)), /more than 1000000 bytes/],
      ] as const) {
        expect(answer.status).toBe(400)
        expect(await answer.text()).toMatch(reason)
      }
    } finally {
      server.kill()
    }
  })
})
