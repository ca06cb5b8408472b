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
  framer = createFramer({ maxLength: 16, interByteMs: 50 }, {
    onFrame: (frame, ended) => { frames.push(`${Buffer.from(frame).toString('latin1')}|${ended}`) },
    onOverflow: (bytes) => { overflows.push(bytes) },
    onSilence: () => { silences += 1 },
  })
})
afterEach(() => { vi.useRealTimers() })

const push = (text: string): void => { framer.push(Buffer.from(text, 'latin1')) }

test.each([['CR', '\r'], ['LF', '\n'], ['CRLF', '\r\n'], ['TAB', '\t'], ['EOT', '\x04'], ['ETX', '\x03']])('a scan ends with %s, and is one frame', (_name, suffix) => {
  push(`0123${suffix}4567${suffix}`)
  expect(frames).toEqual(['0123|suffix', '4567|suffix'])
})

test('STX, ETX and ESC wrap a frame and are no part of it', () => {
  push('\x02%B1?\x03\x1b;2?\r')
  expect(frames).toEqual(['%B1?|suffix', ';2?|suffix'])
})

test('an ESC inside a frame is data', () => {
  push('12\x1bp0\r')
  expect(frames).toEqual(['12\x1bp0|suffix'])
})

test('a frame that comes byte by byte is one frame', () => {
  for (const character of '4006381333931\r') push(character)
  expect(frames).toEqual(['4006381333931|suffix'])
})

test('a frame without suffix is complete when the wire is silent', () => {
  push('0123')
  vi.advanceTimersByTime(49)
  push('45')
  vi.advanceTimersByTime(49)
  expect(frames).toEqual([])
  vi.advanceTimersByTime(1)
  expect(frames).toEqual(['012345|silence'])
  expect(silences).toBe(1)
})

test('a frame beyond the limit is dropped whole and counted, and the next one is whole', () => {
  push(`${'9'.repeat(40)}\r123\r`)
  expect(overflows).toEqual([40])
  expect(frames).toEqual(['123|suffix'])
})

test('nothing of a frame is kept after it was given', () => {
  push('4111111111111\r')
  push('42'.repeat(30))
  vi.advanceTimersByTime(60)
  expect([...framer.held()].every((byte) => byte === 0)).toBe(true)
})

test('a reset forgets what was half received', () => {
  push('123')
  framer.reset()
  push('456\r')
  vi.advanceTimersByTime(60)
  expect(frames).toEqual(['456|suffix'])
})
