import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ReplyAssembler, SCALE_PROTOCOLS, type ScaleReply } from './protocols.ts'

const read = (protocol: keyof typeof SCALE_PROTOCOLS, bytes: Uint8Array): (ScaleReply | null)[] => {
  const replies: (ScaleReply | null)[] = []
  const { parse } = SCALE_PROTOCOLS[protocol]
  const assembler = new ReplyAssembler(SCALE_PROTOCOLS[protocol], (content) => replies.push(parse(content)))
  assembler.push(bytes)
  return replies
}
const text = (content: string): Buffer => Buffer.from(content, 'latin1')
const weight = (thousandths: number, unit: 'kg' | 'lb', decimals: number, isNet = false) => ({
  state: thousandths === 0 ? 'zero' : 'stable',
  weight: { thousandths, unit, decimals, isNet },
})

test.each([
  ['a weight in kilograms', '\x0201.235\r', weight(1235, 'kg', 3)],
  ['a weight in pounds with three digits', '\x02002.35\r', weight(2350, 'lb', 2)],
  ['a weight in pounds with two digits', '\x0202.35\r', weight(2350, 'lb', 2)],
  ['a net weight', '\x0200.345N\r', weight(345, 'kg', 3, true)],
  ['zero', '\x0200.000\r', weight(0, 'kg', 3)],
  ['motion', '\x02?A\r', { state: 'unstable', weight: null }],
  ['motion of a net weight', '\x02?a\r', { state: 'unstable', weight: null }],
  ['over capacity', '\x02?B\r', { state: 'over', weight: null }],
  ['under zero', '\x02?D\r', { state: 'under', weight: null }],
  ['under zero while moving', '\x02?E\r', { state: 'under', weight: null }],
  ['outside the zero range', '\x02?H\r', { state: 'not-zeroed', weight: null }],
  ['a status without an error', '\x02?@\r', { state: 'unchanged' }],
])('the Toledo protocol reads %s', (_case, bytes, expected) => {
  expect(read('toledo-8217', text(bytes))).toEqual([expected])
})

test.each([
  ['1.235', 'a digit was lost'],
  ['001.235', 'a digit too many'],
  ['01235', 'no decimal point'],
  ['01.2x5', 'a letter'],
  ['01.235NN', 'two marks'],
  ['?', 'no status byte'],
  ['?\x01', 'bit 6 is missing'],
  ['', 'nothing'],
])('the Toledo protocol refuses %j: %s', (content) => {
  expect(read('toledo-8217', text(`\x02${content}\r`))).toEqual([null])
})

test.each([
  ['SCP-01 in kilograms', '\n0001.235kg\r\n00\r\x03', weight(1235, 'kg', 3)],
  ['SCP-01 in pounds with two decimals', '\n0002.35lb\r\n00\r\x03', weight(2350, 'lb', 2)],
  ['ECR in kilograms', '\n01.235KG\r\nS00\r\x03', weight(1235, 'kg', 3)],
  ['the field order of the NCI driver for JavaScript', '\n  2.350LB\r00\x03', weight(2350, 'lb', 3)],
  ['zero', '\n00.000KG\r\nS20\r\x03', weight(0, 'kg', 3)],
  ['minus zero', '\n-0.000KG\r\nS20\r\x03', weight(0, 'kg', 3)],
  ['a net weight', '\n00.345KG\r\nS0p4\r\x03', weight(345, 'kg', 3, true)],
  ['motion', '\n01.235KG\r\nS10\r\x03', { state: 'unstable', weight: null }],
  ['motion without a weight', '\nS10\r\x03', { state: 'unstable', weight: null }],
  ['over capacity by its status', '\nS02\r\x03', { state: 'over', weight: null }],
  ['over capacity by marks instead of digits', '\n^^^^^^^kg\r\n00\r\x03', { state: 'over', weight: null }],
  ['under zero by its status', '\nS01\r\x03', { state: 'under', weight: null }],
  ['under zero by marks instead of digits', '\n_______kg\r\n00\r\x03', { state: 'under', weight: null }],
  ['below zero', '\n-0.005kg\r\n00\r\x03', { state: 'under', weight: null }],
  ['a zero error by marks instead of digits', '\n------kg\r\n00\r\x03', { state: 'not-zeroed', weight: null }],
  ['initial zero error', '\nS0p8\r\x03', { state: 'not-zeroed', weight: null }],
  ['a memory error of the scale', '\nS40\r\x03', { state: 'fault', weight: null }],
  ['an unknown request', '\n?\r\x03', { state: 'refused' }],
])('the NCI protocol reads %s', (_case, bytes, expected) => {
  expect(read('nci', text(bytes))).toEqual([expected])
})

test.each([
  ['\n01.235KG\r\x03', 'a weight without a status'],
  ['\n01.235OZ\r\nS00\r\x03', 'another unit'],
  ['\n01235KG\r\nS00\r\x03', 'no decimal point'],
  ['\n01.235\r\nS00\r\x03', 'no unit'],
  ['\n01.235KG\r\nS0@\r\x03', 'a status byte without its constant bits'],
  ['\nS00\r\x03', 'a status without an error and without a weight'],
  ['\n01.235KG\r\nS00\r\n00\r\x03', 'a field too many'],
])('the NCI protocol refuses %j: %s', (bytes) => {
  expect(read('nci', text(bytes))).toEqual([null])
})

test('a parity bit in the top bit of each byte does not change a weight', () => {
  const withTopBit = text('\x0201.235\r').map((byte) => byte | 0x80)
  expect(read('toledo-8217', withTopBit)).toEqual([weight(1235, 'kg', 3)])
})

test('a Toledo reply that was cut off by the next one is dropped', () => {
  expect(read('toledo-8217', text('\x0201.2\x0203.500\r'))).toEqual([weight(3500, 'kg', 3)])
})

const PROTOCOLS = ['toledo-8217', 'nci'] as const

test('reading random bytes never throws, and a weight is only read from a whole reply', () => {
  const whole = {
    'toledo-8217': /\x02(\d{2}\.\d{3}|\d{2,3}\.\d{2})N?\r/, // oxlint-disable-line no-control-regex -- framing
    nci: /\n[^\x03]*\d{1,4}\.\d{2,3} *(kg|lb)[^\x03]*\x03/i, // oxlint-disable-line no-control-regex -- framing
  }
  const piece = fc.oneof(
    fc.constantFrom('\x02', '\r', '\n', '\x03', '?', 'S', '01.235', '2.35', 'kg', 'LB', '00', 'N', '.', '^', '-'),
    fc.string({ unit: 'binary', maxLength: 4 }),
  )
  fc.assert(
    fc.property(fc.constantFrom(...PROTOCOLS), fc.array(piece, { maxLength: 30 }), (protocol, pieces) => {
      const bytes = text(pieces.join(''))
      const sent = Buffer.from(bytes.map((byte) => byte & 0x7f)).toString('latin1')
      const weighed = read(protocol, bytes).some(
        (reply) => reply !== null && 'weight' in reply && reply.weight !== null,
      )
      expect(!weighed || whole[protocol].test(sent)).toBe(true)
    }),
    { numRuns: 20_000 },
  )
})

test('Toledo replies are read the same for every split of their bytes into chunks', () => {
  const replies = fc.array(fc.constantFrom('\x0201.235\r', '\x02?A\r', '\x0200.000\r', 'noise', '\x02?D\r'))
  fc.assert(
    fc.property(replies, fc.array(fc.nat(40)), (sent, cuts) => {
      const bytes = text(sent.join(''))
      const found: (ScaleReply | null)[] = []
      const { parse } = SCALE_PROTOCOLS['toledo-8217']
      const assembler = new ReplyAssembler(SCALE_PROTOCOLS['toledo-8217'], (content) => found.push(parse(content)))
      const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].toSorted((a, b) => a - b)
      for (const [at, place] of places.entries()) assembler.push(bytes.subarray(place, places[at + 1] ?? place))
      expect(found).toEqual(read('toledo-8217', bytes))
    }),
  )
})

test('a hundred thousand digits without the end of a reply are counted as noise', () => {
  const assembler = new ReplyAssembler(SCALE_PROTOCOLS.nci, () => undefined)
  assembler.push(text(`\n${'9'.repeat(100_000)}`))
  expect(assembler.noiseBytes).toBeGreaterThan(99_900)
})
