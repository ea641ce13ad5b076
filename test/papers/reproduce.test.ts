/** What the papers claim and no machine changes: how iterations grow with the grid, which method needs fewer, what each part is good for.
 *  Small sizes; `peel reproduce` does the same at those of the papers. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { NewtonPath, VolumeStudy } from '../../src/papers/andersen/reproduce.js'
import type { BudgetPair, ContactStudy } from '../../src/papers/chentanez-mueller/reproduce.js'
import { sampledFrames } from '../../src/papers/lai/reproduce.js'
import type { LinearSolve } from '../../src/papers/mcadams/reproduce.js'
import type { Solve } from '../../src/papers/method.js'
import { PAPERS, type PaperName } from '../../src/papers/published.js'
import { reproductions } from '../../src/papers/reproduce.js'
import { itemsOf, type Measured, runTasks } from '../../src/papers/reproduction.js'

const measured = {} as Record<PaperName, Measured>

beforeAll(async () => {
  for (const paper of PAPERS) {
    const { tasks, dispose } = reproductions[paper].plan({ quick: true, limit: 600 })
    const watcher = { clock: () => 0, onTask() {}, async onMeasured() {} }
    const bounds = { budget: Infinity, limit: Infinity }
    measured[paper] = (await runTasks(tasks, {}, bounds, watcher, new AbortController().signal)).measured
    dispose()
  }
}, 1_800_000)

function valuesOf<Value>(paper: PaperName, group: string): Value[] {
  const values = itemsOf<Value>(measured[paper], group).map(([, value]) => value)
  expect(values.length, `${paper} ${group}`).toBeGreaterThan(0)
  return values
}

function average(paper: PaperName, group: string, quantity: 'iterations' | 'outer' = 'iterations'): number {
  const values = valuesOf<Solve>(paper, group).map(solve => solve[quantity])
  return values.reduce((a, b) => a + b, 0) / values.length
}

describe('Lai 2020', () => {
  const circle = (size: number, method: string) => average('lai', `simulation/lai-circle/${size}/${method}`)
  const sphere = (size: number, method: string) => average('lai', `simulation/lai-sphere/${size}/${method}`)
  const growth = (count: typeof circle, [small, large]: readonly [number, number], method: string) =>
    count(large, method) / count(small, method)

  it('every method converges on every substep of circle and sphere, and in the scenarios', () => {
    for (const [group, items] of Object.entries(measured.lai)) {
      if (group.startsWith('ablation') || group.includes('maze')) continue
      for (const [item, solve] of Object.entries(items)) expect((solve as Solve).status, `${group} ${item}`).toBeUndefined()
    }
  })

  it.each(['FAS-MG', 'NAS-MGPCG'])('%s hardly takes more cycles on finer grids', method => {
    expect(growth(circle, [32, 64], method)).toBeLessThan(1.35)
    expect(growth(sphere, [16, 32], method)).toBeLessThan(1.35)
  })

  it.each(['PI-PCG', 'PE-PCG', 'Newton'])('%s takes many more', method => {
    // How many depends on the liquid: by 1.34 and more.
    expect(growth(circle, [32, 64], method)).toBeGreaterThan(1.3)
    expect(growth(sphere, [16, 32], method)).toBeGreaterThan(1.3)
  })

  it('orders the methods as in Tables 1 and 2', () => {
    for (const count of [(method: string) => circle(64, method), (method: string) => sphere(32, method)]) {
      // From one substep to the next hardly anybody lets go, and PI and PE remember: often the first linear system is the last one.
      expect(count('FAS-MG')).toBeLessThan(1.1 * count('PI-MG'))
      expect(count('FAS-MG')).toBeLessThan(0.6 * count('FMG'))
      expect(count('PI-MG')).toBeLessThanOrEqual(count('PE-MG'))
      expect(count('PE-MG')).toBeLessThan(count('PE-PCG'))
      expect(Math.abs(count('PE-PCG') / count('PI-PCG') - 1)).toBeLessThan(0.1)
      expect(count('No LCP')).toBeLessThan(count('PI-PCG'))
      expect(count('Newton')).toBeGreaterThan(5 * count('PI-PCG'))
    }
  })

  it('needs a few linear systems only, as in Tables 3 and 4', () => {
    for (const method of ['PI-PCG', 'PI-MG', 'PE-PCG', 'PE-MG']) {
      const outer = average('lai', `simulation/lai-sphere/32/${method}`, 'outer')
      expect(outer).toBeGreaterThan(1)
      expect(outer).toBeLessThan(6)
    }
  })

  it.each(['lai-sphere', 'lai-sphere-cuboid', 'lai-shells'])(
    '%s: FAS-MG takes the fewest cycles of the papers’ methods',
    scene => {
      const count = (method: string) => average('lai', `frame/${scene}/32/${method}`)
      for (const method of ['PI-MG', 'PE-MG']) expect(count('FAS-MG')).toBeLessThan(0.8 * count(method))
      for (const method of ['FMG', 'PI-PCG', 'Newton']) expect(count('FAS-MG')).toBeLessThan(0.5 * count(method))
      for (const solve of valuesOf<Solve>('lai', `frame/${scene}/32/FAS-MG`))
        expect(solve.curve).toHaveLength(solve.iterations + 1)
    },
  )

  it('constant interpolation takes several times the cycles, twice as many on a grid twice as fine; trilinear changes nothing', () => {
    const cycles = (size: number, name: string) => average('lai', `ablation/lai-sphere/${size}/${name}`)
    expect(cycles(32, 'constant')).toBeGreaterThan(3 * cycles(32, 'published'))
    expect(cycles(32, 'constant')).toBeGreaterThan(1.5 * cycles(16, 'constant'))
    expect(Math.abs(cycles(32, 'trilinear') - cycles(32, 'published'))).toBeLessThanOrEqual(3)
    expect(cycles(32, 'simple')).toBeGreaterThan(1.1 * cycles(32, 'published'))
  })

  it('spreads samples over the whole simulation, fewer on large grids', () => {
    expect(sampledFrames({ frames: 100, samples: 25 }, 3, 64)).toHaveLength(25)
    expect(sampledFrames({ frames: 100, samples: 5 }, 2, 256)).toEqual([20, 40, 60, 80, 100])
    expect(sampledFrames({ frames: 100, samples: 25 }, 3, 128)).toEqual([20, 40, 60, 80, 100])
    expect(sampledFrames({ frames: 100, samples: 25 }, 3, 256)).toEqual([100])
    expect(sampledFrames({ frames: 3, samples: 25 }, 2, 64)).toEqual([1, 2, 3])
  })
})

describe('McAdams 2010', () => {
  const iterations = (size: number, method: string, reduction = 1) => {
    const solves = new Map(itemsOf<LinearSolve>(measured.mcadams, `solve/${size}`))
    return solves.get(method)!.to[reduction].iterations
  }

  it('multigrid takes hardly more iterations on finer grids, the others as many more as there are cells per side', () => {
    expect(iterations(48, 'MGPCG')).toBeLessThanOrEqual(iterations(16, 'MGPCG') + 5)
    for (const method of ['CG', 'ICPCG']) {
      const growth = iterations(48, method) / iterations(16, method)
      expect(growth).toBeGreaterThan(2)
      expect(growth).toBeLessThan(4.5)
    }
  })

  it('orders the methods as in Table 1, for both reductions', () => {
    for (const reduction of [0, 1]) {
      expect(iterations(48, 'MGPCG', reduction)).toBeLessThan(0.5 * iterations(48, 'ICPCG', reduction))
      expect(iterations(48, 'ICPCG', reduction)).toBeLessThan(0.6 * iterations(48, 'CG', reduction))
    }
    expect(iterations(48, 'MGPCG', 0)).toBeLessThan(iterations(48, 'MGPCG', 1))
  })

  it('takes an order of magnitude in about two iterations', () => {
    expect(iterations(48, 'MGPCG') / 8).toBeLessThan(2.6)
  })
})

describe('Chentanez and Müller 2011', () => {
  it('their budget takes the residual down where it is repaired, in every scene', () => {
    for (const name of ['BallBox', 'DambreakBox', 'RotatedBox', 'DambreakSphere'])
      for (const { letGo, stick } of valuesOf<BudgetPair>('chentanez-mueller', `budget/${name}/24`)) {
        expect(letGo.reduction, name).toBeLessThan(0.1)
        expect(stick.reduction, name).toBeLessThan(0.1)
      }
  })

  it('the condition on edges moves the liquid less away from that on nodes than sticking walls do', () => {
    for (const name of ['half-ball', 'half-sphere'])
      for (const { letGo, unlike, contacts } of valuesOf<ContactStudy>('chentanez-mueller', `contact/${name}`)) {
        expect(letGo.nodes).toBeGreaterThan(0.2 * contacts)
        expect(unlike.edges).toBeGreaterThan(0)
        expect(unlike.edges).toBeLessThan(0.7 * unlike.sticking)
      }
  })
})

describe('Andersen 2017', () => {
  it('Newton ends within ten steps, the last ones each gaining more than the one before', () => {
    const paths = valuesOf<NewtonPath>('andersen', 'path/48').map(({ residuals }) => residuals)
    for (const residuals of paths) {
      expect(residuals.length).toBeLessThanOrEqual(11)
      expect(residuals.at(-1)).toBeLessThanOrEqual(1e-6)
    }
    const longest = paths.reduce((a, b) => (b.length > a.length ? b : a))
    expect(longest.length).toBeGreaterThan(3)
    expect(longest.at(-1)! / longest.at(-2)!).toBeLessThan(1e-2)
  })

  it('a preconditioner saves most inner iterations; one for all Newton systems saves less than one for each', () => {
    const count = (kind: string, item: string) => new Map(itemsOf<Solve>(measured.andersen, `inner/48/${kind}`)).get(item)!
    for (const inner of ['cg', 'cr', 'gmres', 'bicgstab']) {
      expect(count('sticking', `${inner} mic0`).iterations).toBeLessThan(0.5 * count('sticking', `${inner} none`).iterations)
      expect(count('masked', `${inner} mic0`).iterations).toBeLessThan(0.5 * count('masked', `${inner} none`).iterations)
    }
    const all = (kind: string) =>
      ['ic0', 'mic0', 'ainv'].reduce((sum, preconditioner) => sum + count(kind, `cg ${preconditioner}`).iterations, 0)
    expect(all('unmasked')).toBeGreaterThan(all('masked'))
  })

  it('Newton takes twice the inner iterations on a grid twice as fine, and the same steps', () => {
    const [small, large] = [32, 64].map(size => average('andersen', `slowdown/${size}/Newton`))
    expect(large / small).toBeGreaterThan(1.5)
    const steps = [32, 64].map(size => average('andersen', `slowdown/${size}/Newton`, 'outer'))
    expect(Math.abs(steps[1] - steps[0])).toBeLessThanOrEqual(2)
  })

  it('a looser ξ takes more Newton steps, each with fewer inner iterations', () => {
    const [tight, loose] = [0.00001, 0.5].map(xi => `xi/32/${xi}`)
    expect(average('andersen', loose, 'outer')).toBeGreaterThan(average('andersen', tight, 'outer'))
    // Whether there are fewer in all depends on the liquid.
    const inner = (xi: string) => average('andersen', xi) / average('andersen', xi, 'outer')
    expect(inner(loose)).toBeLessThan(inner(tight))
  })

  it('volumes drift with both kinds of walls, and do not where they are corrected', () => {
    const drift = (scene: string, run: string) => {
      const studies = new Map(itemsOf<VolumeStudy>(measured.andersen, `volume/32/${scene}`))
      return Math.abs(studies.get(run)!.drift.at(-1)!)
    }
    for (const scene of ['andersen-block-on-circles', 'andersen-funnel']) {
      expect(drift(scene, 'separating')).toBeGreaterThan(0.02)
      expect(drift(scene, 'sticking')).toBeGreaterThan(0.02)
      expect(drift(scene, 'corrected')).toBeLessThan(0.6 * drift(scene, 'separating'))
    }
  })
})

describe('the reports', () => {
  it.each(PAPERS)('%s: is written from what was measured, with every plot it shows', paper => {
    const session = { date: '2026-01-02', command: `peel reproduce ${paper} --quick`, machine: 'some' }
    const skipped = [{ group: 'something/256', items: 3, reason: 'would take about 3 h, over the limit of 2 min' }]
    const { markdown, plots } = reproductions[paper].report({ paper, sessions: [session], measured: measured[paper], skipped })
    expect(markdown).toContain(session.command)
    expect(markdown).toContain('`something/256` (3): would take about 3 h')
    expect(markdown).not.toMatch(/NaN|undefined|Infinity/)
    const shown = [...markdown.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(match => match[1])
    expect(shown.sort()).toEqual(plots.map(({ file }) => file).sort())
    for (const { svg } of plots) {
      expect(svg).toMatch(/^<svg[^>]* xmlns=/)
      expect(svg).not.toContain('NaN')
    }
    for (const line of markdown.split('\n').filter(text => text.startsWith('|'))) expect(line.endsWith('|')).toBe(true)
  })

  it.each(PAPERS)('%s: is written from nothing, too', paper => {
    const { markdown, plots } = reproductions[paper].report({ paper, sessions: [], measured: {}, skipped: [] })
    expect(markdown).toContain('reproduced')
    expect(plots).toEqual([])
  })
})
