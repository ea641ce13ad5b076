/** Records in the memory of a machine, by the layouts of the compiler (src/machine/generated/layouts.ts). */

type FieldType = 'i32' | 'u32' | 'usize' | 'f32' | 'f64' | 'u8' | 'bool'

/** Fields with their type and their offset in bytes. */
export interface Layout {
  readonly bytes: number
  readonly fields: Readonly<Record<string, readonly [type: FieldType, offset: number]>>
}

/** One property per field, which reads and writes the memory. Addresses are unsigned. */
export type RecordAt<L extends Layout> = { -readonly [Field in keyof L['fields']]: number }

type RecordClass = new (memory: WebAssembly.Memory, address: number) => object

/** One class per layout: defining accessors for every record would take longer than what small problems read through them. */
const classes = new WeakMap<Layout, RecordClass>()

/** Stays valid when the memory grows. */
export function recordAt<L extends Layout>(memory: WebAssembly.Memory, layout: L, address: number): RecordAt<L> {
  let Record = classes.get(layout)
  if (!Record) {
    Record = createClass(layout)
    classes.set(layout, Record)
  }
  return new Record(memory, address) as RecordAt<L>
}

function createClass({ bytes, fields }: Layout): RecordClass {
  class Record {
    /** Absent if the memory is shared: its views stay valid when it grows, and asking for its buffer takes longer than a field. */
    readonly #memory: WebAssembly.Memory | undefined
    readonly #address: number
    #view: DataView

    constructor(memory: WebAssembly.Memory, address: number) {
      const { buffer } = memory
      this.#memory = buffer instanceof ArrayBuffer ? memory : undefined
      this.#address = address
      this.#view = new DataView(buffer, address, bytes)
    }

    static viewOf(record: Record): DataView {
      const buffer = record.#memory?.buffer
      if (buffer && record.#view.buffer !== buffer) record.#view = new DataView(buffer, record.#address, bytes)
      return record.#view
    }
  }
  for (const [field, [type, offset]] of Object.entries(fields)) {
    const { get, set } = ACCESS[type]
    Object.defineProperty(Record.prototype, field, {
      enumerable: true,
      get(this: Record) {
        return get(Record.viewOf(this), offset)
      },
      set(this: Record, value: number) {
        set(Record.viewOf(this), offset, value)
      },
    })
  }
  return Record
}

interface Access {
  get(view: DataView, offset: number): number
  set(view: DataView, offset: number, value: number): void
}

const unsigned: Access = {
  get: (view, offset) => view.getUint32(offset, true),
  set: (view, offset, value) => view.setUint32(offset, value, true),
}
const byte: Access = { get: (view, offset) => view.getUint8(offset), set: (view, offset, value) => view.setUint8(offset, value) }

const ACCESS: Readonly<Record<FieldType, Access>> = {
  usize: unsigned,
  u32: unsigned,
  u8: byte,
  bool: byte,
  i32: { get: (view, offset) => view.getInt32(offset, true), set: (view, offset, value) => view.setInt32(offset, value, true) },
  f32: {
    get: (view, offset) => view.getFloat32(offset, true),
    set: (view, offset, value) => view.setFloat32(offset, value, true),
  },
  f64: {
    get: (view, offset) => view.getFloat64(offset, true),
    set: (view, offset, value) => view.setFloat64(offset, value, true),
  },
}
