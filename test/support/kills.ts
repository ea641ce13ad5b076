/** Processes that are killed at moments drawn at random over their whole life. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { random } from '../../src/random.js'
import { digests, lastingContents } from './folders.js'

const PEEL = fileURLToPath(new URL('../cli/peel-built.mjs', import.meta.url))

interface Ended {
  readonly killed: boolean
  readonly code: number | null
  readonly stderr: string
}

/** Starts the command line, and kills it after so many ms unless it has ended by then. */
export function peelUntil(args: readonly string[], cwd: string, delay = Number.POSITIVE_INFINITY): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PEEL, ...args], { cwd, stdio: ['ignore', 'ignore', 'pipe'] })
    const timer = Number.isFinite(delay) ? setTimeout(() => child.kill('SIGKILL'), delay) : undefined
    let stderr = ''
    child.stderr.on('data', text => {
      stderr += text
    })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      resolve({ killed: signal === 'SIGKILL', code, stderr })
    })
  })
}

/** Seconds are not asserted, only used to draw moments: from the start of a process to its end. */
export async function lifeOf(args: readonly string[], cwd: string): Promise<number> {
  const began = performance.now()
  const { code, stderr } = await peelUntil(args, cwd)
  expect(code, stderr).toBe(0)
  return performance.now() - began
}

export interface KillPlan {
  readonly seed: number
  /** Processes that are killed, in all. */
  readonly kills: number
  /** Of them, how many at most of one run or export before it is finished. */
  readonly each: number
}

/** Kills `command(name)`, again and again, then lets it finish and calls `check(name)`. Two at a time. */
export async function killAtRandom(
  { seed, kills, each }: KillPlan,
  cwd: string,
  life: number,
  command: (name: string) => readonly string[],
  check: (name: string) => void,
): Promise<void> {
  console.log(`${kills} kills with seed ${seed}, lives of ${life.toFixed(0)} ms`)
  let done = 0
  let number = 0
  const chain = async () => {
    while (done < kills) {
      const at = number++
      const name = `killed-${at}`
      const moments: number[] = []
      for (let n = 0; n < each && done < kills; n++) {
        const moment = life * random(seed, at, n)
        moments.push(Math.round(moment))
        const { killed, code, stderr } = await peelUntil(command(name), cwd, moment)
        if (killed) done++
        else expect(code, `${stderr}\nseed ${seed}, ${name}, killed after ${moments} ms`).toBe(0)
      }
      const { code, stderr } = await peelUntil(command(name), cwd)
      expect(code, `${stderr}\nseed ${seed}, ${name}, killed after ${moments} ms`).toBe(0)
      check(name)
    }
  }
  await Promise.all([chain(), chain()])
}

/** A run that was killed is resumed, also where it did not come as far as a run. */
export async function killRuns(plan: KillPlan, cwd: string, scene: readonly string[]): Promise<void> {
  mkdirSync(cwd, { recursive: true })
  const life = await lifeOf([...scene, '-o', 'whole'], cwd)
  const whole = lastingContents(join(cwd, 'whole'))
  const command = (name: string) => [...scene, '-o', name, ...(existsSync(join(cwd, name)) ? ['--resume'] : [])]
  await killAtRandom(plan, cwd, life, command, name => {
    expect(lastingContents(join(cwd, name)), `seed ${plan.seed}, ${name}`).toEqual(whole)
  })
}

/** The same export completes one that was killed. */
export async function killExports(plan: KillPlan, cwd: string): Promise<void> {
  const scene = ['run', 'andersen-dam-break', '--resolution', '24', '--threads', '1', '--frames', '12']
  await lifeOf([...scene, '-o', 'run', '--set', 'output.keep=["surface","particles","fields"]'], cwd)
  const command = (name: string) => ['export', 'run', '--format', 'vti', '-o', name]
  const life = await lifeOf(command('whole'), cwd)
  const whole = digests(join(cwd, 'whole'))
  await killAtRandom(plan, cwd, life, command, name => {
    expect(digests(join(cwd, name)), `seed ${plan.seed}, ${name}`).toEqual(whole)
  })
}

/** The same command goes on; everything but times is as if it had never been killed. */
export async function killReproductions(plan: KillPlan, cwd: string): Promise<void> {
  const command = (name: string) =>
    ['reproduce', 'lai', '--tables', '1', '--sizes', '16', '--frames', '3', '--samples', '3', '-o', name] as const
  const life = await lifeOf(command('whole'), cwd)
  const measured = (name: string) =>
    JSON.parse(readFileSync(join(cwd, name, 'lai.json'), 'utf8'), (key, value) => (key === 'seconds' ? undefined : value))
      .measured
  await killAtRandom(plan, cwd, life, command, name => {
    const where = `seed ${plan.seed}, ${name}`
    expect(readdirSync(join(cwd, name)).sort(), where).toEqual(readdirSync(join(cwd, 'whole')).sort())
    expect(measured(name), where).toEqual(measured('whole'))
  })
}
