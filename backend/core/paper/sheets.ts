import { ADVANCE, type Page, type Shape } from './page.ts'

/** US Letter, which offices in Canada print on. Points. */
const SHEET = { width: 612, height: 792 }
const MARGIN = { top: 48, bottom: 64 }
/** Letters of a report, and of the line at the foot of a sheet. */
const LETTERS = 10
const SMALL = 8
const FOOT_SIDE = 54
const FOOT = SHEET.height - 40
const LINE_ABOVE = 14

export interface Foot {
  /** What the sheet belongs to. */
  readonly words: string
  /** E.g. "Page 1 of 2". */
  readonly page: (number: number, count: number) => string
}

/**
 * The long page of a paper, cut into sheets of an office: the same lines, in larger letters, one under the other. What
 * stands between two rules stays on one sheet where one is long enough. Pure.
 */
export function sheetsOf(paper: Page, foot: Foot): Page[] {
  const letters = Math.min(...paper.shapes.flatMap((shape) => (shape.kind === 'text' ? [shape.size] : [])))
  const scale = LETTERS / letters
  const left = (SHEET.width - paper.width * scale) / 2
  const room = SHEET.height - MARGIN.top - MARGIN.bottom
  const sheets: Shape[][] = [[]]
  /** Where on the paper the sheet begins. */
  let start = 0
  const turn = (at: number): void => {
    sheets.push([])
    start = at
  }
  const fits = (end: number): boolean => (end - start) * scale <= room
  for (const part of partsOf(paper.shapes)) {
    const top = Math.min(...part.map(topOf))
    const end = Math.max(...part.map(endOf))
    if (!fits(end) && (end - top) * scale <= room) turn(top)
    for (const shape of part) {
      if (!fits(endOf(shape))) turn(topOf(shape))
      sheets.at(-1)?.push(moved(shape, { left, top: MARGIN.top - start * scale, scale }))
    }
  }
  return sheets.map((shapes, index) => ({
    ...SHEET,
    shapes: [...shapes, ...footOf(foot.words, foot.page(index + 1, sheets.length))],
  }))
}

/** A rule begins a part. */
function partsOf(shapes: readonly Shape[]): Shape[][] {
  const parts: Shape[][] = []
  for (const shape of shapes) {
    const last = parts.at(-1)
    if (!last || shape.kind === 'rule') parts.push([shape])
    else last.push(shape)
  }
  return parts
}

function topOf(shape: Shape): number {
  switch (shape.kind) {
    case 'text':
      return shape.y - shape.size
    case 'rule':
      return shape.y
    case 'areas':
      return Math.min(...shape.areas.map(([, top]) => top))
  }
}

/** With what hangs below the line: the tail of a letter. */
function endOf(shape: Shape): number {
  switch (shape.kind) {
    case 'text':
      return shape.y + shape.size * 0.3
    case 'rule':
      return shape.y
    case 'areas':
      return Math.max(...shape.areas.map(([, top, , height]) => top + height))
  }
}

function moved(shape: Shape, to: { readonly left: number; readonly top: number; readonly scale: number }): Shape {
  const across = (x: number): number => to.left + x * to.scale
  const down = (y: number): number => to.top + y * to.scale
  switch (shape.kind) {
    case 'text':
      return {
        ...shape,
        x: across(shape.x),
        y: down(shape.y),
        width: shape.width * to.scale,
        size: shape.size * to.scale,
      }
    case 'rule':
      return { ...shape, x: across(shape.x), y: down(shape.y), width: shape.width * to.scale }
    case 'areas':
      return {
        ...shape,
        areas: shape.areas.map(
          ([x, y, width, height]) => [across(x), down(y), width * to.scale, height * to.scale] as const,
        ),
      }
  }
}

function footOf(words: string, page: string): Shape[] {
  const wide = (text: string): number => [...text].length * SMALL * ADVANCE
  const across = SHEET.width - FOOT_SIDE * 2
  const room = Math.floor((across - wide(page)) / SMALL / ADVANCE) - 2
  const line = (text: string, x: number): Shape => ({
    kind: 'text',
    x,
    y: FOOT,
    width: wide(text),
    text,
    size: SMALL,
    bold: false,
  })
  return [
    { kind: 'rule', x: FOOT_SIDE, y: FOOT - LINE_ABOVE, width: across },
    line([...words].slice(0, room).join(''), FOOT_SIDE),
    line(page, SHEET.width - FOOT_SIDE - wide(page)),
  ]
}
