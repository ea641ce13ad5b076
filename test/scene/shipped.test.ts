/** The scenes that come with Peel: all of them valid, described, and with liquid where they say, at any resolution. */
import { describe, expect, it } from 'vitest'
import { sampleCells } from '../../src/grid/field.js'
import { loadScene, shippedScenes } from '../../src/io/scene-file.js'
import { prepareScene } from '../../src/scene/prepare.js'

const names = await shippedScenes()

describe('shipped scenes', () => {
  it('are those of the papers and our own', () => {
    expect(names).toEqual([
      'andersen-block-on-circles',
      'andersen-dam-break',
      'andersen-filling',
      'andersen-funnel',
      'andersen-stirred-tank',
      'bowl',
      'ceiling-drip',
      'cm-ball-box',
      'cm-ball-in-circle',
      'cm-box-rotated',
      'cm-dam-break-box',
      'cm-dam-break-sphere',
      'drops-one-by-one',
      'lai-circle',
      'lai-maze',
      'lai-shells',
      'lai-sphere',
      'lai-sphere-cuboid',
      'lai-square',
      'moving-paddle',
      'shedding-lids',
      'splash',
      'tilting-tank',
      'waterfall',
    ])
  })

  it.each(names)('%s says what it is and can be prepared at any resolution', async name => {
    for (const resolution of [1, 7, 24]) {
      const { scene, meshes } = await loadScene(name, [['domain.resolution', resolution]])
      expect(scene.title.length).toBeGreaterThan(5)
      expect(scene.description.length).toBeGreaterThan(40)
      expect(scene.title).not.toMatch(/\.$/)
      const { grid, liquid, solids, sources } = prepareScene(scene, meshes)
      expect(Math.max(...grid.shape)).toBe(resolution)
      const solid = solids.map(({ phiAt }) => sampleCells(grid, phiAt(0)))
      const wet = [...liquid, ...sources].map(({ phi }) => sampleCells(grid, phi))
      let cells = 0
      for (let cell = 0; cell < grid.cells; cell++)
        if (wet.some(phi => phi[cell] < 0) && !solid.some(phi => phi[cell] < 0)) cells++
      if (resolution === 24) expect(cells / grid.cells).toBeGreaterThan(0.003)
      if (resolution === 24) expect(cells / grid.cells).toBeLessThan(0.6)
      for (const { phiAt, motionAt, boundsAt } of solids)
        for (const time of [0, 0.3, 17]) {
          expect(Number.isFinite(phiAt(time)(0.1, 0.2, 0))).toBe(true)
          expect(motionAt(time).linear.every(Number.isFinite)).toBe(true)
          expect(boundsAt(time, 0.1)[0].some(Number.isNaN)).toBe(false)
        }
    }
  })
})
