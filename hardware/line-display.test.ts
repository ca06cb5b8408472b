import fc from 'fast-check'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { LineDisplay } from './device.ts'
import { recorder } from './serial/listener.fixture.ts'
import { openPty } from './serial/pty.fixture.ts'
import { type VirtualBench, openVirtualBench } from './virtual/bench.ts'
import { displayBytes, openLineDisplay } from './line-display.ts'

let folder: string
let bench: VirtualBench
let display: LineDisplay
let listener: ReturnType<typeof recorder<never>>

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'milepost-display-'))
  bench = await openVirtualBench({ paperFolder: folder })
  listener = recorder<never>()
  display = openLineDisplay({ connection: bench.connections.lineDisplay }, listener)
})
afterEach(async () => {
  await display.close()
  await bench.close()
  await rm(folder, { recursive: true, force: true })
})

test('the line display shows two lines of twenty characters with the French letters of its code page', async () => {
  display.show('Crème brûlée à l’œuf', 'TOTAL        12,34 $')
  expect(await bench.displayed('TOTAL')).toEqual(["Crème brûlée à l'oeu", 'TOTAL        12,34 $'])
})

test('the line display shows the newest text, also one that was sent while it was unplugged', async () => {
  await listener.until('ready')
  for (let index = 0; index < 50; index += 1) display.show(`line ${index}`, '')
  await bench.displayed('line 49')
  await bench.play('line-display-unplugged')
  await listener.until('unavailable')
  display.show('after', 'the cable')
  await bench.play('line-display-plugged')
  expect(await bench.displayed('the cable')).toEqual(['after'.padEnd(20), 'the cable'.padEnd(20)])
})

test('a line display on a serial port shows its text again after its cable was unplugged and reconnected', async () => {
  const connection = bench.connections.lineDisplay
  if (connection.kind !== 'tcp') throw new Error('the virtual line display is on a socket')
  const pty = await openPty(connection)
  const health = recorder<never>()
  const serial = openLineDisplay({ connection: { kind: 'serial', path: pty.path, baudRate: 9600 } }, health)
  await health.until('ready')
  serial.show('a', 'b')
  await pty.unplug()
  await health.until('unavailable')
  serial.show('after', 'the cable')
  await pty.plug()
  expect(await bench.displayed('the cable')).toEqual(['after'.padEnd(20), 'the cable'.padEnd(20)])
  await serial.close()
  await pty.close()
})

test('any text is sent to the line display as 51 bytes, without the text’s control characters', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      (upper, lower) => {
        const bytes = displayBytes([upper, lower])
        expect(bytes).toHaveLength(51)
        expect([...bytes.subarray(6, 26), ...bytes.subarray(30, 50)].every((byte) => byte >= 0x20)).toBe(true)
      },
    ),
    { numRuns: 2_000 },
  )
})
