/** Frames between Peel and a driver, little-endian. A header of 32 bytes: u32 magic, u16 protocol, u16 type, u32 id, u32 flags, u64 length of
 *  the payload, u64 reserved. CHALLENGE, HELLO and WELCOME come first: handshake.ts. A SOLVE is answered by one PROGRESS per outer step (f64 outer, residual,
 *  pinned, inner) and then by SOLUTION (12 f64 statistics, then pressures) or ERROR (JSON code, message). CANCEL ends a solve early, with
 *  the pressure so far. BYE ends the driver.
 *
 *  SOLVE of a grid: the task of 48 bytes (i32 nx, ny, nz, cells along a tile, tiles, warm; f64 tolerance, inner tolerance; i32 outer and
 *  inner steps at most), the table of tiles, i32 first tile of every rank and the number of tiles, padding to 8 bytes, then a record per
 *  tile, as cluster/tile-packing.ts packs them. A rank's share is one range of bytes.
 *  SOLVE of rows: rows-method.ts. */

export const PROTOCOL = 2

export const FRAME = {
  hello: 1,
  solve: 2,
  echo: 3,
  bye: 4,
  cancel: 5,
  challenge: 6,
  welcome: 7,
  progress: 16,
  solution: 17,
  error: 18,
} as const

/** What a cell can be besides liquid (0) and contact (1): contacts of an expanding pocket, numbered from here on, which must keep one of
 *  them pinned; and the cell in which a pocket without air is grounded. */
export const FIRST_GUARDED = 2
export const GROUNDED_CELL = 255

/** Of a PROGRESS. */
export const PROGRESS_BYTES = 32

const WIRE_MAGIC = 0x4c454550
const HEADER_BYTES = 32
/** Node has no larger buffers, and no problem that fits into the memory of the loops has a longer answer. */
const MAX_PAYLOAD = 2 ** 32 - 1

export interface FrameHead {
  readonly type: number
  readonly id: number
  /** Bytes of the payload. */
  readonly length: number
}

export interface WireFrame {
  readonly type: number
  readonly id: number
  readonly payload: Buffer
}

export function encodeHeader(type: number, id: number, length: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32LE(WIRE_MAGIC, 0)
  header.writeUInt16LE(PROTOCOL, 4)
  header.writeUInt16LE(type, 6)
  header.writeUInt32LE(id, 8)
  header.writeBigUInt64LE(BigInt(length), 16)
  return header
}

/** Receives bytes in any portions and emits whole frames. Throws if they are no frames, or frames that do not fit: `fits` is
 *  called before memory is allocated for a payload. */
export function createFrameReader(
  onFrame: (frame: WireFrame) => void,
  fits: (head: FrameHead) => boolean = () => true,
): (bytes: Buffer) => void {
  let header = Buffer.alloc(HEADER_BYTES)
  let headerBytes = 0
  let frame: WireFrame | undefined
  let filled = 0
  return bytes => {
    for (let rest = bytes; rest.length > 0 || (frame && filled === frame.payload.length); ) {
      if (!frame) {
        const count = rest.copy(header, headerBytes)
        headerBytes += count
        rest = rest.subarray(count)
        if (headerBytes < HEADER_BYTES) return
        frame = openFrame(header, fits)
        header = Buffer.alloc(HEADER_BYTES)
        headerBytes = 0
        filled = 0
        continue
      }
      const count = rest.copy(frame.payload, filled)
      filled += count
      rest = rest.subarray(count)
      if (filled < frame.payload.length) return
      const whole = frame
      frame = undefined
      onFrame(whole)
    }
  }
}

function openFrame(header: Buffer, fits: (head: FrameHead) => boolean): WireFrame {
  const [type, id, length] = [header.readUInt16LE(6), header.readUInt32LE(8), header.readBigUInt64LE(16)]
  if (header.readUInt32LE(0) !== WIRE_MAGIC || length > MAX_PAYLOAD) throw new Error('this is not a message of the driver')
  if (!fits({ type, id, length: Number(length) })) throw new Error('this message was not expected')
  return { type, id, payload: Buffer.allocUnsafeSlow(Number(length)) }
}

/** What a driver reports about itself. */
export interface Hello {
  readonly protocol: number
  readonly driver: string
  readonly ranks: number
  /** Name and version of the library that solves. */
  readonly library: string
  readonly mpi: string
}

export interface Statistics {
  readonly residual: number
  readonly outer: number
  readonly inner: number
  readonly unknowns: number
  /** Swept: the boxes of all ranks. */
  readonly cells: number
  /** Seconds of all ranks together, and of the busiest one. */
  readonly cpu: number
  readonly slowestCpu: number
  readonly boxes: number
  readonly setups: number
  /** 1 if red-black multigrid had failed. */
  readonly robust: number
  /** Of the slowest rank. */
  readonly peakMb: number
  readonly cancelled: number
}

const STATISTICS = [
  'residual',
  'outer',
  'inner',
  'unknowns',
  'cells',
  'cpu',
  'slowestCpu',
  'boxes',
  'setups',
  'robust',
  'peakMb',
  'cancelled',
]

/** Bytes of a SOLUTION with so many pressures. */
export const solutionBytes = (values: number) => 8 * (STATISTICS.length + values)

export function decodeSolution({ payload }: WireFrame): { statistics: Statistics; values: Float64Array } {
  const words = new Float64Array(payload.buffer, payload.byteOffset, payload.length / 8)
  const statistics = Object.fromEntries(STATISTICS.map((name, at) => [name, words[at]])) as unknown as Statistics
  return { statistics, values: words.subarray(STATISTICS.length) }
}
