import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SERVICES } from './central.ts'
import { startCentral } from '../packages/lab/rig/central.ts'
import { setPins } from './lane.ts'
import { openPaperPrinter } from './paper.ts'
import { openWire } from './pty.ts'

/**
 * Global set-up: builds outdated programs and screens, and makes a data folder with a PIN for each person, which each
 * lane in production mode copies.
 */
export default async function build(): Promise<void> {
  execFileSync(process.execPath, ['scripts/build.ts', '--stale'], { stdio: 'inherit' })
  const folder = await mkdtemp(join(tmpdir(), 'milepost-e2e-'))
  const [central, reader, scanner, printer] = await Promise.all([
    startCentral({ folder: join(folder, 'central'), program: SERVICES, scheme: 'https' }),
    openWire(join(folder, 'reader')),
    openWire(join(folder, 'scanner')),
    openPaperPrinter(),
  ])
  try {
    const wires = { cardReader: reader.path, scanner: scanner.path, printerPort: printer.port }
    await setPins(central, wires)
  } finally {
    await Promise.all([central.stop(), reader.close(), scanner.close(), printer.close()])
    await rm(folder, { recursive: true, force: true })
  }
}
