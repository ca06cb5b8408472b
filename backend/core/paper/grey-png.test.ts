import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readPng, writeGreyPng } from './images.ts'

const opaque = (greys: readonly number[]): Uint8Array =>
  Uint8Array.from(greys.flatMap((grey) => [grey, grey, grey, 255]))

test('every dot of a grey PNG reads back as written, at even and odd widths', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 17 }),
      fc.integer({ min: 1, max: 9 }),
      fc.infiniteStream(fc.boolean()),
      (width, height, stream) => {
        const dots = Uint8Array.from({ length: width * height }, () => (stream.next().value === true ? 1 : 0))
        const file = writeGreyPng({ width, height, pixels: opaque([...dots].map((dot) => (dot === 1 ? 17 : 255))) })
        expect(readPng(file)).toEqual({ width, height, dots })
      },
    ),
  )
})

test('in a grey PNG, the soft edges of dark and light dots are never on the wrong side of middle grey', () => {
  const greys = [0, 60, 119, 136, 200, 255]
  expect([...readPng(writeGreyPng({ width: 6, height: 1, pixels: opaque(greys) })).dots]).toEqual([1, 1, 1, 0, 0, 0])
})
