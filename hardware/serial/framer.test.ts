import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFramer, type Framer } from './framer.ts'

let frames: string[]
let overflows: number[]
let silences: number
let framer: Framer

beforeEach(() => {
  vi.useFakeTimers()
  frames = []
  overflows = []
  silences = 0
  framer = createFramer(
    { maxLength: 16, interByteMs: 50 },
    {
      onFrame: (frame, ended) => {
        frames.push(`${Buffer.from(frame).toString('latin1')}|${ended}`)
      },
      onDropped: (bytes) => {
        overflows.push(bytes)
      },
      onSilence: () => {
        silences += 1
      },
    },
  )
})
afterEach(() => {
  vi.useRealTimers()
})

const push = (text: string): void => {
  framer.push(Buffer.from(text, 'latin1'))
}

test.each([
  ['CR', '\r'],
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['TAB', '\t'],
  ['EOT', '\x04'],
  ['ETX', '\x03'],
])('a scan that ends with %s is one frame', (_name, suffix) => {
  push(`0123${suffix}4567${suffix}`)
  expect(frames).toEqual(['0123|suffix', '4567|suffix'])
})

test('STX, ETX and ESC around a frame are removed', () => {
  push('\x02%B1?\x03\x1b;2?\r')
  expect(frames).toEqual(['%B1?|suffix', ';2?|suffix'])
})

test('an ESC inside a frame is read as data', () => {
  push('12\x1bp0\r')
  expect(frames).toEqual(['12\x1bp0|suffix'])
})

test('single bytes are combined into one frame', () => {
  for (const character of '4006381333931\r') push(character)
  expect(frames).toEqual(['4006381333931|suffix'])
})

test('a frame without suffix is complete when no bytes arrive for the configured time', () => {
  push('0123')
  vi.advanceTimersByTime(49)
  push('45')
  vi.advanceTimersByTime(49)
  expect(frames).toEqual([])
  vi.advanceTimersByTime(1)
  expect(frames).toEqual(['012345|silence'])
  expect(silences).toBe(1)
})

test('a frame beyond the length limit is dropped and counted, and the next one is delivered', () => {
  push(`${'9'.repeat(40)}\r123\r`)
  expect(overflows).toEqual([40])
  expect(frames).toEqual(['123|suffix'])
})

test('the framer overwrites the bytes of a frame with zeros after delivery', () => {
  push('4111111111111\r')
  push('42'.repeat(30))
  vi.advanceTimersByTime(60)
  expect([...framer.held()].every((byte) => byte === 0)).toBe(true)
})

test('a reset of the framer discards a partial frame', () => {
  push('123')
  framer.reset()
  push('456\r')
  vi.advanceTimersByTime(60)
  expect(frames).toEqual(['456|suffix'])
})

test('the prefix that the profile configures is removed from a frame, and a frame without it is dropped', () => {
  framer = createFramer(
    { maxLength: 16, interByteMs: 50, prefix: Buffer.from('>>') },
    {
      onFrame: (frame) => {
        frames.push(Buffer.from(frame).toString('latin1'))
      },
      onDropped: (bytes) => {
        overflows.push(bytes)
      },
      onSilence: () => undefined,
    },
  )
  push('>>123\r>456\r7\r>>\r')
  expect(frames).toEqual(['123'])
  expect(overflows).toEqual([4, 1])
})

test.each([
  ['\r', '1\n2\t', '1\n2\t'],
  ['\t', '1\r', '1\r'],
  ['\x04', 'a\x03', 'a\x03'],
])('a frame ends only with the suffix that the profile configures: %j', (suffix, text, expected) => {
  framer = createFramer(
    { maxLength: 16, interByteMs: 50, suffixes: Buffer.from(suffix) },
    {
      onFrame: (frame) => {
        frames.push(Buffer.from(frame).toString('latin1'))
      },
      onDropped: () => undefined,
      onSilence: () => undefined,
    },
  )
  push(text + suffix)
  expect(frames).toEqual([expected])
})

test('a frame ends only with silence if the profile configures no suffix', () => {
  framer = createFramer(
    { maxLength: 16, interByteMs: 50, suffixes: new Uint8Array(0) },
    {
      onFrame: (frame, ended) => {
        frames.push(`${Buffer.from(frame).toString('latin1')}|${ended}`)
      },
      onDropped: () => undefined,
      onSilence: () => undefined,
    },
  )
  push('12\r3')
  vi.advanceTimersByTime(50)
  expect(frames).toEqual(['12\r3|silence'])
})
