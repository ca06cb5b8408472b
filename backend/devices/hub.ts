import { maskCollectorNumber, SaleId, type CollectorNumber } from '../../contracts/ids.ts'
import type { DeviceHealth, DeviceStatistics } from '../../contracts/api/diagnostics.ts'
import type { TerminalEvent } from '../../contracts/events.ts'
import type { Measure } from '../../contracts/measure.ts'
import type { Lane, Profile } from '../../contracts/profile.ts'
import type { Bitmap } from '../../contracts/receipt.ts'
import { keyboardScans, openCardReader, openLineDisplay, openPrinter, openScanner, openVirtualBench, type CardRead, type Device, type DrawerPosition, type Health, type InputDevice, type LineDisplay, type Printer, type Scan } from '../../hardware/index.ts'
import type { Logger } from '../log.ts'
import type { CardReads } from './card-reads.ts'

export interface HubOptions {
  readonly profile: Profile
  readonly lane: Lane
  readonly cardReads: CardReads
  /** An item code that the scanner read, with the price or weight of a label. */
  readonly onItem: (code: string, measure?: Measure) => void
  readonly publish: (event: TerminalEvent) => void
  readonly paperFolder: string
  /** What a receipt's logo block prints; none when left out. */
  readonly logo?: Bitmap | null
  readonly log: Logger
}

type Role = DeviceHealth['role']
type VirtualBench = Awaited<ReturnType<typeof openVirtualBench>>

/** The devices of this lane as one live picture. It alone knows drivers; the rest of the backend knows reads, codes and print jobs. */
export interface DeviceHub {
  readonly printer: Printer | null
  readonly lineDisplay: LineDisplay | null
  /** The far ends of virtual devices; null outside training mode. */
  readonly bench: VirtualBench | null
  health(): DeviceHealth[]
  /** Looks at readers and scanners now instead of when they are due, and answers the health of all. */
  check(): Promise<DeviceHealth[]>
  statistics(): DeviceStatistics[]
  /** A line that a scanner typed as a keyboard does: an item rings, a collector's number is keyed. */
  typed(text: string): void
  /** A collector's number that the cashier typed: a read like any other, KEYED. */
  keyed(collectorNumber: CollectorNumber): void
  /** From now on reads and scans are delivered. Until then they wait, and are dropped when they are stale. */
  enable(): void
  close(): Promise<void>
}

export async function openDeviceHub(options: HubOptions): Promise<DeviceHub> {
  const { profile, lane, cardReads, publish, log } = options
  const patterns = profile.program.cards
  const devices: Device[] = []
  const inputs = new Map<DeviceStatistics['role'], InputDevice>()
  const health = new Map<Role, DeviceHealth>((['card-reader', 'scanner', 'printer'] as const).map((role) => [role, { role, state: 'not-configured', detail: null }]))
  const { cardReader, scanner, printer, lineDisplay } = lane.devices
  const virtual = [cardReader?.connection, scanner?.connection, printer?.connection, lineDisplay?.connection].some((connection) => connection?.kind === 'virtual')
  const bench = virtual && profile.mode === 'training' ? await openVirtualBench({ paperFolder: options.paperFolder, ...(printer ? { printerLanguage: printer.language } : {}) }) : null

  function tell(device: DeviceHealth): void {
    health.set(device.role, device)
    publish({ type: 'device-health', device })
  }
  const onHealth = (role: Role) => (state: Health): void => { tell({ role, state: state.state, detail: state.detail }) }
  const onDrawer = (position: DrawerPosition | null): void => {
    tell(position === null ? { role: 'drawer', state: 'unavailable', detail: 'the printer cannot be asked' } : { role: 'drawer', state: 'ready', detail: null, position })
  }

  function present(collectorNumber: Parameters<CardReads['hold']>[0], entryMode: 'SWIPE' | 'SCAN' | 'KEYED'): void {
    const card = cardReads.hold(collectorNumber, entryMode)
    log.info({ entryMode, card: maskCollectorNumber(card.last4) }, 'card presented')
    publish({ type: 'card-read', readId: card.readId, entryMode, last4: card.last4 })
  }

  // The entry mode comes from the channel that the bytes arrived on, never from what they say.
  function onCardRead(read: CardRead): void {
    if (read.kind === 'program-card') present(read.collectorNumber, 'SWIPE')
    else publish({ type: 'card-refused', reason: read.kind === 'foreign-card' ? 'not-a-program-card' : 'unreadable' })
  }

  function onScan(scan: Scan, entryMode: 'SCAN' | 'KEYED'): void {
    switch (scan.kind) {
      case 'item':
        options.onItem(scan.code, scan.measure)
        break
      case 'collector':
        present(scan.collectorNumber, entryMode)
        break
      case 'foreign-card':
        publish({ type: 'card-refused', reason: 'not-a-program-card' })
        break
      case 'unreadable':
        publish({ type: 'scan-unreadable' })
        break
      case 'receipt':
        publish({ type: 'receipt-scanned', saleId: SaleId.parse(scan.saleId) })
        break
      case 'unknown':
        // A store's own short codes are looked up as they are before they are called unknown.
        options.onItem(scan.code)
        break
    }
  }

  if (cardReader) {
    const connection = cardReader.connection.kind === 'virtual' && bench ? bench.connections.cardReader : cardReader.connection
    inputs.set('card-reader', openCardReader({ connection, patterns, framing: cardReader.framing, enabled: false }, { onEvent: onCardRead, onHealth: onHealth('card-reader') }))
  }
  if (scanner) {
    const connection = scanner.connection.kind === 'virtual' && bench ? bench.connections.scanner : scanner.connection
    inputs.set('scanner', openScanner({ connection, patterns, framing: scanner.framing, embedded: scanner.embedded, enabled: false }, { onEvent: (scan) => { onScan(scan, 'SCAN') }, onHealth: onHealth('scanner') }))
  }
  const typedScan = keyboardScans({ patterns, embedded: scanner?.embedded })
  let openedPrinter: Printer | null = null
  if (printer) {
    const connection = printer.connection.kind === 'virtual' && bench ? bench.connections.printer : printer.connection
    // A switch that is not wired has nothing to say, and is not shown.
    if (printer.drawer) health.set('drawer', { role: 'drawer', state: 'connecting', detail: null })
    openedPrinter = openPrinter({ ...printer, connection }, { onHealth: onHealth('printer'), onEvent: ({ position }) => { onDrawer(position) } }, { logo: options.logo ?? null })
    devices.push(openedPrinter)
  }
  devices.push(...inputs.values())

  let openedDisplay: LineDisplay | null = null
  if (lineDisplay) {
    const connection = lineDisplay.connection.kind === 'virtual' && bench ? bench.connections.lineDisplay : lineDisplay.connection
    health.set('line-display', { role: 'line-display', state: 'connecting', detail: null })
    openedDisplay = openLineDisplay({ connection }, { onHealth: onHealth('line-display') })
    devices.push(openedDisplay)
  }

  return {
    lineDisplay: openedDisplay,
    printer: openedPrinter,
    bench,
    health: () => [...health.values()],
    async check() {
      await Promise.all([...inputs.values()].map((device) => device.checkHealth()))
      return [...health.values()]
    },
    statistics: () => [...inputs].map(([role, device]) => ({ role, ...device.statistics })),
    typed: (text) => { onScan(typedScan(text), 'KEYED') },
    keyed: (collectorNumber) => { present(collectorNumber, 'KEYED') },
    enable() { for (const device of inputs.values()) device.setEnabled(true) },
    async close() {
      await Promise.all(devices.map((device) => device.close()))
      await bench?.close()
    },
  }
}
