/** Playing: one thing after the other, whatever buttons are pressed meanwhile. */
import { describe, expect, it, vi } from 'vitest'
import { createPlayback } from '../../src/view/playback.js'
import { Interrupted } from '../../src/view/session.js'

/** A simulation that takes as long as the test wants. */
function createStub({ frames = Infinity, shows = false, isBlind = false } = {}) {
  const log: string[] = []
  let frame = 0
  let waiting: { resolve(): void; reject(error: Error): void } | undefined
  const playback = createPlayback({
    async advance() {
      if (frame >= frames) return false
      log.push(`begin ${frame + 1}`)
      await new Promise<void>((resolve, reject) => {
        waiting = { resolve, reject }
      })
      frame++
      log.push(`end ${frame}`)
      const shown = frame
      if (!shows) return true
      return () => {
        if (isBlind) throw new Error('no light')
        log.push(`show ${shown}`)
      }
    },
    interrupt: () => waiting?.reject(new Interrupted('given up')),
    pace: () => 0,
    onState: isPlaying => void log.push(isPlaying ? 'playing' : 'paused'),
    onFailure: error => void log.push(`failed: ${(error as Error).message}`),
  })
  const settle = () => new Promise(resolve => setTimeout(resolve, 5))
  return {
    log,
    playback,
    settle,
    /** The frame under way ends. */
    async finish() {
      await settle()
      waiting?.resolve()
      waiting = undefined
      await settle()
    },
    async fail(message: string) {
      await settle()
      waiting?.reject(new Error(message))
      await settle()
    },
    reset: () =>
      playback.startOver(async () => {
        frame = 0
        log.push('reset')
      }),
  }
}

describe('playback', () => {
  it('plays frame after frame until it is paused, and finishes the frame under way', async () => {
    const { playback, log, finish } = createStub()
    playback.play()
    await finish()
    playback.pause()
    await finish()
    await finish()
    expect(log).toEqual(['playing', 'begin 1', 'end 1', 'begin 2', 'paused', 'end 2'])
    expect(playback.isPlaying).toBe(false)
  })

  it('shows a frame while the next one is under way, where it is late, and the last one in any case', async () => {
    const { playback, log, finish, settle } = createStub({ shows: true })
    playback.play()
    await finish()
    await finish()
    expect(log).toEqual(['playing', 'begin 1', 'end 1', 'begin 2', 'show 1', 'end 2', 'begin 3', 'show 2'])
    const change = playback.change(async () => void log.push('change'))
    await finish()
    await change
    await settle()
    expect(log.slice(8)).toEqual(['end 3', 'show 3', 'change', 'begin 4'])
    playback.pause()
    await finish()
    const step = playback.step()
    await finish()
    await step
    expect(log.slice(12)).toEqual(['paused', 'end 4', 'show 4', 'begin 5', 'end 5', 'show 5'])
  })

  it('shows a frame at once where there is time, and begins the next one in time', async () => {
    vi.useFakeTimers()
    const log: number[] = []
    let frame = 0
    const playback = createPlayback({
      async advance() {
        await new Promise(resolve => setTimeout(resolve, 300))
        const shown = ++frame
        return () => void log.push(10 * Math.round(performance.now() / 10), shown)
      },
      interrupt: () => {},
      pace: () => 1,
      onFailure: error => expect.fail(String(error)),
    })
    const began = performance.now()
    playback.play()
    await vi.advanceTimersByTimeAsync(2500)
    playback.pause()
    await vi.advanceTimersByTimeAsync(1000)
    vi.useRealTimers()
    expect(log).toEqual([300, 1, 1300, 2, 2300, 3].map((value, at) => (at % 2 ? value : 10 * Math.round((began + value) / 10))))
  })

  it('tells a failure of showing, and stops', async () => {
    const { playback, log, finish } = createStub({ shows: true, isBlind: true })
    playback.play()
    await finish()
    await finish()
    expect(log).toEqual(['playing', 'begin 1', 'end 1', 'begin 2', 'end 2', 'paused', 'failed: no light'])
  })

  it('plays on after a pause that was shorter than a frame', async () => {
    const { playback, log, finish, settle } = createStub()
    playback.play()
    await settle()
    playback.pause()
    playback.play()
    await finish()
    await finish()
    playback.pause()
    await finish()
    expect(log.filter(line => line.startsWith('begin'))).toEqual(['begin 1', 'begin 2', 'begin 3'])
  })

  it('keeps its pace after a pause that was shorter than a frame', async () => {
    vi.useFakeTimers()
    let frames = 0
    const playback = createPlayback({
      advance: async () => ++frames > 0,
      interrupt: () => {},
      pace: () => 1,
      onFailure: error => expect.fail(String(error)),
    })
    playback.play()
    playback.pause()
    playback.play()
    await vi.advanceTimersByTimeAsync(3500)
    playback.pause()
    vi.useRealTimers()
    expect(frames).toBe(4)
  })

  it('steps once, also out of playing', async () => {
    const { playback, log, finish } = createStub()
    playback.play()
    await finish()
    const step = playback.step()
    await finish()
    await finish()
    await step
    await finish()
    expect(log.slice(-5)).toEqual(['begin 2', 'paused', 'end 2', 'begin 3', 'end 3'])
  })

  it('changes between two frames', async () => {
    const { playback, log, finish, settle } = createStub()
    playback.play()
    await settle()
    const change = playback.change(async () => void log.push('change'))
    await finish()
    await change
    await settle()
    playback.pause()
    await finish()
    expect(log).toEqual(['playing', 'begin 1', 'end 1', 'change', 'begin 2', 'paused', 'end 2'])
  })

  it('gives the frame under way up when it starts over, and goes on playing', async () => {
    const { playback, log, settle, finish, reset } = createStub()
    playback.play()
    await settle()
    await reset()
    await settle()
    expect(log).toEqual(['playing', 'begin 1', 'reset', 'begin 1'])
    playback.pause()
    await finish()
  })

  it('stops at the end', async () => {
    const { playback, log, finish } = createStub({ frames: 1 })
    playback.play()
    await finish()
    expect(log).toEqual(['playing', 'begin 1', 'end 1', 'paused'])
  })

  it('stops at a failure, tells it once and works on', async () => {
    const { playback, log, fail, finish, reset } = createStub()
    playback.play()
    await fail('no luck')
    expect(log).toEqual(['playing', 'begin 1', 'paused', 'failed: no luck'])
    await reset()
    const step = playback.step()
    await finish()
    await step
    expect(log.slice(-2)).toEqual(['begin 1', 'end 1'])
  })
})
