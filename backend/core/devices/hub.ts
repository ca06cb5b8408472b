import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { CollectorNumber } from '../../../contracts/core/ids.ts'
import type { DeviceConnection, DeviceDetails, InputRole, MaskedRead } from '../../../contracts/operations/devices.ts'
import type { DeviceHealth } from '../../../contracts/operations/diagnostics.ts'
import type { CardTerminalDevice, LaneSettings } from '../../../contracts/core/profile.ts'
import type { ScaleView } from '../../../contracts/sales/weighing.ts'
import type { Bitmap } from '../../../contracts/core/receipt.ts'
import {
  keyboardScans,
  openCardReader,
  openNexoTerminal,
  openLineDisplay,
  openPrinter,
  openScale,
  openScanner,
  openVirtualCardTerminal,
  troubleOf,
  type CardRead,
  type CardReaderConfig,
  type CardTerminal,
  type Device,
  type DeviceListener,
  type DrawerPosition,
  type Health,
  type InputDevice,
  type LineDisplay,
  type MaskedBytes,
  type Printer,
  type PrintOutcome,
  type PrintRequest,
  type Scale,
  type ScaleReading,
  type Scan,
  type TerminalAddress,
  type VirtualCardTerminal,
} from '../../../hardware/index.ts'
import { EXIT, StartRefusedError } from '../program/data-folder.ts'
import { type Gesture, type NotedRead, createLatestReads, gestureOf } from './reads.ts'
import { type TrainingBench, connectionOf, openTrainingBench } from './training-bench.ts'
import { type Ctx, provided } from '../context.ts'

type HubContext = Pick<Ctx, 'profile' | 'lane' | 'log' | 'publish'>

export interface HubFiles {
  readonly paperFolder: string
  readonly profileFile: string
  readonly logo?: Bitmap | null
}

export interface HubWatch {
  readonly onRead: (role: InputRole, read: MaskedRead) => void
  readonly onMaskedBytes: (role: InputRole | 'scale', bytes: MaskedBytes) => void
  readonly onReading?: (scale: ScaleView) => void
}

type Role = DeviceHealth['role']
type Configured<Name extends keyof LaneSettings['devices']> = NonNullable<LaneSettings['devices'][Name]>

class LanePrinter implements Printer {
  readonly jobs = { confirmed: 0, sent: 0, unknown: 0, failed: 0 }
  /**
   * When the drawer last opened, epoch ms; null without a wired switch, or before the first opening since the start.
   */
  drawerOpenedAt: number | null = null
  readonly #printer: Printer
  readonly #bench: TrainingBench | null

  constructor(printer: Printer, bench: TrainingBench | null) {
    this.#printer = printer
    this.#bench = bench
  }

  get health() {
    return this.#printer.health
  }

  get drawer() {
    return this.#printer.drawer
  }

  get identity() {
    return this.#printer.identity
  }

  get statistics() {
    return this.#printer.statistics
  }

  get drawerStatistics() {
    return this.#printer.drawerStatistics
  }

  checkHealth() {
    return this.#printer.checkHealth()
  }

  async print(request: PrintRequest): Promise<PrintOutcome> {
    this.#bench?.recentDocuments.sent(request.document)
    const outcome = await this.#printer.print(request)
    this.jobs[outcome.state] += 1
    return outcome
  }

  close() {
    return this.#printer.close()
  }
}

/** The scale of the lane, with a number for each of its readings. */
export class LaneScale {
  readonly device: Scale
  readonly #settings: Configured<'scale'>
  #number = 0

  constructor(
    settings: Configured<'scale'>,
    connection: Configured<'scale'>['connection'],
    listener: Pick<DeviceListener<ScaleReading | null>, 'onHealth' | 'onMaskedBytes'>,
    onReading: () => void,
  ) {
    this.#settings = settings
    this.device = openScale(
      { ...settings, connection },
      {
        ...listener,
        onEvent: () => {
          this.#number += 1
          onReading()
        },
      },
    )
  }

  view(): ScaleView {
    const { reading } = this.device
    const { unit, minimumWeight } = this.#settings
    return {
      number: this.#number,
      unit,
      state: reading?.state ?? 'unavailable',
      grossThousandths: reading?.weight?.thousandths ?? null,
      decimals: reading?.weight?.decimals ?? DECIMALS[unit],
      isNet: reading?.weight?.isNet ?? false,
      minimumThousandths: Math.round(minimumWeight * 1_000),
    }
  }
}
/** Usual decimals of a retail scale. */
const DECIMALS = { kg: 3, lb: 2 } as const

export async function openDeviceHub(ctx: HubContext, files: HubFiles, watch?: HubWatch): Promise<DeviceHub> {
  const { devices } = ctx.lane
  if (ctx.profile.mode !== 'training') return new DeviceHub(ctx, files, watch)
  const onChange = (): void => {
    ctx.publish({ type: 'training-changed' })
  }
  const virtualTerminal =
    devices.cardTerminal?.connection.kind === 'virtual'
      ? await openVirtualCardTerminal(devices.cardTerminal.terminalId, null, onChange)
      : null
  const bench = await openTrainingBench(devices, files.paperFolder, virtualTerminal, onChange)
  return new DeviceHub(ctx, files, watch, bench, virtualTerminal)
}

/**
 * The devices of this lane with their state. Only this class knows drivers; all other backend code works with reads,
 * codes and print jobs.
 */
export class DeviceHub {
  readonly printer: LanePrinter | null
  readonly lineDisplay: LineDisplay | null
  readonly scale: LaneScale | null
  readonly cardTerminal: CardTerminal | null
  readonly bench: TrainingBench | null
  readonly logo: Bitmap | null
  readonly #ctx: HubContext
  readonly #profileFile: string
  readonly #watch: HubWatch | undefined
  readonly #virtualTerminal: VirtualCardTerminal | null
  readonly #patterns: CardReaderConfig['patterns']
  readonly #badgeCode: RegExp
  readonly #typedScan: (text: string) => Scan
  readonly #health = new Map<Role, DeviceHealth>()
  readonly #inputs = new Map<InputRole, InputDevice>()
  readonly #reads = createLatestReads()
  #onGesture: (gesture: Gesture) => void = () => undefined

  constructor(
    ctx: HubContext,
    { profileFile, logo = null }: HubFiles,
    watch: HubWatch | undefined,
    bench: TrainingBench | null = null,
    virtualTerminal: VirtualCardTerminal | null = null,
  ) {
    const { profile, lane } = ctx
    const { cardReader, scanner, printer, lineDisplay, scale, cardTerminal } = lane.devices
    this.#ctx = ctx
    this.#profileFile = profileFile
    this.#watch = watch
    this.bench = bench
    this.logo = logo
    this.#virtualTerminal = virtualTerminal
    this.#patterns = { ...profile.program.cards, badges: profile.signIn.badgePatterns }
    this.#badgeCode = new RegExp(profile.signIn.badgePatterns.barcode, 'u')
    this.#typedScan = keyboardScans({ patterns: this.#patterns, embedded: scanner?.embedded })
    this.#expect('card-reader', cardReader)
    this.#expect('scanner', scanner)
    this.#expect('printer', printer)
    if (cardReader) this.#openCardReader(cardReader)
    if (scanner) this.#openScanner(scanner)
    this.printer = printer ? this.#openPrinter(printer) : null
    this.lineDisplay = lineDisplay ? this.#openLineDisplay(lineDisplay) : null
    this.scale = scale ? this.#openScale(scale) : null
    this.cardTerminal = cardTerminal ? this.#openCardTerminal(cardTerminal) : null
  }

  health(): DeviceHealth[] {
    return [...this.#health.values()]
  }

  async check(): Promise<DeviceHealth[]> {
    await Promise.all(this.#devices().map((device) => device.checkHealth()))
    return this.health()
  }

  details(): DeviceDetails[] {
    return [...this.#health.keys()].flatMap((role) => {
      if (role === 'drawer') return [this.#detailsOf(role, { kind: 'printer' })]
      const connection = connectionOf(this.#ctx.lane.devices, role)
      return connection === undefined ? [] : [this.#detailsOf(role, connection)]
    })
  }

  testRead(role: InputRole, deadlineMs: number): Promise<MaskedRead | null> {
    return this.#reads.next(role, deadlineMs)
  }

  /** Handles a line from a scanner that types: an item code rings the item, a collector number counts as keyed. */
  typed(text: string): void {
    this.#onScan(this.#typedScan(text), 'KEYED')
  }

  keyed(collectorNumber: CollectorNumber): void {
    this.#onGesture({ kind: 'card', collectorNumber, entryMode: 'KEYED' })
  }

  /**
   * Starts to pass the reads of the devices to `onGesture`. Earlier reads wait in their drivers, which drop old ones.
   */
  enable(onGesture: (gesture: Gesture) => void): void {
    this.#onGesture = onGesture
    for (const device of this.#inputs.values()) device.setEnabled(true)
  }

  async close(): Promise<void> {
    this.#reads.close()
    await Promise.all(this.#devices().map((device) => device.close()))
    await this.bench?.close()
    await this.#virtualTerminal?.close()
  }

  #devices(): Device[] {
    const { printer, lineDisplay, scale, cardTerminal } = this
    return [printer, ...this.#inputs.values(), lineDisplay, scale?.device ?? null, cardTerminal].filter(
      (device) => device !== null,
    )
  }

  #expect(role: Role, device: object | undefined): void {
    this.#health.set(role, { role, state: device ? 'connecting' : 'not-configured', detail: null })
  }

  #openCardReader({ connection, framing }: Configured<'cardReader'>): void {
    const settings = {
      connection: wireOf(connection, this.bench?.connections.cardReader),
      patterns: this.#patterns,
      framing,
      enabled: false,
    }
    const onRead = (read: CardRead): void => {
      this.#onCardRead(read)
    }
    this.#inputs.set('card-reader', openCardReader(settings, this.#listener('card-reader', onRead)))
  }

  #openScanner({ connection, framing, embedded }: Configured<'scanner'>): void {
    const settings = {
      connection: wireOf(connection, this.bench?.connections.scanner),
      patterns: this.#patterns,
      framing,
      embedded,
      enabled: false,
    }
    const onScan = (scan: Scan): void => {
      this.#onScan(scan, 'SCAN')
    }
    this.#inputs.set('scanner', openScanner(settings, this.#listener('scanner', onScan)))
  }

  #openPrinter(printer: Configured<'printer'>): LanePrinter {
    // A drawer without a wired switch is not listed, because its position is unknown.
    if (printer.drawer) this.#expect('drawer', printer)
    const opened = openPrinter(
      { ...printer, connection: wireOf(printer.connection, this.bench?.connections.printer) },
      {
        onHealth: this.#onHealth('printer'),
        onEvent: ({ position }) => {
          this.#onDrawer(position)
        },
      },
      { logo: this.logo },
    )
    return new LanePrinter(opened, this.bench)
  }

  #openLineDisplay({ connection }: Configured<'lineDisplay'>): LineDisplay {
    this.#expect('line-display', connection)
    return openLineDisplay(
      { connection: wireOf(connection, this.bench?.connections.lineDisplay) },
      { onHealth: this.#onHealth('line-display') },
    )
  }

  #openScale(scale: Configured<'scale'>): LaneScale {
    this.#expect('scale', scale)
    const watch = this.#watch
    const listener = {
      onHealth: this.#onHealth('scale'),
      onMaskedBytes:
        watch &&
        ((bytes: MaskedBytes): void => {
          watch.onMaskedBytes('scale', bytes)
        }),
    }
    const laneScale = new LaneScale(scale, wireOf(scale.connection, this.bench?.connections.scale), listener, () => {
      this.#ctx.publish({ type: 'scale-reading', scale: laneScale.view() })
      watch?.onReading?.(laneScale.view())
    })
    return laneScale
  }

  #openCardTerminal(terminal: CardTerminalDevice): CardTerminal {
    this.#expect('card-terminal', terminal)
    return openNexoTerminal(
      {
        address: this.#virtualTerminal?.address ?? addressOf(terminal, this.#profileFile),
        parties: { saleId: this.#ctx.lane.deviceId, poiId: terminal.terminalId },
        key: null,
      },
      { onHealth: this.#onHealth('card-terminal') },
    )
  }

  #listener<Read extends CardRead | Scan>(role: InputRole, onEvent: (read: Read) => void) {
    const watch = this.#watch
    return {
      onEvent,
      onHealth: this.#onHealth(role),
      onMaskedBytes:
        watch &&
        ((bytes: MaskedBytes): void => {
          watch.onMaskedBytes(role, bytes)
        }),
    }
  }

  #onHealth(role: Role) {
    return ({ state, detail }: Health): void => {
      this.#notify({ role, state, detail })
    }
  }

  #onDrawer(position: DrawerPosition | null): void {
    if (position === 'open' && this.printer) this.printer.drawerOpenedAt = Date.now()
    this.#notify(
      position === null
        ? { role: 'drawer', state: 'unavailable', detail: 'the printer cannot be queried' }
        : { role: 'drawer', state: 'ready', detail: null, position },
    )
  }

  #notify(health: DeviceHealth): void {
    const trouble = troubleOf(health.detail)
    // The screens have no text for an unclassified fault and refer to the log for details.
    if (trouble?.kind === 'other')
      this.#ctx.log.warn({ role: health.role, detail: health.detail }, 'a device reported an unclassified fault')
    const device = trouble === null ? health : { ...health, trouble }
    this.#health.set(device.role, device)
    this.#ctx.publish({ type: 'device-health', device })
  }

  #noted(role: InputRole, read: CardRead | Scan): NotedRead {
    const note = this.#reads.note(role, read)
    this.#watch?.onRead(role, note.shown)
    return note
  }

  // The entry mode comes from the device that delivered the bytes, never from their content.
  #onCardRead(read: CardRead): void {
    if (this.#noted('card-reader', read).forTest) return
    if (read.kind === 'program-card')
      this.#onGesture({ kind: 'card', collectorNumber: read.collectorNumber, entryMode: 'SWIPE' })
    else if (read.kind === 'staff-badge') this.#onGesture({ kind: 'badge', number: read.number })
    else
      this.#onGesture({
        kind: 'card-refused',
        reason: read.kind === 'foreign-card' ? 'not-a-program-card' : 'unreadable',
      })
  }

  #onScan(read: Scan, entryMode: 'SCAN' | 'KEYED'): void {
    const scan = this.#asBadge(read)
    if (entryMode === 'SCAN' && this.#noted('scanner', scan).forTest) return
    this.#onGesture(gestureOf(scan, entryMode))
  }

  #asBadge(scan: Scan): Scan {
    if (scan.kind !== 'item' && scan.kind !== 'unknown' && scan.kind !== 'receipt') return scan
    const number = this.#badgeCode.exec(scan.kind === 'receipt' ? scan.saleId : scan.code)?.[1]
    return number === undefined ? scan : { kind: 'staff-badge', number }
  }

  #detailsOf(role: Role, connection: DeviceConnection): DeviceDetails {
    const isInput = role === 'card-reader' || role === 'scanner'
    const trace = (isInput ? this.#inputs.get(role)?.trace : role === 'scale' ? this.scale?.device.trace : null) ?? []
    return {
      role,
      connection,
      ...this.#factsOf(role),
      lastRead: isInput ? this.#reads.last(role) : null,
      ...(role === 'scale' && this.scale ? { scale: this.scale.view() } : {}),
      bytes: trace.map(({ at, text }) => ({ at: new Date(at).toISOString(), text })),
    }
  }

  #factsOf(role: Role): Pick<DeviceDetails, 'category' | 'language' | 'columns' | 'identity' | 'statistics' | 'jobs'> {
    const { printer, lineDisplay, scale } = this
    const none = { language: null, columns: null, identity: null, jobs: null }
    switch (role) {
      case 'card-reader':
        return { ...none, category: 'MSR', statistics: { ...this.#inputs.get(role)?.statistics } }
      case 'scanner':
        return { ...none, category: 'Scanner', statistics: { ...this.#inputs.get(role)?.statistics } }
      case 'printer':
        return {
          category: 'POSPrinter',
          language: this.#ctx.lane.devices.printer?.language ?? null,
          columns: this.#ctx.lane.devices.printer?.columns ?? null,
          identity: printer?.identity ?? null,
          statistics: { ...printer?.statistics },
          jobs: printer && { ...printer.jobs },
        }
      case 'drawer':
        return { ...none, category: 'CashDrawer', statistics: { ...printer?.drawerStatistics } }
      case 'line-display':
        return {
          ...none,
          category: 'LineDisplay',
          language: 'cd5220',
          columns: 20,
          statistics: { ...lineDisplay?.statistics },
        }
      case 'scale':
        return {
          ...none,
          category: 'Scale',
          language: this.#ctx.lane.devices.scale?.protocol ?? null,
          statistics: { ...scale?.device.statistics },
        }
      case 'card-terminal':
        return { ...none, category: 'CardTerminal', language: 'nexo', statistics: {} }
    }
  }
}

const wireOf = <Own extends { readonly kind: string }, Far>(connection: Own, far: Far | undefined): Own | Far =>
  connection.kind === 'virtual' && far !== undefined ? far : connection

/** Throws a StartRefusedError that explains what is wrong with the certificate file. */
function addressOf({ connection }: CardTerminalDevice, profileFile: string): TerminalAddress {
  if (connection.kind === 'virtual') throw new Error('a simulated terminal has its own address')
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

export type { LineDisplay } from '../../../hardware/index.ts'

export const devicesOf = provided<DeviceHub>('the devices')
