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
  options: { cwd?: string; interruptAt?: RegExp; readsNothing?: boolean } = {},
): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, 'bin/peel'), ...args], { cwd: options.cwd ?? root })
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
