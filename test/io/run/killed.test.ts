/** A process that writes a run is killed at random moments; whatever it was doing, the run goes on where it was. */
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { openRun, readFrame, readRun } from '../../../src/io/index.js'
import { random } from '../../../src/random.js'
import { inTemporaryFolder } from '../../cli/run.js'

const CHILD = fileURLToPath(new URL('run-child.mjs', import.meta.url))
const KILLS = 14

/** Kills it `delay` ms after it has said `since`. Returns what the process said: the frame it went on from, and the last it had kept. */
function runAndKill(
  folder: string,
  mode: readonly string[],
  since: string,
  delay: number,
): Promise<{ opened: number | undefined; kept: number | undefined }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [CHILD, folder, ...mode], { stdio: ['ignore', 'pipe', 'inherit'] })
    let said = ''
    let timer: NodeJS.Timeout | undefined
    child.stdout.on('data', text => {
      said += text
      // Starting a process takes longer than writing many frames.
      if (said.includes(since)) timer ??= setTimeout(() => child.kill('SIGKILL'), delay)
    })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      if (signal !== 'SIGKILL') reject(new Error(`the process ended by itself with ${code}`))
      const numbers = (word: string) => [...said.matchAll(new RegExp(`${word} (-?\\d+)\\n`, 'g'))].map(match => Number(match[1]))
      resolve({ opened: numbers('open').at(-1), kept: numbers('kept').at(-1) })
    })
  })
}

const stateAfter = (frames: number) => {
  let state = new Float64Array(200_000)
  for (let index = 0; index <= frames; index++) state = state.map((value, at) => Math.sin(value + at + index))
  return state
}

it.each([
  ['by the caller', []],
  ['by a thread', ['threaded']],
])('killed again and again, a run written %s loses no frame that was kept and ends as if nothing had been', async (_, writer) => {
  await inTemporaryFolder(async parent => {
    const folder = join(parent, 'run')
    let kept = -1
    for (let trial = 0; trial < KILLS; trial++) {
      const mode = [trial === 0 ? 'new' : 'resume', ...writer]
      // In every other trial at least one frame is kept, however slow the machine.
      const outcome = await runAndKill(folder, mode, trial % 2 === 0 ? 'kept' : 'open', 150 * random(830412, trial))
      if (outcome.opened !== undefined) expect(outcome.opened).toBeGreaterThanOrEqual(kept)
      kept = Math.max(kept, outcome.kept ?? outcome.opened ?? -1)
      const { manifest, stats } = await readRun(folder)
      expect(manifest.frames.map(({ frame }) => frame)).toEqual(manifest.frames.map((_, at) => at))
      expect(manifest.frames.length - 1).toBeGreaterThanOrEqual(kept)
      expect(stats.length).toBe(manifest.frames.length)
    }
    const { run, resume, dropped, missing } = await openRun(folder)
    const last = resume!.frame
    expect(last).toBeGreaterThan(3)
    expect(last).toBeGreaterThanOrEqual(kept)
    expect(dropped).toEqual([])
    expect(missing).toEqual([])
    expect(resume!.checkpoint.arrays.get('state')).toEqual(stateAfter(last))
    const stored = await readRun(folder)
    for (let index = 0; index <= last; index++) {
      const frame = await readFrame(stored, index)
      expect(frame.liquid.every(value => value === index)).toBe(true)
    }
    expect(stored.stats.map(({ frame }) => frame)).toEqual(stored.manifest.frames.map(({ frame }) => frame))
    const everyFifth = stored.manifest.frames.map(({ frame }) => frame).filter(frame => frame > 0 && frame % 5 === 0)
    const expected = new Set([...everyFifth, last - 1, last])
    expect(new Set(readdirSync(join(folder, 'checkpoints')))).toEqual(
      new Set([...expected].map(frame => `${String(frame).padStart(6, '0')}.ckpt`)),
    )
    expect(readdirSync(join(folder, 'frames')).length).toBe(last + 1)
    await run.close()
    expect(readdirSync(folder).sort()).toEqual(['checkpoints', 'frames', 'manifest.json', 'scene.json', 'stats.ndjson'])
  })
})

it('a run that a living process writes is refused to others, and free when that was killed', async () => {
  await inTemporaryFolder(async parent => {
    const folder = join(parent, 'run')
    const child = spawn(process.execPath, [CHILD, folder, 'new'], { stdio: ['ignore', 'pipe', 'inherit'] })
    await new Promise(resolve => child.stdout.once('data', resolve))
    await expect(openRun(folder)).rejects.toThrow(
      `${folder} is being written by process ${child.pid}; stop it or choose another folder.`,
    )
    expect((await readRun(folder)).scene).toEqual({ name: 'tank' })
    child.kill('SIGKILL')
    await new Promise(resolve => child.once('close', resolve))
    await (await openRun(folder)).run.close()
  })
})
