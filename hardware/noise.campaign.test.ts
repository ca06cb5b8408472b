import { expect, onTestFinished, test } from 'vitest'
import { CardPatterns } from '../contracts/core/profile.ts'
import type { CardRead, InputDevice, Scan } from './device.ts'
import { openCardReader } from './msr/card-reader.ts'
import { openScanner } from './scanner/scanner.ts'
import { type Recorder, recorder } from './serial/listener.fixture.ts'
import { openPty, type Pty } from './serial/pty.fixture.ts'
import { randomBytes } from './random.fixture.ts'

/** Megabytes of line noise on each wire. */
const MEGABYTES = process.env['MILEPOST_CAMPAIGN'] === '1' ? 40 : 1
const MEGABYTE = 1024 * 1024
const SILENCE_MS = 120
/**
 * Noise without a pause, also where a busy machine keeps the far end of the wire waiting: a pause ends a message, and
 * the noise after it is looked at anew.
 */
const framing = { suffix: 'any', interByteMs: 1_000 } as const

const jane = { kind: 'program-card', collectorNumber: '80000000011' }
const milk = { kind: 'item', code: '4006381333931' }

async function open<Event>(
  openDevice: (path: string, heard: Recorder<Event>) => InputDevice,
): Promise<{ pty: Pty; device: InputDevice; heard: Recorder<Event> }> {
  const pty = await openPty()
  const heard = recorder<Event>()
  const device = openDevice(pty.path, heard)
  onTestFinished(async () => {
    await device.close()
    await pty.close()
  })
  await heard.until('ready')
  return { pty, device, heard }
}

/** Resolves when everything that was sent has arrived, and the wire has been silent long enough to say so. */
async function worked(device: InputDevice, bytes: number, silenceMs = SILENCE_MS): Promise<void> {
  let last = -1
  // A window to measure in: nothing else tells that a wire is silent.
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
    (path: string, heard: Recorder<CardRead | Scan>) =>
      openScanner({ connection: serial(path), patterns, framing }, heard),
  ],
  [
    'card reader',
    ';80000000011=4912101?\r',
    jane,
    (path: string, heard: Recorder<CardRead | Scan>) =>
      openCardReader({ connection: serial(path), patterns, framing }, heard),
  ],
] as const)(
  `${MEGABYTES} megabytes of noise on a %s change nothing but a counter`,
  { timeout: 120_000 },
  async (_role, bytes, expected, openDevice) => {
    const { pty, device, heard } = await open<CardRead | Scan>(openDevice)
    const before = process.memoryUsage().heapUsed
    const megabyte = randomBytes(MEGABYTE, 4711)
    for (let sent = 0; sent < MEGABYTES; sent += 1) await pty.flush(megabyte)
    await worked(device, MEGABYTES * MEGABYTE, framing.interByteMs)
    expect(heard.events).toEqual([])
    expect(heard.healths.map(({ state }) => state)).toEqual(['ready'])
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
    expect(await heard.take(1)).toEqual([expected])
  },
)

test('a damaged scan of a hundred bytes is told once, a damaged swipe too', async () => {
  const scanner = await open<Scan>((path, heard) => openScanner({ connection: serial(path), patterns }, heard))
  scanner.pty.send('caf\xe9\r\x01\xe9\r\xfe\xfe\xfe\r'.repeat(8))
  expect(await scanner.heard.take(1)).toEqual([{ kind: 'unreadable' }])
  scanner.pty.send(']E04006381333931\r')
  expect(await scanner.heard.take(1)).toEqual([milk])
  const reader = await open<CardRead>((path, heard) => openCardReader({ connection: serial(path), patterns }, heard))
  reader.pty.send('%E?;E?\r'.repeat(8))
  expect(await reader.heard.take(1)).toEqual([{ kind: 'unreadable' }])
  reader.pty.send(';80000000011=4912101?\r')
  expect(await reader.heard.take(1)).toEqual([jane])
})
