import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test as base, type Page } from '@playwright/test'
import { SERVICES } from './central.ts'
import { startCentral, type Central } from '../packages/lab/rig/central.ts'
import { startLane, type Lane, type LaneWires } from './lane.ts'
import { openPaperPrinter, type PaperPrinter } from './paper.ts'
import { noteHeader } from './windows.ts'
import { openWire, type Wire } from './pty.ts'

export interface Store {
  readonly central: Central
  readonly lane: Lane
  readonly reader: Wire
  readonly scanner: Wire
  readonly printer: PaperPrinter
}

/**
 * Options of a scenario file: changes to the profile and its `limits`, further wires, command-line options and URL
 * scheme of the services, and the environment of the backend.
 */
export const test = base.extend<{
  limits: Record<string, number>
  profile: object
  more: Partial<LaneWires>
  services: readonly string[]
  scheme: 'https' | 'http'
  environment: Record<string, string>
  store: Store
  window: Page
}>({
  limits: [{}, { option: true }],
  profile: [{}, { option: true }],
  more: [{}, { option: true }],
  services: [[], { option: true }],
  scheme: ['https', { option: true }],
  environment: [{}, { option: true }],

  store: async ({ limits, profile, more, services, scheme, environment }, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'milepost-e2e-'))
    const opened: (() => Promise<void>)[] = []
    const closeLater = async <Part>(part: Promise<Part>, close: (part: Part) => Promise<void>): Promise<Part> => {
      const made = await part
      opened.unshift(() => close(made))
      return made
    }
    try {
      const [central, reader, scanner, printer] = await Promise.all([
        closeLater(
          startCentral({ folder: join(folder, 'central'), program: SERVICES, scheme, more: services }),
          (made) => made.stop(),
        ),
        closeLater(openWire(join(folder, 'reader')), (made) => made.close()),
        closeLater(openWire(join(folder, 'scanner')), (made) => made.close()),
        closeLater(openPaperPrinter(), (made) => made.close()),
      ])
      const lane = await closeLater(
        startLane(
          join(folder, 'lane'),
          central,
          { cardReader: reader.path, scanner: scanner.path, printerPort: printer.port, ...more },
          limits,
          profile,
          environment,
        ),
        (made) => made.stop(),
      )
      await use({ central, lane, reader, scanner, printer })
    } finally {
      for (const close of opened) await close()
      await rm(folder, { recursive: true, force: true })
    }
  },

  page: async ({ page }, use) => {
    const stopped: string[] = []
    page.on('console', (message) => {
      if (message.text().startsWith('A screen stopped:')) stopped.push(message.text())
    })
    await use(page)
    expect(stopped).toEqual([])
  },

  window: async ({ page, store }, use) => {
    noteHeader(page)
    await page.goto(store.lane.launchUrl)
    await use(page)
  },
})

export { expect }
export { COLLECTORS, ean13, ITEMS, track2 } from './wire.ts'
