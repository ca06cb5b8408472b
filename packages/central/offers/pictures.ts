import { encode } from 'fast-png'
import type { StoredOffer } from './offers.sql.ts'

export const PICTURES_PATH = '/offer-images'
/** Partner whose offers have pictures, because training lanes belong to a store of this partner. */
const DRAWN_FOR = 'northstar'

const WIDTH = 192
const HEIGHT = 144
const POINTS = 2

type Colour = readonly [red: number, green: number, blue: number]
/** Returns whether a point of the drawing, from (0, 0) to (4, 3), is inside a shape. */
type Shape = (x: number, y: number) => boolean
interface Drawing {
  readonly background: Colour
  readonly shapes: readonly (readonly [Colour, Shape])[]
}

const circle =
  (atX: number, atY: number, radius: number): Shape =>
  (x, y) =>
    (x - atX) ** 2 + (y - atY) ** 2 <= radius ** 2
const box =
  (left: number, top: number, right: number, bottom: number): Shape =>
  (x, y) =>
    x >= left && x <= right && y >= top && y <= bottom
const both =
  (one: Shape, other: Shape): Shape =>
  (x, y) =>
    one(x, y) && other(x, y)
const without =
  (one: Shape, other: Shape): Shape =>
  (x, y) =>
    one(x, y) && !other(x, y)

const DRAWINGS: ReadonlyMap<string, Drawing> = new Map<string, Drawing>(
  Object.entries({
    apple: {
      background: [226, 240, 222],
      shapes: [
        [[196, 58, 49], circle(1.72, 1.7, 0.72)],
        [[196, 58, 49], circle(2.28, 1.7, 0.72)],
        [[110, 74, 46], box(1.94, 0.55, 2.06, 1.15)],
        [[74, 141, 74], both(circle(2.2, 0.5, 0.42), circle(2.55, 0.95, 0.42))],
      ],
    },
    cup: {
      background: [242, 229, 213],
      shapes: [
        [[255, 255, 255], without(circle(2.72, 1.5, 0.42), circle(2.72, 1.5, 0.26))],
        [[255, 255, 255], box(1.2, 1, 2.7, 2.2)],
        [[111, 78, 55], box(1.3, 1.08, 2.6, 1.28)],
        [[184, 163, 140], box(0.95, 2.28, 2.95, 2.42)],
      ],
    },
    jar: {
      background: [250, 236, 205],
      shapes: [
        [[180, 101, 32], box(1.35, 1.05, 2.65, 2.5)],
        [[214, 137, 56], box(1.45, 1.15, 1.65, 2.4)],
        [[250, 246, 236], box(1.35, 1.5, 2.65, 2.1)],
        [[92, 72, 58], box(1.5, 0.75, 2.5, 1.02)],
      ],
    },
    cheese: {
      background: [221, 234, 244],
      shapes: [
        [[244, 196, 72], (x, y) => y <= 2.35 && y >= 1.15 && x <= 3.05 && y >= 2.35 - (x - 0.85) * 0.62],
        [[214, 163, 46], circle(2.5, 1.55, 0.15)],
        [[214, 163, 46], circle(1.95, 2.05, 0.19)],
        [[214, 163, 46], circle(2.75, 2.05, 0.12)],
      ],
    },
    loaf: {
      background: [239, 226, 240],
      shapes: [
        [[176, 115, 59], circle(1.5, 1.55, 0.55)],
        [[176, 115, 59], circle(2.5, 1.55, 0.55)],
        [[176, 115, 59], box(1.1, 1.2, 2.9, 2.3)],
        [[220, 171, 114], box(1.45, 1.35, 1.55, 2)],
        [[220, 171, 114], box(1.95, 1.35, 2.05, 2)],
        [[220, 171, 114], box(2.45, 1.35, 2.55, 2)],
      ],
    },
    bag: {
      background: [222, 232, 246],
      shapes: [
        [[52, 96, 148], without(circle(2, 1.05, 0.5), circle(2, 1.05, 0.38))],
        [[62, 116, 176], box(1.2, 1.05, 2.8, 2.5)],
        [[255, 255, 255], circle(2, 1.8, 0.32)],
      ],
    },
  } satisfies Record<string, Drawing>),
)
const BY_TEXT = [
  ['apples', 'apple'],
  ['coffee', 'cup'],
  ['syrup', 'jar'],
  ['cheddar', 'cheese'],
  ['bread', 'loaf'],
] as const

/** Returns the address of an offer's picture: below `address` for drawn pictures, else unreachable. */
export function pictureAddress(offer: Pick<StoredOffer, 'id' | 'partnerSlug' | 'copy'>, address: string): string {
  if (offer.partnerSlug !== DRAWN_FOR) return `https://images.miles.example/offers/${offer.id}.jpg`
  const copy = offer.copy['en-US'].qualifierShort
  const [, name] = BY_TEXT.find(([part]) => copy.includes(part)) ?? ['', 'bag']
  return `${address}${PICTURES_PATH}/${name}.png`
}

const drawn = new Map<Drawing, Uint8Array>()

export function drawPicture(file: string): Uint8Array | null {
  const drawing = DRAWINGS.get(/^([a-z]+)\.png$/.exec(file)?.[1] ?? '')
  if (!drawing) return null
  const picture = drawn.get(drawing) ?? draw(drawing)
  drawn.set(drawing, picture)
  return picture
}

function draw(drawing: Drawing): Uint8Array {
  const data = new Uint8Array(WIDTH * HEIGHT * 3)
  for (let y = 0; y < HEIGHT; y += 1)
    for (let x = 0; x < WIDTH; x += 1) data.set(colourOf(drawing, x, y), (y * WIDTH + x) * 3)
  return encode({ width: WIDTH, height: HEIGHT, data, channels: 3, depth: 8 })
}

function colourOf({ background, shapes }: Drawing, dotX: number, dotY: number): Colour {
  let [red, green, blue] = [0, 0, 0]
  for (let point = 0; point < POINTS * POINTS; point += 1) {
    const x = ((dotX + ((point % POINTS) + 0.5) / POINTS) * 4) / WIDTH
    const y = ((dotY + (Math.floor(point / POINTS) + 0.5) / POINTS) * 3) / HEIGHT
    const colour = shapes.findLast(([, shape]) => shape(x, y))?.[0] ?? background
    red += colour[0]
    green += colour[1]
    blue += colour[2]
  }
  const points = POINTS * POINTS
  return [Math.round(red / points), Math.round(green / points), Math.round(blue / points)]
}
