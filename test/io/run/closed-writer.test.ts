/** A writer that was closed: the run may be another's by then. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createGrid } from '../../../src/grid/grid.js'
import { InputError } from '../../../src/input-error.js'
import { createRun, openRun } from '../../../src/io/index.js'

const grid = createGrid([4, 4])
const frame = (index: number) => ({ grid, index, time: index, liquid: new Float32Array(16), solid: new Float32Array(50) })
const about = { scene: { a: 1 }, seed: 1, versions: { peel: '0', scene: 1 }, engine: 'wasm' }

it('keeps nothing, says so, and leaves the lock of the next writer alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'peel-closed-'))
  try {
    const first = await createRun(join(folder, 'run'), about)
    await first.keep({ frame: frame(0), stats: {}, checkpoint: { header: {}, arrays: new Map() } })
    await first.close()
    await expect(first.keep({ frame: frame(1), stats: {} })).rejects.toThrow(InputError)
    await expect(first.keep({ frame: frame(1), stats: {} })).rejects.toThrow(/the run was closed/)
    const { run: second } = await openRun(join(folder, 'run'))
    await first.close()
    await expect(openRun(join(folder, 'run'))).rejects.toThrow(InputError)
    for (const wrong of [null, undefined, {}, { frame: frame(1) }, { frame: { ...frame(1), liquid: [] }, stats: {} }])
      await expect(second.keep(wrong as never)).rejects.toThrow(InputError)
    await second.keep({ frame: frame(1), stats: {} })
    expect(second.manifest().frames.map(({ frame: index }) => index)).toEqual([0, 1])
    await second.close()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
