/** What an MP4 file says of itself. */
export interface Box {
  readonly type: string
  readonly content: DataView
}

/** Boxes beside each other; throws if one is longer than its parent. */
export function boxesOf(content: DataView): Box[] {
  const boxes: Box[] = []
  for (let at = 0; at < content.byteLength; ) {
    const size = content.getUint32(at) || content.byteLength - at
    const type = String.fromCharCode(...[4, 5, 6, 7].map(byte => content.getUint8(at + byte)))
    if (size < 8 || at + size > content.byteLength) throw new Error(`The box ${type} at ${at} has ${size} bytes.`)
    boxes.push({ type, content: new DataView(content.buffer, content.byteOffset + at + 8, size - 8) })
    at += size
  }
  return boxes
}

export function findBox(content: DataView, ...path: string[]): DataView {
  const [type, ...rest] = path
  const box = boxesOf(content).find(candidate => candidate.type === type)
  if (!box) throw new Error(`There is no box ${type}.`)
  return rest.length ? findBox(box.content, ...rest) : box.content
}

export function describeMp4(bytes: Uint8Array) {
  const file = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const media = findBox(file, 'moov', 'trak', 'mdia')
  const samples = findBox(media, 'minf', 'stbl')
  const header = findBox(media, 'mdhd')
  const track = findBox(file, 'moov', 'trak', 'tkhd')
  const coding = findBox(samples, 'stsd')
  return {
    types: boxesOf(file).map(({ type }) => type),
    frames: findBox(samples, 'stsz').getUint32(8),
    seconds: header.getUint32(16) / header.getUint32(12),
    width: track.getUint32(76) / 65536,
    height: track.getUint32(80) / 65536,
    coding: String.fromCharCode(...[12, 13, 14, 15].map(byte => coding.getUint8(byte))),
  }
}
