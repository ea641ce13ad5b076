/** Warnings about a scene before it is run: speeds that its substeps cannot resolve, and shapes that its grid cannot. */
import { counted } from '../../counted.js'
import type { SceneEstimate } from '../../scene/estimate.js'
import type { Bounds } from '../../scene/rotation.js'
import type { Scene } from '../../scene/schema.js'
import type { SceneSetting, SceneSolid } from '../../scene/setting.js'
import { largestWallSpeed } from '../time-step.js'
import { narrowestGap } from './gaps.js'
import { cells, MAX_TRUSTED_CELLS, roundUp } from './run-warnings.js'
import { boxOf, thicknessOf, toSides } from './thickness.js'

/** Cells across liquid, a source, a drain or a gap between solids: below, a surface has no inside that the grid resolves. */
const MIN_CELLS = 2
/** Cells across a solid: a thinner one may be between two nodes of the grid, which then do not know of it. */
const MIN_SOLID_CELLS = 1

/** Moments of a run at which the speed of solids is looked at. */
const MAX_MOMENTS = 1000

export function sceneWarnings(scene: Scene, setting: SceneSetting, estimate: SceneEstimate): string[] {
  const shapes = [...thinShapes(setting), ...thinSolids(setting), ...gapWarnings(setting)]
  return [...speedWarnings(scene, setting, estimate), ...shapes, ...wallWarnings(scene)]
}

function speedWarnings({ time }: Scene, { grid, solids }: SceneSetting, { largestSpeed }: SceneEstimate): string[] {
  const { fps, cfl, minSubsteps, maxSubsteps } = time
  const warnings: string[] = []
  const speeds = solids.map(solid => ({ solid, speed: fastest(solid, grid, time) }))
  const wallSpeed = speeds.reduce((most, { speed }) => Math.max(most, speed), 0)
  const speed = Math.max(largestSpeed, wallSpeed)
  const needed = speed / (fps * cfl * grid.spacing)
  if (needed > maxSubsteps)
    warnings.push(
      `${wallSpeed >= largestSpeed ? 'A solid reaches' : 'Liquid that is thrown, or falls through the domain, reaches'} about ` +
        `${short(speed)} m/s. A frame of ${short(1 / fps)} s then needs about ${counted(roundUp(needed), 'substep')} to cross at most ` +
        `${cells(cfl)} in each (time.cfl), and time.maxSubsteps is ${maxSubsteps}: the result would be wrong. ` +
        `Raise time.maxSubsteps to ${roundUp(needed)}, or raise time.fps.`,
    )
  if (cfl > MAX_TRUSTED_CELLS)
    warnings.push(
      `time.cfl lets liquid cross ${cells(cfl)} in a substep; beyond ${MAX_TRUSTED_CELLS}, motion is inaccurate and may gain energy. Lower time.cfl.`,
    )
  const substeps = Math.min(maxSubsteps, Math.max(minSubsteps, Math.ceil(needed)))
  for (const { solid, speed: own } of speeds) {
    const travel = own / (fps * substeps)
    if (travel === 0) continue
    const thickness = thicknessOf(
      solid.phiAt(0),
      boundsIn(solid, boxOf(grid)),
      grid,
      Math.max(travel, MIN_SOLID_CELLS * grid.spacing),
    )
    if (thickness < travel)
      warnings.push(
        `The solid ${solid.name} moves by up to ${cells(travel / grid.spacing)} in a substep and is ${cells(thickness / grid.spacing)} thick, so it ` +
          `may jump over liquid. Lower time.cfl, raise time.minSubsteps, or make it thicker.`,
      )
  }
  return warnings
}

/** Keys of walls that have no effect. */
function wallWarnings({ walls, solids, domain }: Scene): string[] {
  const onSticking = solids.flatMap((solid, at) =>
    solid.adhesion && (solid.walls ?? walls) === 'sticking' ? [`solids[${at}].adhesion`] : [],
  )
  const onSides = Object.entries(domain.adhesion).flatMap(([side, adhesion]) => {
    const kind = domain.sides[side as keyof typeof domain.sides] ?? 'closed'
    return adhesion && (kind === 'closed' ? walls : kind) !== 'separating' ? [`domain.adhesion.${side}`] : []
  })
  return [...onSticking, ...onSides].map(
    path =>
      `${path} has no effect: only separating walls let go of liquid at some suction. Remove it, or make the wall separating.`,
  )
}

/** m/s, in the frames of a scene. */
function fastest(solid: SceneSolid, grid: SceneSetting['grid'], { frames, fps }: Scene['time']): number {
  if (!solid.isMoving) return 0
  const moments = Math.min(MAX_MOMENTS, frames + 1)
  let most = 0
  for (let n = 0; n < moments; n++) {
    const time = (n * frames) / (fps * Math.max(1, moments - 1))
    most = Math.max(most, largestWallSpeed(grid, [solid], time, time + 1 / fps))
  }
  return most
}

/** Finite bounds of a solid; those of the domain where it has none. */
function boundsIn(solid: SceneSolid, [low, high]: Bounds): Bounds {
  const [from, to] = solid.boundsAt(0, 0)
  const finite = (x: number, other: number) => (Number.isFinite(x) ? x : other)
  return [
    [finite(from[0], low[0]), finite(from[1], low[1]), finite(from[2], low[2])],
    [finite(to[0], high[0]), finite(to[1], high[1]), finite(to[2], high[2])],
  ]
}

function thinShapes({ grid, liquid, sources, drains }: SceneSetting): string[] {
  const box = boxOf(grid)
  const sides = toSides(box, grid.dims)
  return Object.entries({ liquid, sources, drains }).flatMap(([kind, shapes]) =>
    shapes.flatMap(({ phi }, at) => {
      const inside = (x: number, y: number, z: number) => Math.max(phi(x, y, z), sides(x, y, z))
      const thickness = thicknessOf(inside, box, grid, MIN_CELLS * grid.spacing) / grid.spacing
      if (thickness === 0 || thickness >= 0.99 * MIN_CELLS) return []
      return [`${kind}[${at}] is ${cells(thickness)} thick, too thin for this resolution: ${adviceFor(thickness, MIN_CELLS)}.`]
    }),
  )
}

function thinSolids({ grid, solids }: SceneSetting): string[] {
  return solids.flatMap(solid => {
    const box = boundsIn(solid, boxOf(grid))
    const thickness = thicknessOf(solid.phiAt(0), box, grid, MIN_SOLID_CELLS * grid.spacing) / grid.spacing
    if (thickness === 0 || thickness >= 0.99 * MIN_SOLID_CELLS) return []
    return [
      `The solid ${solid.name} is ${cells(thickness)} thick, so liquid may pass through it: ${adviceFor(thickness, MIN_SOLID_CELLS)}.`,
    ]
  })
}

function gapWarnings(setting: SceneSetting): string[] {
  const { grid } = setting
  const gap = narrowestGap(setting, MIN_CELLS * grid.spacing)
  if (!gap) return []
  const place = gap.place.slice(0, grid.dims).map(short).join(', ')
  const width = gap.width / grid.spacing
  return [
    `A gap between solids near (${place}) m is ${cells(width)} wide, too narrow for this resolution: ${adviceFor(width, MIN_CELLS)}.`,
  ]
}

function adviceFor(thickness: number, wanted: number): string {
  return `make it thicker or wider, or raise domain.resolution by a factor of ${Math.ceil((10 * wanted) / thickness) / 10}`
}

function short(value: number): number {
  return Number(value.toPrecision(2))
}
