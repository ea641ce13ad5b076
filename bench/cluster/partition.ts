/** How evenly tiles distribute splashing liquids over ranks: from geometry alone, nothing is solved. */
import { tileEfficiency } from 'peel/cluster'

/** Distances in sides of the box, measured from its lower corner; y is up. */
type Shape = (x: number, y: number, z: number) => boolean

export const LIQUIDS: readonly { readonly name: string; readonly isLiquid: Shape }[] = [
  { name: 'half ball', isLiquid: (x, y, z) => y < 0.5 && Math.hypot(x - 0.5, y - 0.5, z - 0.5) < 0.4 },
  {
    name: 'thin crown and film',
    isLiquid: (x, y, z) => {
      const radius = Math.hypot(x - 0.5, z - 0.5)
      return y < 0.06 || (y < 0.4 && Math.abs(radius - 0.2 - 0.2 * y) < 0.02)
    },
  },
  {
    name: 'jet and pool',
    isLiquid: (x, y, z) => (y < 0.12 && Math.hypot(x - 0.5, z - 0.5) < 0.3) || Math.hypot(x - 0.5, z - 0.5) < 0.02,
  },
  { name: 'flat puddle', isLiquid: (_, y) => y < 0.04 },
]

export interface PartitionResult {
  readonly liquid: string
  readonly fill: number
  readonly tile: number
  readonly ranks: number
  readonly efficiency: number
}

export function measurePartitions(size: number, tiles: readonly number[], ranks: readonly number[]): PartitionResult[] {
  return LIQUIDS.flatMap(({ name, isLiquid }) => {
    const { runs, unknowns } = runsOf(size, isLiquid)
    return tiles.flatMap(tile =>
      ranks.map(count => ({
        liquid: name,
        fill: unknowns / size ** 3,
        tile,
        ranks: count,
        efficiency: tileEfficiency([size, size, size], runs, tile, count),
      })),
    )
  })
}

function runsOf(size: number, isLiquid: Shape): { runs: Int32Array; unknowns: number } {
  const runs: number[] = []
  let unknowns = 0
  const at = (cell: number) => (cell + 0.5) / size
  for (let k = 0; k < size; k++)
    for (let j = 0; j < size; j++)
      for (let i = 0; i < size; ) {
        const start = i
        while (i < size && isLiquid(at(i), at(j), at(k))) i++
        if (i > start) {
          runs.push(start + size * (j + size * k), i - start)
          unknowns += i - start
        } else i++
      }
  return { runs: Int32Array.from(runs), unknowns }
}
