/** Frames arrive in whatever pieces the network likes. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createFrameReader, decodeSolution, encodeHeader, FRAME, type WireFrame } from '../../src/cluster/frames.js'

it('puts frames together from pieces of any length', () => {
  const payloads = fc.array(fc.uint8Array({ maxLength: 100 }), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(payloads, fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 }), (list, lengths) => {
      const stream = Buffer.concat(
        list.flatMap((payload, at) => [encodeHeader(FRAME.echo, at, payload.length), Buffer.from(payload)]),
      )
      const frames: WireFrame[] = []
      const read = createFrameReader(frame => frames.push(frame))
      for (let at = 0, turn = 0; at < stream.length; turn++) {
        const length = lengths[turn % lengths.length]
        read(stream.subarray(at, at + length))
        at += length
      }
      expect(frames.map(({ id, type, payload }) => [id, type, [...payload]])).toEqual(
        list.map((payload, at) => [at, FRAME.echo, [...payload]]),
      )
    }),
  )
})

it('refuses what is no frame, and lengths that nothing has', () => {
  const read = () => createFrameReader(() => {})
  expect(() => read()(Buffer.alloc(32, 7))).toThrow(/not a message of the driver/)
  expect(() => read()(encodeHeader(FRAME.echo, 1, 2 ** 40))).toThrow(/not a message of the driver/)
})

it('reads statistics and pressures of a solution', () => {
  const payload = Buffer.from(Float64Array.from([0.5, 3, 6, 100, 120, 2, 1.5, 7, 2, 1, 30, 0, 11, 12]).buffer)
  const { statistics, values } = decodeSolution({ type: FRAME.solution, id: 1, payload })
  expect(statistics).toMatchObject({ residual: 0.5, outer: 3, inner: 6, slowestCpu: 1.5, robust: 1, cancelled: 0 })
  expect([...values]).toEqual([11, 12])
})
