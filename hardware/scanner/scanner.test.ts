import { afterEach, beforeEach, expect, test } from 'vitest'
import { CardPatterns } from '../../contracts/core/profile.ts'
import type { Device, Scan } from '../device.ts'
import { type Recorder, recorder } from '../serial/listener.fixture.ts'
import { openPty, type Pty } from '../serial/pty.fixture.ts'
import { openScanner } from './scanner.ts'

const milk: Scan = { kind: 'item', code: '4006381333931' }
let pty: Pty
let scanner: Device
let listener: Recorder<Scan>

beforeEach(async () => {
  pty = await openPty()
  listener = recorder()
  scanner = openScanner(
    { connection: { kind: 'serial', path: pty.path, baudRate: 115_200 }, patterns: CardPatterns.parse({}) },
    listener,
  )
  await listener.until('ready')
})
afterEach(async () => {
  await scanner.close()
  await pty.close()
})

test.each([
  ['CR', '\r'],
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['TAB', '\t'],
  ['EOT', '\x04'],
  ['no suffix', ''],
])('an item’s barcode that the scanner ends with %s is read', async (_name, suffix) => {
  pty.send(`]E04006381333931${suffix}`)
  expect(await listener.take(1)).toEqual([milk])
})

test('rapid scans are delivered once each and in order', async () => {
  const codes = Array.from({ length: 50 }, (_, index) => `X-${index}`)
  pty.send(codes.map((code) => `]C0${code}\r\n`).join(''))
  expect(await listener.take(50)).toEqual(codes.map((code) => ({ kind: 'item', code })))
})

test.each(['80000000011', '4006381333931', '96385074', ';80000000011=4912101?'])(
  'a QR code with a line end inside, followed by %s, is read as one unknown code',
  async (rest) => {
    for (const identifier of [']Q1', ']d1', ']z0', ']L0']) pty.send(`${identifier}COUPON\r\n${rest}\r\n`)
    const unknown: Scan = { kind: 'unknown', code: '…' }
    expect(await listener.take(4)).toEqual([unknown, unknown, unknown, unknown])
    pty.send(']E04006381333931\r')
    expect(await listener.take(1)).toEqual([milk])
    expect(listener.events).toHaveLength(5)
  },
)

test('QR codes that contain no line end and arrive one after the other are read separately', async () => {
  pty.send(']Q1SAVE-10\r\n]Q1SAVE-20\r\n]E04006381333931\r\n')
  expect(await listener.take(3)).toEqual([{ kind: 'item', code: 'SAVE-10' }, { kind: 'item', code: 'SAVE-20' }, milk])
})

test('a scan that unplugging the scanner cut off is not read as a shorter item number', async () => {
  pty.send(']E04006381333931\r')
  await listener.take(1)
  pty.send(']C0400')
  await pty.unplug()
  await listener.until('unavailable')
  await pty.plug()
  await listener.until('ready')
  pty.send(']E04006381333931\r')
  expect(await listener.take(1)).toEqual([milk])
  expect(listener.events).toEqual([milk, milk])
})

test.each([
  ['bytes that are no characters', Buffer.from([0x80, 0xfe, 0x31, 0x32, 0x0d])],
  ['a code in another encoding than UTF-8', Buffer.from(']C0CAF\xc9-7\r', 'latin1')],
  ['control characters', Buffer.from([0x01, 0x33, 0x0d])],
  ['more than any code holds', Buffer.from(`]Q1${'9'.repeat(600)}\r`)],
])('a scan of %s is reported as unreadable without its bytes, and the next one is read', async (_what, bytes) => {
  pty.send(Buffer.concat([bytes, Buffer.from(']E04006381333931\r')]))
  expect(await listener.take(2)).toEqual([{ kind: 'unreadable' }, milk])
})

test('a scan with UTF-8 letters is reported as an unknown code, with a dot for each byte outside ASCII', async () => {
  pty.send(Buffer.from(']C0CAFÉ-7\r'))
  expect(await listener.take(1)).toEqual([{ kind: 'unknown', code: 'CAF··-7' }])
})

test('a scan that was cut off is reported as unreadable, but a stray byte from plugging in is not', async () => {
  pty.send(']E04006381333931\r')
  await listener.take(1)
  pty.send(']C0400')
  expect(await listener.take(1)).toEqual([{ kind: 'unreadable' }])
  pty.send(Buffer.from([0xff]))
  pty.send(Buffer.from([0x02, ...Buffer.from(']E04006381333931\r')]))
  expect(await listener.take(1)).toEqual([milk])
})

test('a scanner that is unplugged while idle is detected within a second, and reconnects', async () => {
  const start = performance.now()
  await pty.unplug()
  await listener.until('unavailable')
  expect(performance.now() - start).toBeLessThan(1_000)
  await pty.plug()
  await listener.until('ready')
  pty.send(']E04006381333931\r')
  expect(await listener.take(1)).toEqual([milk])
})
