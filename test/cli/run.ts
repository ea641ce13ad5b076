/** Runs the command line as a user does, in a process of its own. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export function peel(
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; interruptAt?: RegExp; readsNothing?: boolean } = {},
): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, 'bin/peel'), ...args], {
      cwd: options.cwd ?? root,
      env: { ...process.env, ...options.env },
    })
    let stdout = ''
    let stderr = ''
    let interrupted = false
    if (options.readsNothing) child.stdout.destroy()
    child.stdout.on('data', chunk => {
      stdout += chunk
    })
    child.stderr.on('data', chunk => {
      stderr += chunk
      // Once: a second Ctrl-C ends the process at once, as it should.
      if (!interrupted && options.interruptAt?.test(stderr)) interrupted = child.kill('SIGINT')
    })
    child.on('error', reject)
    child.on('close', code => resolve({ code, stdout, stderr }))
  })
}

/** A folder that is gone after the test. */
export async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'peel-test-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The same as built, in this process, which is a second faster than a new one; for what needs no signals. */
export async function peelHere(args: readonly string[], { cwd }: { cwd: string }): Promise<Run> {
  const built = new URL('../../dist/cli/main.js', import.meta.url).href
  const { main } = (await import(/* @vite-ignore */ built)) as { main(args: readonly string[]): Promise<number> }
  const before = process.cwd()
  const { error, log } = console
  const { stdout: out, stderr: err } = process
  const writes = [out.write, err.write] as const
  let stdout = ''
  let stderr = ''
  const collect = (add: (text: string) => void) => (text: string | Uint8Array) => {
    add(String(text))
    return true
  }
  try {
    process.chdir(cwd)
    console.log = (text: string) => collect(more => (stdout += `${more}\n`))(text)
    console.error = (text: string) => collect(more => (stderr += `${more}\n`))(text)
    out.write = collect(more => (stdout += more)) as typeof out.write
    err.write = collect(more => (stderr += more)) as typeof err.write
    const code = await main(args).catch((unexpected: Error) => {
      stderr += unexpected.stack
      return 1
    })
    return { code, stdout, stderr }
  } finally {
    Object.assign(console, { error, log })
    out.write = writes[0]
    err.write = writes[1]
    process.chdir(before)
  }
}
