import { expect, test } from 'vitest'
import { imageTypeOf } from './fetch-image.ts'
import { png } from './pictures.fixture.ts'

const FILES = [
  [
    'image/png',
    'iVBORw0KGgoAAAANSUhEUgAAAB4AAAAUCAYAAACaq43EAAAARklEQVR4AezQwQkAIAwEQbEjv9ZvX9rCwvrcQH53JMwccM5e' +
      '9+fiw/A/HOswprLBqK0g7keNqWwwaiuI+1FjKhuM2gri/gMAAP//i7hZugAAAAZJREFUAwBEXSvBXGMWqAAAAABJRU5ErkJg' +
      'gg==',
  ],
  [
    'image/jpeg',
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////////////' +
      '////////////////////////2wBDAVVaWnhpeOuCguv/////////////////////////////////////////////////////' +
      '////////////////////wAARCAAUAB4DASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAL/xAAUEAEAAAAAAAAAAAAA' +
      'AAAAAAAA/8QAFgEBAQEAAAAAAAAAAAAAAAAAAAID/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8AgBDcAAAA' +
      'AB//2Q==',
  ],
  ['image/webp', 'UklGRkAAAABXRUJQVlA4IDQAAADwAgCdASoeABQAP3Gy0F+0rimlqAgCkC4JZQAAPZ7gAAD+0Mr6Gi9U//UrfrolVzNEgAAA'],
  ['image/webp', 'UklGRh4AAABXRUJQVlA4TBEAAAAvHcAEAAdQnRI3pv+BiOh/AAA='],
  [
    'image/webp',
    'UklGRnYAAABXRUJQVlA4WAoAAAAQAAAAHQAAEwAAQUxQSBgAAAABDzD/ERFCIdsI0MzO3+kTOICI/geevgBWUDggOAAAABAD' +
      'AJ0BKh4AFAA/caTHWLSsKCOwCAKQLglAGUAGDujHAAD+6Q/9NxuU/CpjZstWTF16jTS3HyAA',
  ],
] as const

const bytesOf = (base64: string): Buffer => Buffer.from(base64, 'base64')

test.each(FILES)('the picture type %s is recognized by the first bytes, and not without them', (type, base64) => {
  const file = bytesOf(base64)
  expect(imageTypeOf(file)).toBe(type)
  expect(imageTypeOf(file.subarray(0, 20))).toBeNull()
  expect(imageTypeOf(file.subarray(1))).toBeNull()
})

test('SVG, GIF, HTML, another RIFF file and an empty file are not accepted as pictures', () => {
  for (const text of [
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'GIF89a and more than thirty bytes of it',
    '<!doctype html><title>A page</title>',
    'RIFF\x24\0\0\0WAVEfmt and more than thirty bytes',
    '',
  ])
    expect(imageTypeOf(Buffer.from(text)), text).toBeNull()
})

test('a small picture file that would take a gigabyte to decode is not accepted', () => {
  expect(imageTypeOf(png('', 4_096))).toBe('image/png')
  expect(imageTypeOf(png('', 4_097))).toBeNull()
  expect(imageTypeOf(png('', 0))).toBeNull()
  const jpeg = bytesOf(FILES[1][1])
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]))
  expect([jpeg.readUInt16BE(frame + 5), jpeg.readUInt16BE(frame + 7)]).toEqual([20, 30])
  jpeg.writeUInt16BE(65_535, frame + 5)
  expect(imageTypeOf(jpeg)).toBeNull()
  const extended = bytesOf(FILES[4][1])
  extended.writeUIntLE(16_000, 24, 3)
  expect(imageTypeOf(extended)).toBeNull()
})

test('a JPEG that consists of markers only is read to its end and is not accepted', () => {
  expect(imageTypeOf(Buffer.alloc(64, 0xff))).toBeNull()
  expect(imageTypeOf(Buffer.concat([bytesOf(FILES[1][1]).subarray(0, 20), Buffer.alloc(64, 0xff)]))).toBeNull()
})
