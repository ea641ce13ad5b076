/** Letters for captions, at any size. A letter is a pattern of 5 × 7 dots, two rows more where it reaches below the line; neighbouring dots
 *  are joined by strokes with round ends, so that it stays smooth when it is large. */
import type { Picture } from '../liquid/picture.js'
import { blend, type Colour } from './colour.js'

/** Letters, each followed by its rows from the top: five dots are a number in base 32, the left one counting most. */
const PATTERNS = [
  'A ehhvhhh B uhhuhhu C ehggghe D uhhhhhu E vgguggv F vgguggg G ehgjhhe H hhhvhhh I e44444e J 72222ic K hikokih',
  'L ggggggv M hrllhhh N hppljjh O ehhhhhe P uhhuggg Q ehhhlid R uhhukih S fgge11u T v444444 U hhhhhhe V hhhhha4',
  'W hhhllla X hha4ahh Y hha4444 Z v1248gv a 00e1fhf b gguhhhu c 00eggge d 11fhhhf e 00ehvge f 688u888',
  'g 00fhhhf1e h gguhhhh i 40c444e j 20622222c k ggikoki l c44444e m 00ullll n 00uhhhh o 00ehhhe p 00uhhhugg',
  'q 00fhhhf11 r 00moggg s 00fge1u t 88u8886 u 00hhhhf v 00hhha4 w 00hllla x 00ha4ah y 00hhhhf1e z 00v248v',
  '0 ehhlhhe 1 4c4444e 2 eh1248v 3 eh161he 4 26aiv22 5 vgu11he 6 egguhhe 7 v122444 8 ehhehhe 9 ehhf11e . 0000004',
  ', 00000448 : 0040040 ; 00400448 ! 4444404 ? eh12404 \' 4400000 " aa00000 - 000e000 − 000v000 + 044v440',
  '= 00v0v00 / 11248gg \\ gg84211 | 4444444 ( 2488842 ) 8422248 [ e88888e ] e22222e < 248g842 > 8421248 _ 000000v',
  '% pp248jj # aavavaa & cik8lid * 04lel40 @ ehnlnge × 00ha4ah · 0004000 ² ci48u00 ³ s2c2s00 ° ciic000',
].flatMap(line => line.split(' '))

const SPACE = 4
/** Rows from the top of a capital to the baseline, and to the lowest dot of all. */
const CAPITAL = 7
export const LETTER_ROWS = 9
/** Half the width of a stroke, in dots. */
const PEN = 0.46

interface Letter {
  readonly strokes: readonly (readonly [x1: number, y1: number, x2: number, y2: number])[]
  /** Dots to the next letter. */
  readonly advance: number
}

const LETTERS = new Map<string, Letter>()
for (let at = 0; at < PATTERNS.length; at += 2) LETTERS.set(PATTERNS[at], letterOf(PATTERNS[at + 1]))

/** Dots that no other is joined to, and what joins others: rows, columns, and diagonals that do not only cut a corner. */
function letterOf(pattern: string): Letter {
  const rows = [...pattern].map(digit => Number.parseInt(digit, 32))
  const isSet = (x: number, y: number) => x >= 0 && x < 5 && ((rows[y] ?? 0) & (16 >> x)) !== 0
  const columns = [0, 1, 2, 3, 4].filter(x => rows.some((_, y) => isSet(x, y)))
  const left = columns[0]
  const strokes: [number, number, number, number][] = []
  for (let y = 0; y < rows.length; y++) {
    for (let x = 0; x < 5; x++) {
      if (!isSet(x, y)) continue
      strokes.push([x - left, y, x - left, y])
      if (isSet(x + 1, y)) strokes.push([x - left, y, x + 1 - left, y])
      if (isSet(x, y + 1)) strokes.push([x - left, y, x - left, y + 1])
      for (const dx of [-1, 1])
        if (isSet(x + dx, y + 1) && !isSet(x + dx, y) && !isSet(x, y + 1)) strokes.push([x - left, y, x + dx - left, y + 1])
    }
  }
  return { strokes, advance: columns[columns.length - 1] - left + 2.2 }
}

/** Unknown letters are drawn as a question mark. */
function letterFor(char: string): Letter | undefined {
  return char === ' ' ? undefined : (LETTERS.get(char) ?? LETTERS.get('?'))
}

/** Width of a text in dots. */
export function textWidth(text: string): number {
  let width = 0
  for (const char of text) width += letterFor(char)?.advance ?? SPACE
  return Math.max(0, width - 1.2)
}

/** Writes with the upper left dot at (x, y) in pixels and dots `dot` pixels apart. What is outside of the picture is left out. */
export function write(picture: Picture, text: string, x: number, y: number, dot: number, colour: Colour): void {
  let pen = x
  for (const char of text) {
    const letter = letterFor(char)
    if (letter) drawLetter(picture, letter, pen, y, dot, colour)
    pen += dot * (letter?.advance ?? SPACE)
  }
}

/** Height of capitals in pixels when dots are `dot` pixels apart. */
export function capitalHeight(dot: number): number {
  return CAPITAL * dot
}

function drawLetter(picture: Picture, letter: Letter, left: number, top: number, dot: number, colour: Colour): void {
  const { width, height } = picture
  const radius = Math.max(PEN * dot, 0.5)
  const fromX = Math.max(0, Math.floor(left - dot))
  const toX = Math.min(width, Math.ceil(left + dot * (letter.advance + 1)))
  const fromY = Math.max(0, Math.floor(top - dot))
  const toY = Math.min(height, Math.ceil(top + dot * (LETTER_ROWS + 1)))
  for (let row = fromY; row < toY; row++) {
    for (let column = fromX; column < toX; column++) {
      const px = (column + 0.5 - left) / dot - 0.5
      const py = (row + 0.5 - top) / dot - 0.5
      let nearest = Infinity
      for (const [x1, y1, x2, y2] of letter.strokes) nearest = Math.min(nearest, squaredDistance(px, py, x1, y1, x2, y2))
      const coverage = Math.min(Math.max(radius - Math.sqrt(nearest) * dot + 0.5, 0), 1)
      if (coverage > 0) blend(picture.pixels, 4 * (column + width * row), colour, coverage)
    }
  }
}

function squaredDistance(px: number, py: number, x1: number, y1: number, x2: number, y2: number): number {
  const dx = x2 - x1
  const dy = y2 - y1
  const length = dx * dx + dy * dy
  const t = length === 0 ? 0 : Math.min(1, Math.max(0, ((px - x1) * dx + (py - y1) * dy) / length))
  return (px - x1 - t * dx) ** 2 + (py - y1 - t * dy) ** 2
}
