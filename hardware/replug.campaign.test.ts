import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { CardPatterns } from '../contracts/core/profile.ts'
import type { CardRead, Scan } from './device.ts'
import { openCardReader } from './msr/card-reader.ts'
import { randomFrom } from './random.fixture.ts'
import { openScanner } from './scanner/scanner.ts'
import { recorder } from './serial/listener.fixture.ts'
import { openPty } from './serial/pty.fixture.ts'

const ROUNDS = process.env['MILEPOST_CAMPAIGN'] === '1' ? 500 : 10
const seed = Number(process.env['REPLUG_SEED'] ?? Date.now() % 1_000_000)
const patterns = CardPatterns.parse({})

test(
  `a card reader and a scanner unplugged ${ROUNDS} times read again, with an idle processor (seed ${seed})`,
  { timeout: 570_000 },
  async () => {
    const random = randomFrom(seed)
    const [readerEnd, scannerEnd] = await Promise.all([openPty(), openPty()])
    const reads = recorder<CardRead>()
    const scans = recorder<Scan>()
    const reader = openCardReader(
      { connection: { kind: 'serial', path: readerEnd.path, baudRate: 9600 }, patterns },
      reads,
    )
    const scanner = openScanner(
      { connection: { kind: 'serial', path: scannerEnd.path, baudRate: 9600 }, patterns },
      scans,
    )
    onTestFinished(async () => {
      await Promise.all([reader.close(), scanner.close()])
      await Promise.all([readerEnd.close(), scannerEnd.close()])
    })
    await Promise.all([reads.until('ready'), scans.until('ready')])
    let slowest = 0

    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [end, listener, device, bytes] of [
        [readerEnd, reads, reader, ';80000000011=4912101?\r'],
        [scannerEnd, scans, scanner, ']E04006381333931\r'],
      ] as const) {
        end.send(bytes.repeat(1 + Math.floor(random() * 200)))
        await pause(Math.floor(random() * 6))
        const pulled = performance.now()
        await end.unplug()
        await listener.until('unavailable')
        slowest = Math.max(slowest, performance.now() - pulled)
        await end.plug()
        expect((await device.checkHealth()).state).toBe('ready')
      }
    }

    expect(slowest).toBeLessThan(1_000)
    expect(
      [reader.statistics, scanner.statistics].map(({ connections, disconnections }) => [connections, disconnections]),
    ).toEqual([
      [ROUNDS + 1, ROUNDS],
      [ROUNDS + 1, ROUNDS],
    ])
    readerEnd.send(';80000000077=4912?\r')
    scannerEnd.send(']C0LAST\r')
    for (let last = false; !last;)
      last = (await reads.take(1)).some(
        (read) => read.kind === 'program-card' && read.collectorNumber === '80000000077',
      )
    for (let last = false; !last;)
      last = (await scans.take(1)).some((scan) => scan.kind === 'item' && scan.code === 'LAST')
    // A partial swipe may be reported as unreadable, but no read contains data that was not sent.
    expect(
      new Set(
        reads.events
          .filter(({ kind }) => kind !== 'unreadable')
          .map((read) => (read.kind === 'program-card' ? String(read.collectorNumber) : read.kind)),
      ),
    ).toEqual(new Set(['80000000011', '80000000077']))
    expect(
      new Set(
        scans.events
          .filter(({ kind }) => kind !== 'unreadable')
          .map((scan) => (scan.kind === 'item' ? scan.code : scan.kind)),
      ),
    ).toEqual(new Set(['4006381333931', 'LAST']))

    const before = process.cpuUsage()
    await pause(1_000)
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(150)
  },
)
