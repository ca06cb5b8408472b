import { execFile } from 'node:child_process'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { z } from 'zod'
import { startCentral } from '../../packages/lab/rig/central.ts'
import { CASHIER, FIRST_PIN } from '../../e2e/lane.ts'
import { openWire } from '../../e2e/pty.ts'
import type { Benchmark, BenchmarkRun, Measured } from '../benchmark.ts'
import { now } from '../checkout/clock.ts'
import { startBenchLane } from '../checkout/lane.ts'
import { openApiClient } from '../checkout/api-client.ts'
import { openWireEcho } from '../checkout/wire-echo.ts'

const OPTIONS = {
  scans: { default: 500, about: 'scans that count' },
  'warm-up': { default: 50, about: 'scans, and receipts, before them that do not count' },
  receipts: { default: 300, about: 'receipts of sixty lines, in each printer language' },
  'idle-seconds': { default: 20, about: 'idle time of eight devices' },
  screens: { default: 'build/renderer', about: 'folder of the built screens' },
} as const
type Run = BenchmarkRun<typeof OPTIONS>

const SCAN_TIMEOUT_MS = 10_000
const Samples = z.array(z.number())
const Printed = z.object({
  languages: z.record(z.string(), Samples),
  bytes: Samples,
  devices: z.int(),
  bare: Samples,
  idle: Samples,
})

export const hardware: Benchmark<typeof OPTIONS> = {
  name: 'hardware',
  about: 'scan bytes on the wire to the event, a receipt of sixty lines encoded, eight idle devices',
  options: OPTIONS,
  run: measureHardware,
}

async function measureHardware(run: Run): Promise<Measured> {
  const { settings, log } = run
  const { receipts, 'warm-up': warmUp, 'idle-seconds': idleSeconds } = settings
  log(`encoding receipts, then ${idleSeconds} s without and with eight idle devices`)
  const numbers = [receipts, warmUp, idleSeconds].map(String)
  const { stdout } = await promisify(execFile)(process.execPath, ['hardware/measure.ts', ...numbers], {
    signal: run.signal,
  })
  const printed = Printed.parse(JSON.parse(stdout))
  const { events, echoes } = await measureScans(run)
  return {
    measurements: [
      { name: 'wire to event at a plain client', role: 'result', samples: events },
      { name: 'echo of the wire to a bare reader', role: 'ceiling', samples: echoes },
      ...Object.entries(printed.languages).map(
        ([language, samples]) => ({ name: `sixty lines encoded, ${language}`, role: 'result', samples }) as const,
      ),
      { name: 'the same text to bytes', role: 'ceiling', samples: printed.bytes },
      { name: 'processor time in a second, eight devices', role: 'result', samples: printed.idle },
      { name: 'processor time in a second, bare process', role: 'ceiling', samples: printed.bare },
    ],
    facts: { devices: printed.devices },
    notes: [
      'Ten milliseconds of processor time in a second are one percent of a core.',
      'The far ends of the eight devices run in the same process and are included.',
      'The event of a scanned receipt passes the driver, the hub and the event stream, and ' + 'writes nothing.',
      'The wire is a pseudo-terminal without transmission time.',
    ],
  }
}

/**
 * Returns a different sale number for each index, to be scanned from a receipt’s barcode. The bytes of that scan are
 * the AIM identifier of Code 128, the number, and a carriage return.
 */
const saleIdAt = (index: number): string => `N10101${String(index).padStart(8, '0')}K7QZ`
const scanBytes = (saleId: string): string => `]C0${saleId}\r`

async function measureScans(run: Run): Promise<{ events: number[]; echoes: number[] }> {
  const { settings, folder, log, atEnd } = run
  log('starting the central services, a lane and its scanner')
  const central = await startCentral({ folder: path.join(folder, 'central'), scheme: 'https' })
  atEnd(() => central.stop())
  const wire = await openWire(path.join(folder, 'scanner'))
  atEnd(() => wire.close())
  const bareWire = await openWire(path.join(folder, 'echo'))
  atEnd(() => bareWire.close())
  const echo = await openWireEcho(bareWire)
  atEnd(() => echo.close())
  const lane = await startBenchLane({
    folder,
    central,
    scanner: wire.path,
    items: 100,
    pastSales: 0,
    screens: path.resolve(settings.screens),
  })
  atEnd(() => lane.running.stop())
  const client = await openApiClient(lane.running.ready, { id: CASHIER.id, pin: FIRST_PIN, newPin: CASHIER.pin })
  atEnd(async () => {
    client.close()
  })

  log(`scanning: ${settings['warm-up']} to warm up, ${settings.scans} that count, an echo of the bare wire after each`)
  const events: number[] = []
  const echoes: number[] = []
  for (let index = 0; index < settings['warm-up'] + settings.scans; index += 1) {
    run.signal.throwIfAborted()
    await pause(5 + Math.random() * 10)
    const saleId = saleIdAt(index)
    const received = client.follow((event) =>
      event.type === 'receipt-scanned' && event.saleId === saleId ? event.saleId : null,
    )
    const written = now()
    await wire.send(scanBytes(saleId))
    const { at } = await within(received, `the scan of ${saleId}`)
    const echoed = await within(echo.measure(scanBytes(saleId)), 'an echo')
    if (index < settings['warm-up']) continue
    events.push(at - written)
    echoes.push(echoed)
  }
  return { events, echoes }
}

async function within<Value>(work: Promise<Value>, what: string): Promise<Value> {
  const timer = new AbortController()
  const late = pause(SCAN_TIMEOUT_MS, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`no result of ${what} within ${SCAN_TIMEOUT_MS / 1_000} s`)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    late.catch(() => undefined)
    timer.abort()
  }
}
