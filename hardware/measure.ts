import { CardPatterns, PrinterDevice, PrinterLanguage } from '../contracts/core/profile.ts'
import type { ReceiptDocument } from '../contracts/core/receipt.ts'
import { encodeReceipt } from './printer/encode.ts'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Device, Health } from './device.ts'
import { openLineDisplay } from './line-display.ts'
import { openCardReader } from './msr/card-reader.ts'
import { openPrinter } from './printer/printer.ts'
import { openScanner } from './scanner/scanner.ts'
import { openVirtualBench } from './virtual/bench.ts'

/**
 * Benchmark: encodes a receipt of sixty lines `rounds` times in each language, then runs `idleSeconds` without and with
 * devices. Prints the milliseconds of each as JSON.
 */
const [rounds = 200, warmUp = 50, idleSeconds = 20] = process.argv.slice(2).map(Number)
const document: ReceiptDocument = {
  locale: 'fr-CA',
  title: '',
  blocks: [
    { kind: 'text', text: 'Épicerie Noël', align: 'center', size: 'large', bold: true },
    ...Array.from(
      { length: 58 },
      (_, index) => ({ kind: 'row', left: `Crème brûlée à l’érable no ${index}`, right: 'H  12,34' }) as const,
    ),
    { kind: 'row', left: 'TOTAL', right: '715,72 $', size: 'large', bold: true },
    { kind: 'barcode', symbology: 'code128', data: 'N1010100000042K7QZ' },
  ],
}
/** Benchmark of the lower bound for any encoder: converts the text to bytes. */
const text = document.blocks
  .map((block) => ('left' in block ? block.left + block.right : 'text' in block ? block.text : ''))
  .join('\n')

function sampled(work: () => unknown): number[] {
  const samples: number[] = []
  for (let round = -warmUp; round < rounds; round += 1) {
    const startedAt = performance.now()
    work()
    if (round >= 0) samples.push(performance.now() - startedAt)
  }
  return samples
}

const languages = Object.fromEntries(
  PrinterLanguage.options.map((language) => [
    language,
    sampled(() => encodeReceipt(document, { language, columns: 42, openDrawer: true, logo: null })),
  ]),
)
const bytes = sampled(() => Buffer.from(text, 'latin1'))

/**
 * Measures the processor time in milliseconds for each second. With eight open devices, whose printers are polled every
 * second, it includes the virtual devices, which run in the same process.
 */
async function eachSecond(): Promise<number[]> {
  const samples: number[] = []
  for (let second = 0; second < idleSeconds; second += 1) {
    const [used, startedAt] = [process.cpuUsage(), performance.now()]
    await pause(1_000)
    const { user, system } = process.cpuUsage(used)
    samples.push((user + system) / (performance.now() - startedAt))
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
process.stdout.write(`${JSON.stringify({ languages, bytes, devices: devices.length, bare, idle })}\n`)
