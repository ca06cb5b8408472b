import { ADVANCE, type Page, type Shape } from './page.ts'

/** US Letter, the usual office paper in Canada, in points. */
export const SHEET = { width: 612, height: 792 }
const MARGIN = { top: 48, bottom: 64 }
const LETTERS = 10
const SMALL = 8
const FOOT_SIDE = 54
const FOOT = SHEET.height - 40
const LINE_ABOVE = 14

export interface Foot {
  readonly text: string
  readonly page: (number: number, count: number) => string
}

/**
 * Cuts the long page of a report into sheets, with larger letters. A section between two rules stays on one sheet if it
 * fits.
 */
export function sheetsOf(paper: Page, foot: Foot): Page[] {
  const letters = Math.min(...paper.shapes.flatMap((shape) => (shape.kind === 'text' ? [shape.size] : [])))
  const scale = LETTERS / letters
  const left = (SHEET.width - paper.width * scale) / 2
  const room = SHEET.height - MARGIN.top - MARGIN.bottom
  const sheets: Shape[][] = [[]]
  let start = 0
  const startSheet = (at: number): void => {
    sheets.push([])
    start = at
  }
  const fits = (end: number): boolean => (end - start) * scale <= room
  for (const section of sectionsOf(paper.shapes)) {
    const top = Math.min(...section.map(topOf))
    const end = Math.max(...section.map(endOf))
    if (!fits(end) && (end - top) * scale <= room) startSheet(top)
    for (const shape of section) {
      if (!fits(endOf(shape))) startSheet(topOf(shape))
      sheets.at(-1)?.push(transformed(shape, { left, top: MARGIN.top - start * scale, scale }))
    }
  }
  return sheets.map((shapes, index) => ({
    ...SHEET,
    shapes: [...shapes, ...footOf(foot.text, foot.page(index + 1, sheets.length))],
  }))
}

function sectionsOf(shapes: readonly Shape[]): Shape[][] {
  const sections: Shape[][] = []
  for (const shape of shapes) {
    const last = sections.at(-1)
    if (!last || shape.kind === 'rule') sections.push([shape])
    else last.push(shape)
  }
  return sections
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

function transformed(shape: Shape, to: { readonly left: number; readonly top: number; readonly scale: number }): Shape {
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

export function footOf(label: string, page: string): Shape[] {
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
    line([...label].slice(0, room).join(''), FOOT_SIDE),
    line(page, SHEET.width - FOOT_SIDE - wide(page)),
  ]
}
