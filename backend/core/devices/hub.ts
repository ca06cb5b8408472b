import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { CollectorNumber } from '../../../contracts/core/ids.ts'
import type { DeviceConnection, DeviceDetails, InputRole, MaskedRead } from '../../../contracts/operations/devices.ts'
import type { DeviceHealth } from '../../../contracts/operations/diagnostics.ts'
import { VirtualRole } from '../../../contracts/operations/training.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import type { CardTerminalDevice, Lane, Profile } from '../../../contracts/core/profile.ts'
import type { Bitmap } from '../../../contracts/core/receipt.ts'
import {
  keyboardScans,
  openCardReader,
  openNexoTerminal,
  openLineDisplay,
  openPrinter,
  openScanner,
  openVirtualBench,
  openVirtualCardTerminal,
  troubleOf,
  type CardRead,
  type CardTerminal,
  type Device,
  type DrawerPosition,
  type Health,
  type InputDevice,
  type LineDisplay,
  type MaskedBytes,
  type Printer,
  type Scan,
  type TerminalAddress,
} from '../../../hardware/index.ts'
import { EXIT, StartRefusedError } from '../program/data-folder.ts'
import { type Gesture, type NotedRead, createLatestReads } from './reads.ts'
import type { Logger } from '../log.ts'
import { type TrainingBench, createRecentDocuments } from './training-bench.ts'
import { provided } from '../context.ts'

export interface HubOptions {
  readonly profile: Profile
  readonly lane: Lane
  readonly publish: (event: TerminalEvent) => void
  readonly paperFolder: string
  /** What the profile's files are named from. */
  readonly profileFile: string
  /** What a receipt's logo block prints; none when left out. */
  readonly logo?: Bitmap | null
  readonly log: Logger
  /** An installer who looks at the readers; nobody where a terminal sells. */
  readonly watch?: HubWatch
}

export interface HubWatch {
  readonly onRead: (role: InputRole, read: MaskedRead) => void
  readonly onMaskedBytes: (role: InputRole, bytes: MaskedBytes) => void
}

type Role = DeviceHealth['role']

export interface HubPrinter extends Printer {
  /**
   * When the drawer was last seen to open, in milliseconds since 1970; null where no switch tells, or none did since
   * the start.
   */
  readonly drawerOpenedAt: number | null
}

/**
 * The devices of this lane as one live picture. It alone knows drivers; the rest of the backend knows reads, codes and
 * print jobs.
 */
export interface DeviceHub {
  readonly printer: HubPrinter | null
  readonly lineDisplay: LineDisplay | null
  readonly cardTerminal: CardTerminal | null
  /** The far ends of virtual devices; null outside training mode. */
  readonly bench: TrainingBench | null
  health(): DeviceHealth[]
  /** Looks at every device now instead of when it is due, and answers the health of all. */
  check(): Promise<DeviceHealth[]>
  /** What each device is and did, for whoever installs or mends it. */
  details(): DeviceDetails[]
  /** The next read of this device is for the test and for nothing else; null when none came in time. */
  testRead(role: InputRole, deadlineMs: number): Promise<MaskedRead | null>
  /** A line that a scanner typed as a keyboard does: an item rings, a collector's number is keyed. */
  typed(text: string): void
  /** A collector's number that the cashier typed: a read like any other, KEYED. */
  keyed(collectorNumber: CollectorNumber): void
  /** From now on gestures are delivered. Until then they wait, and are dropped when they are stale. */
  enable(onGesture: (gesture: Gesture) => void): void
  close(): Promise<void>
}

export async function openDeviceHub(options: HubOptions): Promise<DeviceHub> {
  const { profile, lane, publish, log } = options
  let onGesture: (gesture: Gesture) => void = () => undefined
  const patterns = { ...profile.program.cards, badges: profile.signIn.badgePatterns }
  const badgeCode = new RegExp(profile.signIn.badgePatterns.barcode, 'u')
  const devices: Device[] = []
  const inputs = new Map<InputRole, InputDevice>()
  const reads = createLatestReads()
  const jobs = { confirmed: 0, sent: 0, unknown: 0, failed: 0 }
  const { cardReader, scanner, printer, lineDisplay, cardTerminal } = lane.devices
  const always = [
    ['card-reader', cardReader],
    ['scanner', scanner],
    ['printer', printer],
  ] as const
  const health = new Map<Role, DeviceHealth>(
    always.map(([role, device]) => [role, { role, state: device ? 'connecting' : 'not-configured', detail: null }]),
  )
  const connections = {
    'card-reader': cardReader?.connection,
    scanner: scanner?.connection,
    printer: printer?.connection,
    'line-display': lineDisplay?.connection,
    'card-terminal': cardTerminal?.connection,
  }
  const virtualRoles = VirtualRole.options.filter((role) => connections[role]?.kind === 'virtual')
  const trainingChanged = (): void => {
    publish({ type: 'training-changed' })
  }
  const farTerminal =
    cardTerminal?.connection.kind === 'virtual' && profile.mode === 'training'
      ? await openVirtualCardTerminal(cardTerminal.terminalId, null, trainingChanged)
      : null
  const bench = virtualRoles.length > 0 && profile.mode === 'training' ? await openTrainingBench() : null

  async function openTrainingBench(): Promise<TrainingBench> {
    const far = await openVirtualBench({
      paperFolder: options.paperFolder,
      onChange: trainingChanged,
      ...(printer ? { printerLanguage: printer.language } : {}),
    })
    return Object.assign(far, {
      roles: virtualRoles,
      recentDocuments: createRecentDocuments(printer?.columns ?? 42),
      cardTerminal: farTerminal,
    })
  }

  function notify(told: DeviceHealth): void {
    const trouble = troubleOf(told.detail)
    // The screens have no words for it and name this log: the detail is there.
    if (trouble?.kind === 'other')
      log.warn({ role: told.role, detail: told.detail }, 'a device has a trouble that is not known')
    const device = trouble === null ? told : { ...told, trouble }
    health.set(device.role, device)
    publish({ type: 'device-health', device })
  }
  const onHealth =
    (role: Role) =>
    (state: Health): void => {
      notify({ role, state: state.state, detail: state.detail })
    }
  let drawerOpenedAt: number | null = null
  const onDrawer = (position: DrawerPosition | null): void => {
    if (position === 'open') drawerOpenedAt = Date.now()
    notify(
      position === null
        ? { role: 'drawer', state: 'unavailable', detail: 'the printer cannot be asked' }
        : { role: 'drawer', state: 'ready', detail: null, position },
    )
  }

  function noted(role: InputRole, read: CardRead | Scan): NotedRead {
    const note = reads.note(role, read)
    options.watch?.onRead(role, note.shown)
    return note
  }

  // The entry mode comes from the channel that the bytes arrived on, never from what they say.
  function onCardRead(read: CardRead): void {
    if (noted('card-reader', read).forTest) return
    if (read.kind === 'program-card')
      onGesture({ kind: 'card', collectorNumber: read.collectorNumber, entryMode: 'SWIPE' })
    else if (read.kind === 'staff-badge') onGesture({ kind: 'badge', number: read.number })
    else onGesture({ kind: 'card-refused', reason: read.kind === 'foreign-card' ? 'not-a-program-card' : 'unreadable' })
  }

  function onScan(read: Scan, entryMode: 'SCAN' | 'KEYED'): void {
    const scan = asBadge(read)
    if (entryMode === 'SCAN' && noted('scanner', scan).forTest) return
    onGesture(gestureOf(scan, entryMode))
  }

  /** A code that the store's pattern says is a staff badge's; payment cards were refused before. */
  function asBadge(scan: Scan): Scan {
    if (scan.kind !== 'item' && scan.kind !== 'unknown' && scan.kind !== 'receipt') return scan
    const number = badgeCode.exec(scan.kind === 'receipt' ? scan.saleId : scan.code)?.[1]
    return number === undefined ? scan : { kind: 'staff-badge', number }
  }

  /** What an input device tells. */
  const listener = <Read extends CardRead | Scan>(role: InputRole, onEvent: (read: Read) => void) => ({
    onEvent,
    onHealth: onHealth(role),
    onMaskedBytes:
      options.watch &&
      ((bytes: MaskedBytes): void => {
        options.watch?.onMaskedBytes(role, bytes)
      }),
  })

  if (cardReader) {
    const connection =
      cardReader.connection.kind === 'virtual' && bench ? bench.connections.cardReader : cardReader.connection
    inputs.set(
      'card-reader',
      openCardReader(
        { connection, patterns, framing: cardReader.framing, enabled: false },
        listener('card-reader', onCardRead),
      ),
    )
  }
  if (scanner) {
    const connection = scanner.connection.kind === 'virtual' && bench ? bench.connections.scanner : scanner.connection
    inputs.set(
      'scanner',
      openScanner(
        { connection, patterns, framing: scanner.framing, embedded: scanner.embedded, enabled: false },
        listener('scanner', (scan: Scan) => {
          onScan(scan, 'SCAN')
        }),
      ),
    )
  }
  const typedScan = keyboardScans({ patterns, embedded: scanner?.embedded })
  let openedPrinter: Printer | null = null
  if (printer) {
    const connection = printer.connection.kind === 'virtual' && bench ? bench.connections.printer : printer.connection
    // A switch that is not wired has nothing to say, and is not shown.
    if (printer.drawer) health.set('drawer', { role: 'drawer', state: 'connecting', detail: null })
    openedPrinter = openPrinter(
      { ...printer, connection },
      {
        onHealth: onHealth('printer'),
        onEvent: ({ position }) => {
          onDrawer(position)
        },
      },
      { logo: options.logo ?? null },
    )
    devices.push(openedPrinter)
  }
  devices.push(...inputs.values())

  let openedDisplay: LineDisplay | null = null
  if (lineDisplay) {
    const connection =
      lineDisplay.connection.kind === 'virtual' && bench ? bench.connections.lineDisplay : lineDisplay.connection
    health.set('line-display', { role: 'line-display', state: 'connecting', detail: null })
    openedDisplay = openLineDisplay({ connection }, { onHealth: onHealth('line-display') })
    devices.push(openedDisplay)
  }

  let openedTerminal: CardTerminal | null = null
  if (cardTerminal) {
    health.set('card-terminal', { role: 'card-terminal', state: 'connecting', detail: null })
    openedTerminal = openNexoTerminal(
      {
        address: farTerminal?.address ?? addressOf(cardTerminal, options.profileFile),
        parties: { saleId: lane.deviceId, poiId: cardTerminal.terminalId },
        key: null,
      },
      { onHealth: onHealth('card-terminal') },
    )
    devices.push(openedTerminal)
  }

  /** The printer as the rest of the backend knows it; what goes through here, the training panel may show. */
  const printerOfLane = (opened: Printer): HubPrinter => ({
    get health() {
      return opened.health
    },
    get drawer() {
      return opened.drawer
    },
    get drawerOpenedAt() {
      return drawerOpenedAt
    },
    get identity() {
      return opened.identity
    },
    get statistics() {
      return opened.statistics
    },
    get drawerStatistics() {
      return opened.drawerStatistics
    },
    checkHealth: () => opened.checkHealth(),
    async print(request) {
      bench?.recentDocuments.sent(request.document)
      const outcome = await opened.print(request)
      jobs[outcome.state] += 1
      return outcome
    },
    close: () => opened.close(),
  })

  /** Of every kind of device what it is and counts; the rest is the same for all. */
  function factsOf(
    role: Role,
  ): Pick<DeviceDetails, 'category' | 'language' | 'columns' | 'identity' | 'statistics' | 'jobs'> {
    const none = { language: null, columns: null, identity: null, jobs: null }
    switch (role) {
      case 'card-reader':
        return { ...none, category: 'MSR', statistics: { ...inputs.get(role)?.statistics } }
      case 'scanner':
        return { ...none, category: 'Scanner', statistics: { ...inputs.get(role)?.statistics } }
      case 'printer':
        return {
          category: 'POSPrinter',
          language: printer?.language ?? null,
          columns: printer?.columns ?? null,
          identity: openedPrinter?.identity ?? null,
          statistics: { ...openedPrinter?.statistics },
          jobs: { ...jobs },
        }
      case 'drawer':
        return { ...none, category: 'CashDrawer', statistics: { ...openedPrinter?.drawerStatistics } }
      case 'line-display':
        return {
          ...none,
          category: 'LineDisplay',
          language: 'cd5220',
          columns: 20,
          statistics: { ...openedDisplay?.statistics },
        }
      case 'card-terminal':
        return { ...none, category: 'CardTerminal', language: 'nexo', statistics: {} }
    }
  }

  function detailsOf(role: Role, connection: DeviceConnection): DeviceDetails {
    const isInput = role === 'card-reader' || role === 'scanner'
    const trace = isInput ? (inputs.get(role)?.trace ?? []) : []
    return {
      role,
      connection,
      ...factsOf(role),
      lastRead: isInput ? reads.last(role) : null,
      bytes: trace.map(({ at, text }) => ({ at: new Date(at).toISOString(), text })),
    }
  }

  return {
    lineDisplay: openedDisplay,
    cardTerminal: openedTerminal,
    printer: openedPrinter && printerOfLane(openedPrinter),
    bench,
    health: () => [...health.values()],
    async check() {
      await Promise.all(devices.map((device) => device.checkHealth()))
      return [...health.values()]
    },
    details: () =>
      [...health.keys()].flatMap((role) => {
        if (role === 'drawer') return [detailsOf(role, { kind: 'printer' })]
        const connection = connections[role]
        return connection === undefined ? [] : [detailsOf(role, connection)]
      }),
    testRead: (role, deadlineMs) => reads.next(role, deadlineMs),
    typed: (text) => {
      onScan(typedScan(text), 'KEYED')
    },
    keyed: (collectorNumber) => {
      onGesture({ kind: 'card', collectorNumber, entryMode: 'KEYED' })
    },
    enable(listener) {
      onGesture = listener
      for (const device of inputs.values()) device.setEnabled(true)
    },
    async close() {
      reads.close()
      await Promise.all(devices.map((device) => device.close()))
      await bench?.close()
      await farTerminal?.close()
    },
  }
}

function gestureOf(scan: Scan, entryMode: 'SCAN' | 'KEYED'): Gesture {
  switch (scan.kind) {
    case 'item':
      return {
        kind: 'code',
        code: scan.code,
        measure: scan.measure,
        base: scan.base,
        lot: scan.lot,
        expiry: scan.expiry,
        unknown: false,
      }
    case 'collector':
      return { kind: 'card', collectorNumber: scan.collectorNumber, entryMode }
    case 'foreign-card':
      return { kind: 'card-refused', reason: 'not-a-program-card' }
    case 'staff-badge':
      return { kind: 'badge', number: scan.number }
    case 'enrolment':
      return { kind: 'enrolment', ticket: scan.ticket }
    case 'unreadable':
      return { kind: 'unreadable' }
    case 'receipt':
      return { kind: 'receipt', id: scan.saleId }
    case 'unknown':
      // A store's own short codes are looked up as they are before they are called unknown.
      return { kind: 'code', code: scan.code, unknown: true }
  }
}

/** Throws a StartRefusedError that says what is wrong with the certificate's file. */
function addressOf({ connection }: CardTerminalDevice, profileFile: string): TerminalAddress {
  if (connection.kind === 'virtual') throw new Error('a simulated terminal has an address of its own')
  const file = resolve(dirname(profileFile), connection.certificateFile)
  try {
    const certificate = readFileSync(file, 'utf8')
    return { host: connection.host, port: connection.port, certificate, commonName: connection.certificateName }
  } catch {
    throw new StartRefusedError(
      `${profileFile}: cardTerminal.connection.certificateFile: ${file} cannot be read. Save the root ` +
        'certificate of the terminals there as PEM.',
      EXIT.badArguments,
    )
  }
}

/** The devices of the lane, and the logo that its printer prints. */
export type { LineDisplay } from '../../../hardware/index.ts'

export interface LaneDevices extends DeviceHub {
  readonly logo: Bitmap | null
}

export const devicesOf = provided<LaneDevices>('the devices')
