import { expect, onTestFinished, test } from 'vitest'
import { CardPatterns } from '../contracts/core/profile.ts'
import type { CardRead, InputDevice, Scan } from './device.ts'
import { openCardReader } from './msr/card-reader.ts'
import { openScanner } from './scanner/scanner.ts'
import { type Recorder, recorder } from './serial/listener.fixture.ts'
import { openPty, type Pty } from './serial/pty.fixture.ts'
import { randomBytes } from './random.fixture.ts'

const MEGABYTES = process.env['MILEPOST_CAMPAIGN'] === '1' ? 40 : 1
const MEGABYTE = 1024 * 1024
const SILENCE_MS = 120
/**
 * A message ends only after a long silence. On a busy machine the sender of the noise may pause, and a shorter limit
 * would end the message and restart the noise detection.
 */
const framing = { suffix: 'any', interByteMs: 1_000 } as const

const jane = { kind: 'program-card', collectorNumber: '80000000011' }
const milk = { kind: 'item', code: '4006381333931' }

async function open<Event>(
  openDevice: (path: string, listener: Recorder<Event>) => InputDevice,
): Promise<{ pty: Pty; device: InputDevice; listener: Recorder<Event> }> {
  const pty = await openPty()
  const listener = recorder<Event>()
  const device = openDevice(pty.path, listener)
  onTestFinished(async () => {
    await device.close()
    await pty.close()
  })
  await listener.until('ready')
  return { pty, device, listener }
}

async function worked(device: InputDevice, bytes: number, silenceMs = SILENCE_MS): Promise<void> {
  let last = -1
  for (;;) {
    const now = device.statistics.bytes
    if (now >= bytes && now === last) return
    last = now
    await new Promise((resolve) => {
      setTimeout(resolve, silenceMs * 2)
    })
  }
}

const patterns = CardPatterns.parse({})
const serial = (path: string) => ({ kind: 'serial' as const, path, baudRate: 115_200 })

test.each([
  [
    'scanner',
    ']E04006381333931\r',
    milk,
    (path: string, listener: Recorder<CardRead | Scan>) =>
      openScanner({ connection: serial(path), patterns, framing }, listener),
  ],
  [
    'card reader',
    ';80000000011=4912101?\r',
    jane,
    (path: string, listener: Recorder<CardRead | Scan>) =>
      openCardReader({ connection: serial(path), patterns, framing }, listener),
  ],
] as const)(
  `${MEGABYTES} megabytes of noise on a %s yield no read and are counted, and the next read is delivered`,
  { timeout: 120_000 },
  async (_role, bytes, expected, openDevice) => {
    const { pty, device, listener } = await open<CardRead | Scan>(openDevice)
    const before = process.memoryUsage().heapUsed
    const megabyte = randomBytes(MEGABYTE, 4711)
    for (let sent = 0; sent < MEGABYTES; sent += 1) await pty.flush(megabyte)
    await worked(device, MEGABYTES * MEGABYTE, framing.interByteMs)
    expect(listener.events).toEqual([])
    expect(listener.healths.map(({ state }) => state)).toEqual(['ready'])
    const { noiseBytes, bytes: received, reads, refused, unreadable } = device.statistics
    expect({ received, reads, refused, unreadable }).toEqual({
      received: MEGABYTES * MEGABYTE,
      reads: 0,
      refused: 0,
      unreadable: 0,
    })
    expect(noiseBytes).toBeGreaterThan(MEGABYTES * MEGABYTE * 0.8)
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(60 * MEGABYTE)
    pty.send(bytes)
    expect(await listener.take(1)).toEqual([expected])
  },
)

test('a burst of damaged scans and a burst of damaged swipes are reported as unreadable once each', async () => {
  const scanner = await open<Scan>((path, listener) => openScanner({ connection: serial(path), patterns }, listener))
  scanner.pty.send('caf\xe9\r\x01\xe9\r\xfe\xfe\xfe\r'.repeat(8))
  expect(await scanner.listener.take(1)).toEqual([{ kind: 'unreadable' }])
  scanner.pty.send(']E04006381333931\r')
  expect(await scanner.listener.take(1)).toEqual([milk])
  const reader = await open<CardRead>((path, listener) =>
    openCardReader({ connection: serial(path), patterns }, listener),
  )
  reader.pty.send('%E?;E?\r'.repeat(8))
  expect(await reader.listener.take(1)).toEqual([{ kind: 'unreadable' }])
  reader.pty.send(';80000000011=4912101?\r')
  expect(await reader.listener.take(1)).toEqual([jane])
})
