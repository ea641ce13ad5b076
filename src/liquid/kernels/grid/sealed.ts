/** Liquid that touches no air, directly or through other liquid: it fills its container, so its volume cannot be corrected. Cells of a row
 *  form runs, which are joined (union-find) where they share open faces: every array is read once, in the order of memory. */
import { Liquid } from '../liquid'
import { byteAt, CELLS, f32At, planeRows, rowLength } from './rows'

// Scratch in the pairs of x, which have 8 bytes per face: an i32 per cell, another cell of its set, or itself if it represents the set, −1
// without liquid; a byte per cell that represents a set, whether the set touches anything but liquid; a byte per cell, the result; and a byte
// per row, whether it has liquid.

@inline
function joinedAt(liquid: Liquid, cell: i32): usize {
  return liquid.pairX + ((<usize>cell) << 2)
}

@inline
function isFree(liquid: Liquid): usize {
  return liquid.pairX + 4 * <usize>liquid.cells
}

@inline
function found(liquid: Liquid): usize {
  return liquid.pairX + 5 * <usize>liquid.cells
}

@inline
function isWet(liquid: Liquid): usize {
  return liquid.pairX + 6 * <usize>liquid.cells
}

/** Address of a byte per cell, 1 in sealed liquid by the current surface; 0 if there is none. Overwrites `pairX`. */
export function liquidSealed(liquid: Liquid): usize {
  const ny = liquid.ny
  const nz = liquid.nz
  const length = rowLength(liquid, CELLS)
  const facesY = planeRows(liquid, 1)
  memory.fill(isFree(liquid), 0, <usize>liquid.cells)
  for (let row = 0; row < ny * nz; row++) {
    const j = row % ny
    const k = row / ny
    store<u8>(isWet(liquid) + <usize>row, u8(findRuns(liquid, row)))
    joinRows(liquid, j > 0 ? row - 1 : -1, row, liquid.openY + ((<usize>(length * (j + facesY * k))) << 2))
    if (j == ny - 1) joinRows(liquid, row, -1, liquid.openY + ((<usize>(length * (ny + facesY * k))) << 2))
    if (liquid.dims == 2) continue
    joinRows(liquid, k > 0 ? row - ny : -1, row, liquid.openZ + ((<usize>(length * row)) << 2))
    if (k == nz - 1) joinRows(liquid, row, -1, liquid.openZ + ((<usize>(length * (row + ny))) << 2))
  }
  for (let cell = 0; cell < liquid.cells; cell++)
    if (load<i32>(joinedAt(liquid, cell)) == cell && byteAt(isFree(liquid), cell) == 0) return markEnclosed(liquid)
  return 0
}

function markEnclosed(liquid: Liquid): usize {
  for (let cell = 0; cell < liquid.cells; cell++) {
    const isEnclosed = load<i32>(joinedAt(liquid, cell)) >= 0 && byteAt(isFree(liquid), setOf(liquid, cell)) == 0
    store<u8>(found(liquid) + <usize>cell, u8(isEnclosed))
  }
  return found(liquid)
}

/** Finds the runs of liquid of a row, and marks those with anything but liquid or a closed face at an end. Returns whether there is liquid. */
function findRuns(liquid: Liquid, row: i32): bool {
  const nx = liquid.nx
  const start = row * nx
  const open = liquid.openX + ((<usize>(row * (nx + 1))) << 2)
  let run = -1
  let any = false
  for (let i = 0; i < nx; i++) {
    const cell = start + i
    if (!(f32At(liquid.phi, cell) < 0)) {
      if (run >= 0 && f32At(open, i) > 0) store<u8>(isFree(liquid) + <usize>run, 1)
      run = -1
    } else {
      const isOpen = f32At(open, i) > 0
      any = true
      if (run < 0 && isOpen) store<u8>(isFree(liquid) + <usize>cell, 1)
      if (run < 0 || !isOpen) run = cell
    }
    store<i32>(joinedAt(liquid, cell), run)
  }
  if (run >= 0 && f32At(open, nx) > 0) store<u8>(isFree(liquid) + <usize>run, 1)
  return any
}

/** Joins two rows through the faces between them; −1 is a row beyond a side, where there is no liquid. */
function joinRows(liquid: Liquid, lower: i32, upper: i32, open: usize): void {
  const isWetLower = lower >= 0 && byteAt(isWet(liquid), lower) != 0
  const isWetUpper = upper >= 0 && byteAt(isWet(liquid), upper) != 0
  if (!isWetLower && !isWetUpper) return
  const nx = liquid.nx
  // Long runs share many faces; joining them once is enough.
  let lastA = -1
  let lastB = -1
  for (let i = 0; i < nx; i++) {
    const a = isWetLower ? load<i32>(joinedAt(liquid, lower * nx + i)) : -1
    const b = isWetUpper ? load<i32>(joinedAt(liquid, upper * nx + i)) : -1
    if ((a == lastA && b == lastB) || !(f32At(open, i) > 0)) continue
    lastA = a
    lastB = b
    if (a >= 0 && b >= 0) join(liquid, a, b)
    else if (a >= 0 || b >= 0) store<u8>(isFree(liquid) + <usize>setOf(liquid, max(a, b)), 1)
  }
}

function join(liquid: Liquid, a: i32, b: i32): void {
  const one = setOf(liquid, a)
  const other = setOf(liquid, b)
  if (one == other) return
  const low = min(one, other)
  const high = max(one, other)
  store<i32>(joinedAt(liquid, high), low)
  if (byteAt(isFree(liquid), high)) store<u8>(isFree(liquid) + <usize>low, 1)
}

/** The cell that represents the set of a cell. */
function setOf(liquid: Liquid, cell: i32): i32 {
  let next = load<i32>(joinedAt(liquid, cell))
  while (next != cell) {
    const further = load<i32>(joinedAt(liquid, next))
    store<i32>(joinedAt(liquid, cell), further)
    cell = further
    next = load<i32>(joinedAt(liquid, cell))
  }
  return cell
}
