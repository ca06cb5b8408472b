import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PngError, readPng } from './images.ts'

function chunk(kind: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length)
  // Four bytes in place of the checksum, which the reader does not verify.
  return Buffer.concat([length, Buffer.from(kind, 'latin1'), body, Buffer.alloc(4)])
}
interface Made {
  readonly width: number
  readonly height: number
  readonly depth: number
  readonly colour: number
  readonly rows: readonly (readonly number[])[]
  readonly extra?: readonly Buffer[]
  readonly interlaced?: boolean
}
function png({ width, height, depth, colour, rows, extra = [], interlaced = false }: Made): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([depth, colour, 0, 0, interlaced ? 1 : 0], 8)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    ...extra,
    chunk('IDAT', deflateSync(Buffer.from(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
const picture = (file: Buffer): string => {
  const { width, height, dots } = readPng(file)
  return Array.from({ length: height }, (_, y) =>
    [...dots.subarray(y * width, (y + 1) * width)].map((dot) => (dot === 1 ? '#' : '.')).join(''),
  ).join('/')
}

describe('a logo in PNG, whose dark dots become black and whose light or transparent dots become white', () => {
  test('is converted at one bit per dot', () => {
    expect(
      picture(
        png({
          width: 10,
          height: 2,
          depth: 1,
          colour: 0,
          rows: [
            [0, 0b01010101, 0b10000000],
            [0, 0xff, 0x40],
          ],
        }),
      ),
    ).toBe('#.#.#.#..#/........#.')
  })
  test('is converted at eight bits of grey with transparency', () => {
    expect(picture(png({ width: 3, height: 1, depth: 8, colour: 4, rows: [[0, 0, 255, 0, 0, 200, 255]] }))).toBe('#..')
  })
  test('is converted from colours by their brightness', () => {
    expect(
      picture(png({ width: 3, height: 1, depth: 8, colour: 2, rows: [[0, 0, 0, 255, 255, 255, 0, 255, 0, 0]] })),
    ).toBe('#.#')
  })
  test('is converted at sixteen bits of colour with transparency', () => {
    expect(
      picture(
        png({
          width: 2,
          height: 1,
          depth: 16,
          colour: 6,
          rows: [[0, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0]],
        }),
      ),
    ).toBe('#.')
  })
  test('is converted from a palette with a transparent entry', () => {
    const extra = [chunk('PLTE', Buffer.from([0, 0, 0, 0, 0, 0, 255, 255, 255])), chunk('tRNS', Buffer.from([255, 0]))]
    expect(picture(png({ width: 3, height: 1, depth: 2, colour: 3, rows: [[0, 0b00011000]], extra }))).toBe('#..')
  })
})

test('an interlaced image (Adam7) is converted, whose four dots are in the first, sixth and seventh pass', () => {
  const rows = [
    [0, 0],
    [0, 255],
    [0, 255, 0],
  ]
  expect(picture(png({ width: 2, height: 2, depth: 8, colour: 0, rows, interlaced: true }))).toBe('#./.#')
})

test('an image has the same dots with every row filter of PNG', () => {
  const flat = [10, 240, 10, 240, 240, 10]
  const rows = [0, 1, 2, 3, 4].map((filter, y) => [
    filter,
    ...flat.map((value, x) => {
      const left = x === 0 ? 0 : (flat[x - 1] ?? 0)
      const up = y === 0 ? 0 : value
      const corner = x === 0 || y === 0 ? 0 : (flat[x - 1] ?? 0)
      const paeth =
        [left, up, corner].toSorted((a, b) => Math.abs(left + up - corner - a) - Math.abs(left + up - corner - b))[0] ??
        0
      return (value - ([0, left, up, Math.floor((left + up) / 2), paeth][filter] ?? 0)) & 0xff
    }),
  ])
  expect(picture(png({ width: 6, height: 5, depth: 8, colour: 0, rows }))).toBe(
    Array.from({ length: 5 }, () => '#.#..#').join('/'),
  )
})

test('an unreadable image file is rejected with the reason, and never with another error', () => {
  const good = png({ width: 8, height: 1, depth: 8, colour: 0, rows: [[0, 0, 0, 0, 0, 0, 0, 0, 0]] })
  expect(() => readPng(Buffer.from('GIF89a'))).toThrow('not a PNG')
  expect(() => readPng(good.subarray(0, 50))).toThrow('cut short')
  expect(() => readPng(png({ width: 9_000, height: 1, depth: 8, colour: 0, rows: [[0, 0]] }))).toThrow('9000 × 1')
  fc.assert(
    fc.property(
      fc.nat({ max: good.length - 1 }),
      fc.nat({ max: 255 }),
      fc.nat({ max: good.length }),
      (at, value, length) => {
        const spoiled = Buffer.from(good)
        spoiled[at] = value
        const refusal = (): unknown => {
          try {
            readPng(spoiled.subarray(0, length))
            return null
          } catch (error) {
            return error
          }
        }
        expect([null, PngError.prototype]).toContain(refusal() && Object.getPrototypeOf(refusal()))
      },
    ),
  )
})
