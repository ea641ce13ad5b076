/** Isolated cells: droplets of one cell, without links. They share blocks with each other. */
import { CONTACT } from '../../../../pressure/cell-kinds'
import { keepExact, nextExact } from '../cycle/residual-f64'
import { baseOf, isIsolatedRun } from './finest-rows'
import { addContact } from './finest-values'
import { Input, lineRun, runFirst, runStart } from '../problem/input'
import { lanes, Level, SLOT } from '../level'
import { clearFew } from '../../../../machine/kernels/memory'
import { beginBlock, nextSlot, addSlotBlock } from './pack'

/** Packs cells without links, of one colour and of the lines that share blocks of them. */
export function packIsolated<T>(input: Input, level: Level, from: i32, to: i32, colour: i32, valueScale: f64): void {
  const p = level.p
  const b = level.b
  const black = colour == 1
  let start = -1
  for (let line = from; line < to; line++) {
    const parity = ((line % input.ny) + line / input.ny) & 1
    for (let run = lineRun(input, line), end = lineRun(input, line + 1); run < end; run++) {
      if (!isIsolatedRun(input, run) || ((runStart(input, run) + parity) & 1) != colour) continue
      const row = baseOf(input, run, colour)
      const lane = row & (lanes<T>() - 1)
      if (lane == 0) {
        if (start >= 0) addIsolated<T>(level, black, start)
        start = row
        beginIsolated<T>(level, black, row)
      }
      const unknown = <usize>runFirst(input, run)
      const isContact = load<u8>(input.kind + unknown) == CONTACT
      if (isContact) addContact(level, row)
      store<i32>(level.cell + ((<usize>row) << 2), runStart(input, run))
      store<f64>(b + ((<usize>row) << 3), load<f64>(input.b + (unknown << 3)) / valueScale)
      if (input.started) store<f64>(p + ((<usize>row) << 3), load<f64>(input.p + (unknown << 3)) * (input.scale / valueScale))
      fillIsolated<T>(black, lane, load<f64>(input.diagonal + (unknown << 3)) / input.scale, isContact)
    }
  }
  if (start >= 0) addIsolated<T>(level, black, start)
}

/** Which rows of the block are contacts. */
let contacts: usize = 0

function beginIsolated<T>(level: Level, black: bool, row: i32): void {
  contacts = 0
  clearFew(nextSlot(black), SLOT)
  clearFew(nextExact(black), (<usize>lanes<T>()) << 3)
  clearFew(level.b + ((<usize>row) << 3), (<usize>lanes<T>()) << 3)
  clearFew(level.p + ((<usize>row) << 3), (<usize>lanes<T>()) << 3)
  for (let lane = 0; lane < lanes<T>(); lane++) store<i32>(level.cell + ((<usize>(row + lane)) << 2), -1)
  beginBlock()
}

function fillIsolated<T>(black: bool, lane: i32, diagonal: f64, isContact: bool): void {
  const at = nextSlot(black) + <usize>lane * sizeof<T>()
  store<T>(at, diagonal > 0 ? <T>(1 / diagonal) : 0)
  store<T>(at, <T>diagonal, 16)
  store<f64>(nextExact(black) + ((<usize>lane) << 3), diagonal)
  if (isContact) contacts |= 1 << lane
}

function addIsolated<T>(level: Level, black: bool, start: i32): void {
  keepExact<T>(level, nextSlot(black), black, contacts, false)
  addSlotBlock<T>(level, black, start, 0)
}
