/** Turns a validated scene into the setting of a simulation. */
import { refuse } from '../checks.js'
import { InputError } from '../input-error.js'
import type { Side, SideAdhesion, Sides } from '../pressure/walls.js'
import { show } from '../printable.js'
import { checkMesh, createMeshShape, type TriangleMesh } from './mesh.js'
import { createMotion, toVector } from './motion.js'
import { createBody, createExchanger, createSource } from './prepare-source.js'
import { AT_ORIGIN, moveBounds, movePhi, movePoint } from './rotation.js'
import type { Numbers } from './schema/parts.js'
import type { MeshShape, Shape } from './schema/shape.js'
import { dimsOf, type Scene, type SceneInput } from './schema.js'
import type { SceneSetting, SceneSolid, Vector } from './setting.js'
import { buildShape, type MeshShapes } from './shapes/build.js'
import type { BuiltShape } from './shapes/kinds.js'
import { gridOf, validateScene } from './validate.js'

/** `meshes`: what the mesh files of the scene hold, by the names that the scene gives them. */
export function prepareScene(given: Scene | SceneInput, meshes: ReadonlyMap<string, TriangleMesh> = new Map()): SceneSetting {
  // The setting holds no solver, but callers go on to use the scene's options, and may not have validated them.
  const scene = validateScene(given, 'The scene', (given as Scene | undefined)?.solver)
  checkMeshes(meshes)
  const grid = gridOf(scene)
  const shapeOf = keepMeshShapes(meshes)
  const build = (shape: Shape) => buildShape(shape, grid.spacing, shapeOf)
  const solids = scene.solids.map((solid, at) => createSolid(build(solid), solid, at, scene))
  return {
    grid,
    sides: sidesOf(scene),
    sideAdhesion: sideAdhesionOf(scene),
    gravity: gravityOf(scene.gravity),
    liquid: scene.liquid.map(body => createBody(build(body), body)),
    solids,
    sources: scene.sources.map((source, at) => createSource(build(source), source, at, { grid, solids })),
    drains: scene.drains.map(drain => ({ ...createExchanger(build(drain), drain), flowRate: drain.flowRate })),
  }
}

export function checkMeshes(meshes: ReadonlyMap<string, TriangleMesh>): void {
  if (!(meshes instanceof Map)) refuse('The meshes of the scene', 'a Map of meshes by name', meshes)
  for (const [name, mesh] of meshes) checkMesh(mesh, `The mesh ${show(name)}`)
}

/** Names of the mesh files that a scene needs, as it gives them. */
export function meshNames(scene: Scene | SceneInput): string[] {
  return [...meshesOf(validateScene(scene, 'The scene', (scene as Scene | undefined)?.solver)).keys()]
}

/** Names of all mesh files of a scene, with the spacings at which they are sampled. */
export function meshesOf(scene: Scene): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>()
  const visit = (shape: Shape, spacing: number): void => {
    const inner = spacing / (shape.scale ?? 1)
    if (isMesh(shape)) found.set(shape.mesh, [...(found.get(shape.mesh) ?? []), inner])
    else if ('of' in shape) for (const part of [shape.of].flat() as readonly Shape[]) visit(part, inner)
  }
  const { spacing } = gridOf(scene)
  for (const shape of [...scene.liquid, ...scene.solids, ...scene.sources, ...scene.drains]) visit(shape, spacing)
  return found
}

function isMesh(shape: Shape): shape is MeshShape {
  return shape.shape === undefined
}

/** Each mesh is sampled once for each size at which it is used. */
function keepMeshShapes(meshes: ReadonlyMap<string, TriangleMesh>): MeshShapes {
  const built = new Map<string, BuiltShape>()
  return (name, spacing) => {
    const mesh = meshes.get(name)
    if (!mesh) throw new InputError(`The mesh ${name} of the scene was not passed; read it together with the scene.`)
    const key = `${spacing} ${name}`
    const shape = built.get(key) ?? createMeshShape(mesh, spacing, name)
    built.set(key, shape)
    return shape
  }
}

function sidesOf(scene: Scene): Sides {
  const { left, right, bottom, top, back = 'closed', front = 'closed' } = scene.domain.sides
  const side = (value: string): Side => (value === 'closed' ? scene.walls : (value as Side))
  const pair = (lower: string, upper: string): readonly [Side, Side] => [side(lower), side(upper)]
  const flat = { x: pair(left, right), y: pair(bottom, top) }
  return dimsOf(scene) === 2 ? flat : { ...flat, z: pair(back, front) }
}

function sideAdhesionOf({ adhesion, domain }: Scene): SideAdhesion {
  const { left, right, bottom, top, back, front } = domain.adhesion
  const pair = (lower = adhesion, upper = adhesion) => [lower, upper] as const
  return { x: pair(left, right), y: pair(bottom, top), z: pair(back, front) }
}

/** Before the first keyframe as at the first, after the last as at the last. */
function gravityOf(gravity: Scene['gravity']): (time: number) => Vector {
  const keyframes = gravity.flatMap(key => (typeof key === 'number' ? [] : [{ time: key.time, value: toVector(key.value) }]))
  if (keyframes.length === 0) {
    const constant = toVector(gravity as Numbers)
    return () => constant
  }
  return time => {
    const next = keyframes.findIndex(key => key.time > time)
    if (next < 0) return keyframes[keyframes.length - 1].value
    if (next === 0) return keyframes[0].value
    const [a, b] = [keyframes[next - 1], keyframes[next]]
    const s = (time - a.time) / (b.time - a.time)
    const mix = (axis: 0 | 1 | 2) => (1 - s) * a.value[axis] + s * b.value[axis]
    return [mix(0), mix(1), mix(2)]
  }
}

/** The point that torques on a solid are about, in the scene: that of its motion, or of its shape after `translate`. */
function pivotOf({ motion, pivot, translate }: Scene['solids'][number]): Vector | undefined {
  if (motion?.pivot) return toVector(motion.pivot)
  return pivot && sum(toVector(pivot), toVector(translate))
}

const sum = (a: Vector, b: Vector): Vector => [a[0] + b[0], a[1] + b[1], a[2] + b[2]]

function createSolid({ phi, bounds }: BuiltShape, solid: Scene['solids'][number], at: number, scene: Scene): SceneSolid {
  const described = {
    name: solid.name ?? `solids[${at}]`,
    walls: solid.walls ?? scene.walls,
    adhesion: solid.adhesion ?? scene.adhesion,
    friction: solid.friction,
  }
  const pivot = pivotOf(solid)
  if (!solid.motion) {
    const rest = { linear: [0, 0, 0], angular: [0, 0, 0] } as const
    return {
      ...described,
      isMoving: false,
      phiAt: () => phi,
      boundsAt: (_, margin) => bounds(margin),
      poseAt: () => AT_ORIGIN,
      motionAt: () => rest,
      ...(pivot && { pivotAt: () => pivot }),
    }
  }
  const { poseAt, velocityAt } = createMotion(solid.motion)
  return {
    ...described,
    isMoving: true,
    phiAt: time => movePhi(phi, poseAt(time)),
    boundsAt: (time, margin) => moveBounds(bounds(margin), poseAt(time)),
    poseAt,
    motionAt: velocityAt,
    ...(pivot && { pivotAt: (time: number) => movePoint(pivot, poseAt(time)) }),
  }
}
