import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { CardPatterns, PrinterDevice } from '../../contracts/profile.ts'
import type { Device, Health } from '../device.ts'
import { openLineDisplay } from '../display/line-display.ts'
import { openCardReader } from '../msr/card-reader.ts'
import { openPrinter } from '../printer/printer.ts'
import { openScanner } from '../scanner/scanner.ts'
import { openVirtualBench } from '../virtual/bench.ts'

/**
 * For the benchmark: the milliseconds of processor time in each of so many seconds, first of a process that does
 * nothing, then with eight devices open, their printers asked for their drawers every second. The far ends are in this
 * process too.
 */
const seconds = Number(process.argv[2] ?? 20)

async function eachSecond(): Promise<number[]> {
  const samples: number[] = []
  for (let second = 0; second < seconds; second += 1) {
    const [used, began] = [process.cpuUsage(), performance.now()]
    await pause(1_000)
    const { user, system } = process.cpuUsage(used)
    samples.push((user + system) / (performance.now() - began))
  }
  return samples
}

const bare = await eachSecond()
const folder = await mkdtemp(join(tmpdir(), 'milepost-idle-'))
const patterns = CardPatterns.parse({})
const ready = new EventTarget()
const devices: Device[] = []
const listener = {
  onEvent: () => undefined,
  onHealth: (health: Health) => {
    if (health.state === 'ready') ready.dispatchEvent(new Event('ready'))
  },
}
const benches = await Promise.all(
  ['first', 'second'].map((name) => openVirtualBench({ paperFolder: join(folder, name) })),
)
for (const { connections } of benches) {
  devices.push(
    openCardReader({ connection: connections.cardReader, patterns }, listener),
    openScanner({ connection: connections.scanner, patterns }, listener),
    openPrinter(PrinterDevice.parse({ connection: connections.printer, drawer: { openWhen: 'high' } }), listener),
    openLineDisplay({ connection: connections.lineDisplay }, listener),
  )
}
while (devices.some(({ health }) => health.state !== 'ready')) await once(ready, 'ready')
const idle = await eachSecond()
await Promise.all(devices.map((device) => device.close()))
await Promise.all(benches.map((bench) => bench.close()))
await rm(folder, { recursive: true, force: true })
process.stdout.write(`${JSON.stringify({ devices: devices.length, bare, idle })}\n`)
