import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CardPatterns } from '../../contracts/core/profile.ts'
import type { CardRead, Device } from '../device.ts'
import { type Recorder, recorder } from '../serial/listener.fixture.ts'
import { openPty, type Pty } from '../serial/pty.fixture.ts'
import { openCardReader } from './card-reader.ts'

const patterns = CardPatterns.parse({})
const jane = { kind: 'program-card', collectorNumber: '80000000011' }

let pty: Pty
let reader: Device
let listener: Recorder<CardRead>

beforeEach(async () => {
  pty = await openPty()
  listener = recorder()
  reader = openCardReader({ connection: { kind: 'serial', path: pty.path, baudRate: 9600 }, patterns }, listener)
  await listener.until('ready')
})
afterEach(async () => {
  await reader.close()
  await pty.close()
})

/** Sends the bytes and returns their read. A known swipe is sent afterwards: its read must be the next one. */
async function readsOf(bytes: string): Promise<CardRead[]> {
  pty.send(bytes)
  const first = await listener.take(1)
  pty.send(';80000000099=4912?\r')
  const [last] = await listener.take(1)
  expect(last).toEqual({ kind: 'program-card', collectorNumber: '80000000099' })
  return first
}

test.each([
  ['track 2 alone', ';80000000011=4912101?\r'],
  ['an expiry date and a service code filled up with zeros', ';80000000011=491210100000000?\r'],
  ['track 1 alone', '%B80000000011^DOE/JANE^4912101?\r'],
  ['all tracks in one frame', '%B80000000011^DOE/JANE^4912101?;80000000011=4912101?+01800==1?\r'],
  ['a frame per track', '%B80000000011^DOE/JANE^4912101?\r;80000000011=4912101?\r+01800==1?\r'],
  ['tracks wrapped in STX and ETX', '\x02%B80000000011^DOE/JANE^4912101?\x03\x02;80000000011=4912101?\x03'],
  ['an ESC before and CRLF after', '\x1b;80000000011=4912101?\r\n'],
  ['no suffix at all', ';80000000011=4912101?'],
  ['the other way through the reader', '?1012194=11000000008;\r'],
  ['a separator written as D', ';80000000011D4912101?\r'],
  ['an ESC before each track of a frame', '\x1b%B80000000011^DOE/JANE^4912101?\x1b;80000000011=4912101?\r'],
  ['a failed track 1', '%E?;80000000011=4912101?\r'],
  ['a foreign track 1 on a card of two programs', '%B4111111111111111^DOE/JANE^4912101?;80000000011=4912101?\r'],
])(
  'one swipe of a program card is read once, in every form in which readers send its tracks: %s',
  async (_name, bytes) => {
    expect(await readsOf(bytes)).toEqual([jane])
  },
)

test.each([
  [
    'a payment card',
    '%B4111111111111111^DOE/JANE^49121010000000000?;4111111111111111=49121010000000000?\r',
    'foreign-card',
  ],
  ['a payment card, a frame per track', '%B4111111111111111^DOE/JANE^4912?\r;4111111111111111=4912?\r', 'foreign-card'],
  ['a payment card the other way', '?00000000001012194=1111111111111114;\r', 'foreign-card'],
  ['a payment card with the separator D', ';4111111111111111D4912?\r', 'foreign-card'],
  ["another shop's card", ';627700001234=4912?\r', 'foreign-card'],
  ['a number of twelve digits', ';800000000110=4912?\r', 'foreign-card'],
  ['a payment card in groups', '%B3782 822463 10005^DOE/JANE^4912?\r', 'foreign-card'],
  ["a payment number behind the program's own on one track", ';80000000019=4111111111111111?\r', 'foreign-card'],
  ['both tracks failed', '%E?;E?\r', 'unreadable'],
  ['a wrong LRC', ';80000000011=4912101?!\r', 'unreadable'],
  ['two collectors on one card', '%B80000000011^DOE/JANE^4912?;80000000022=4912?\r', 'unreadable'],
  ['noise', 'x\x93\xfe~~~~', 'unreadable'],
  ['the number without sentinels', '80000000011\r', 'unreadable'],
])('a swipe with %s is not read as a program card', async (_name, bytes, kind) => {
  expect(await readsOf(bytes)).toEqual([{ kind }])
})

test('one or two stray bytes from a card reader are ignored', async () => {
  pty.send('\x00\r~\r')
  pty.send(';80000000011=4912?\r')
  expect(await listener.take(1)).toEqual([jane])
})

test('an unplugged card reader is detected within a second, and reads cards after it is plugged in again', async () => {
  const start = performance.now()
  await pty.unplug()
  expect((await listener.until('unavailable')).detail).toBeTruthy()
  expect(performance.now() - start).toBeLessThan(1_000)
  await pty.plug()
  await listener.until('ready')
  pty.send(';80000000011=4912?\r')
  expect(await listener.take(1)).toEqual([jane])
})

test('the first half of a swipe is discarded when the reader is unplugged during the swipe', async () => {
  pty.send('%B80000000022^DOE/JO')
  await pty.unplug()
  await listener.until('unavailable')
  await pty.plug()
  await listener.until('ready')
  pty.send(';80000000011=4912?\r')
  expect(await listener.take(1)).toEqual([jane])
  expect(listener.events).toHaveLength(1)
})

test('the health of a card reader whose device path is missing names the path', async () => {
  const second = recorder<CardRead>()
  const late = openCardReader(
    { connection: { kind: 'serial', path: '/nowhere/at/all', baudRate: 9600 }, patterns },
    second,
  )
  expect((await second.until('unavailable')).detail).toContain('/nowhere/at/all')
  await late.close()
})

test('the health of a card reader whose port another program uses names that program', async () => {
  const shared = await openPty()
  const holder = spawn(
    process.execPath,
    [
      '-e',
      `require('serialport').SerialPort.binding.open({ path: process.argv[1], baudRate: 9600 }).then(() => { ` +
        `console.log('open'); setInterval(() => {}, 60_000) })`,
      shared.path,
    ],
    { cwd: import.meta.dirname },
  )
  await once(holder.stdout, 'data')
  const second = recorder<CardRead>()
  const late = openCardReader({ connection: { kind: 'serial', path: shared.path, baudRate: 9600 }, patterns }, second)
  expect((await second.until('unavailable')).detail).toMatch(new RegExp(`in use by .*pid ${holder.pid}`))
  holder.kill('SIGKILL')
  await second.until('ready')
  await late.close()
  await shared.close()
})

test('a closed card reader delivers nothing and can be closed twice', async () => {
  await reader.close()
  await reader.close()
  pty.send(';80000000011=4912?\r')
  expect(listener.events).toEqual([])
})
