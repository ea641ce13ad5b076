/** Videos encoded by ffmpeg, as a process that pictures are piped into. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputError } from '../../input-error.js'
import { isAbandoned, ownedWord } from '../files/process-identity.js'
import type { Encoding } from './encoding.js'

/** With the encoder that is needed: some builds come without it. */
export async function hasFfmpeg(): Promise<boolean> {
  const child = spawn('ffmpeg', ['-hide_banner', '-encoders'], { stdio: ['ignore', 'pipe', 'ignore'] })
  let list = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    list += text
  })
  try {
    const [code] = await once(child, 'close')
    return code === 0 && list.includes('libx264')
  } catch {
    return false
  }
}

const WORK = 'peel-video-'

/** In the folder for temporary files; those of processes that were killed are removed. */
async function makeWorkFolder(): Promise<string> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    if (name.startsWith(WORK) && isAbandoned(name))
      await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {})
  }
  const folder = join(tmpdir(), WORK + ownedWord())
  await mkdir(folder, { mode: 0o700 })
  return folder
}

export async function startFfmpeg(width: number, height: number, framesPerSecond: number): Promise<Encoding> {
  const folder = await makeWorkFolder()
  const file = join(folder, 'video.mp4')
  const input = ['-f', 'rawvideo', '-pix_fmt', 'rgba', '-s', `${width}x${height}`, '-r', `${framesPerSecond}`, '-i', '-']
  const output = ['-c:v', 'libx264', '-crf', '18', '-pix_fmt', 'yuv420p', '-movflags', '+faststart', '-y', file]
  const child = spawn('ffmpeg', ['-hide_banner', '-loglevel', 'error', ...input, ...output], {
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    complaint += text
  })
  const closed = once(child, 'close').then(
    ([code]) => code as number | null,
    () => null,
  )
  // A broken pipe is reported by the exit code of the other end.
  child.stdin.on('error', () => {})
  const fail = () =>
    new InputError(`ffmpeg could not encode the video: ${complaint.trim().split('\n').at(-1) || 'it gave no reason'}.`)
  return {
    async add(pixels) {
      if (child.exitCode !== null || child.stdin.destroyed) {
        await closed
        throw fail()
      }
      if (!child.stdin.write(pixels)) await Promise.race([once(child.stdin, 'drain').catch(() => {}), closed])
    },
    async finish() {
      child.stdin.end()
      if ((await closed) !== 0) throw fail()
      return readFile(file)
    },
    async dispose() {
      if (child.exitCode === null) child.kill()
      await closed
      await rm(folder, { recursive: true, force: true })
    },
  }
}
