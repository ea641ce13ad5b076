/** The driver by itself, spoken to in frames: what it refuses, and how. */
import { afterEach, expect, it } from 'vitest'
import { buildDriver } from '../../../src/cluster/build-driver.js'
import { decodeSolution, encodeHeader, FRAME, solutionBytes } from '../../../src/cluster/frames.js'
import { openSession } from '../../../src/cluster/open-session.js'
import type { ClusterSession } from '../../../src/cluster/session.js'

const OPTIONS = {
  ranks: 2,
  launcher: 'mpiexec',
  hosts: '',
  launcherArguments: '',
  oversubscribe: true,
  asRoot: false,
  address: '',
  patience: 60,
}

let session: ClusterSession | undefined
afterEach(() => session?.close())

async function open(): Promise<ClusterSession> {
  session = await openSession(await buildDriver('grid'), OPTIONS)
  session.hold(true)
  return session
}

interface Line {
  readonly diagonal: readonly number[]
  readonly links: readonly number[]
  readonly b: readonly number[]
  readonly kind?: readonly number[]
  readonly maxOuter?: number
}

/** A row of cells as one tile, whose owner is rank 1. */
async function sendLine(to: ClusterSession, id: number, { diagonal, links, b, kind, maxOuter = 100 }: Line): Promise<void> {
  const cells = diagonal.length
  const head = Buffer.alloc(48 + 24)
  ;[cells, 1, 1, 32, 1, 0].forEach((value, at) => {
    head.writeInt32LE(value, 4 * at)
  })
  head.writeDoubleLE(1e-9, 24)
  head.writeDoubleLE(0.1, 32)
  head.writeInt32LE(maxOuter, 40)
  head.writeInt32LE(1000, 44)
  head.set([0, 0, 0, cells - 1, 0, 0], 52)
  ;[0, 0, 1].forEach((tile, rank) => {
    head.writeInt32LE(tile, 60 + 4 * rank)
  })
  const zeros = diagonal.map(() => 0)
  const fields = Buffer.from(Float64Array.from([...diagonal, ...links, ...zeros, ...zeros, ...b]).buffer)
  const kinds = Buffer.alloc(8 * Math.ceil(cells / 8))
  kinds.set(kind ?? zeros)
  await to.send(FRAME.solve, id, head.length + fields.length + kinds.length, [head, fields, kinds], solutionBytes(cells))
}

/** The first frame that is no progress. */
async function answerOf(from: ClusterSession) {
  for (;;) {
    const frame = await from.receive()
    if (frame.type !== FRAME.progress) return frame
  }
}

const errorOf = (payload: Buffer) => JSON.parse(payload.toString()) as { code: string; message: string }

// A chain held at its end: p = −A⁻¹ b = (3, 2, 1).
const chain = { diagonal: [1, 2, 2], links: [-1, -1, 0], b: [-1, 0, 0] }

it('solves a chain, says who it is, and answers an echo', async () => {
  const driver = await open()
  expect(driver.hello).toMatchObject({ protocol: 2, ranks: 2, library: expect.stringMatching(/^hypre 2/) })
  const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, at) => at % 251))
  await driver.send(FRAME.echo, 5, bytes.length, [bytes])
  expect((await driver.receive()).payload.equals(bytes)).toBe(true)
  await sendLine(driver, 6, chain)
  const { statistics, values } = decodeSolution(await answerOf(driver))
  expect(statistics).toMatchObject({ unknowns: 3, cells: 3, boxes: 1 })
  ;[3, 2, 1].forEach((expected, at) => {
    expect(values[at]).toBeCloseTo(expected, 8)
  })
})

it('pins contacts that let go', async () => {
  const driver = await open()
  // Pulled apart, the first cell would have p < 0.
  await sendLine(driver, 1, { ...chain, b: [3, -3, 0], kind: [1, 0, 0] })
  const { values } = decodeSolution(await answerOf(driver))
  ;[0, 2, 1].forEach((expected, at) => {
    expect(values[at]).toBeCloseTo(expected, 8)
  })
})

it('counts cells that are not finite or have a wrong sign, and goes on with the next problem', async () => {
  const driver = await open()
  for (const [bad, count] of [
    [{ ...chain, b: [NaN, 0, Infinity] }, 2],
    [{ ...chain, links: [1, -1, 0] }, 1],
    [{ ...chain, diagonal: [1, -2, 2] }, 1],
  ] as const) {
    await sendLine(driver, 2, bad)
    const { type, payload } = await answerOf(driver)
    expect(type).toBe(FRAME.error)
    expect(errorOf(payload)).toEqual({ code: 'bad-input', message: `${count} cells are not finite or have a wrong sign` })
  }
  await sendLine(driver, 3, chain)
  expect((await answerOf(driver)).type).toBe(FRAME.solution)
})

it('gives no answer for a pocket without air that is squeezed, if the parent lets one through', async () => {
  const driver = await open()
  await sendLine(driver, 4, { diagonal: [1, 2, 1], links: [-1, -1, 0], b: [-1, -1, -1] })
  const { type, payload } = await answerOf(driver)
  expect(type).toBe(FRAME.error)
  expect(['diverged', 'no-convergence']).toContain(errorOf(payload).code)
})

it('solves a pocket without air that is grounded', async () => {
  const driver = await open()
  await sendLine(driver, 4, { diagonal: [1, 2, 1], links: [-1, -1, 0], b: [-1, 0, 1], kind: [255, 0, 0] })
  const { values } = decodeSolution(await answerOf(driver))
  expect(values[0] - values[1]).toBeCloseTo(1, 8)
  expect(values[1] - values[2]).toBeCloseTo(1, 8)
})

it('lets a contact of a pocket without air go that is drawn apart, although none of them is inclined to', async () => {
  const driver = await open()
  // Both contacts are pressed at first; the sum of b is 1, and w = (½, 0, ½) at the answer.
  await sendLine(driver, 4, { diagonal: [1, 2, 1], links: [-1, -1, 0], b: [-1, 3, -1], kind: [2, 0, 2] })
  const frame = await answerOf(driver)
  expect(frame.type).toBe(FRAME.solution)
  const { values } = decodeSolution(frame)
  ;[0, -1.5, 0].forEach((expected, at) => {
    expect(values[at]).toBeCloseTo(expected, 8)
  })
})

it('hands back what it has at the limit of outer steps', async () => {
  const driver = await open()
  await sendLine(driver, 7, { ...chain, maxOuter: 0 })
  const { statistics } = decodeSolution(await answerOf(driver))
  expect(statistics).toMatchObject({ outer: 0, residual: 1, cancelled: 0 })
})

it('ends when a frame makes no sense, and that is an error', async () => {
  for (const nonsense of [
    Buffer.alloc(64, 7),
    encodeHeader(77, 1, 0),
    Buffer.concat([encodeHeader(FRAME.solve, 1, 48), Buffer.alloc(48)]),
  ]) {
    const driver = await open()
    await driver.send(FRAME.echo, 1, 0, [nonsense])
    expect((await driver.receive()).type).toBe(FRAME.echo)
    await expect(driver.receive()).rejects.toThrow(
      /The driver ended unexpectedly with exit code 0; its last output: ".*(bad frame|makes no sense)/,
    )
  }
})
