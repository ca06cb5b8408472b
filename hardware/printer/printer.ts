import PQueue from 'p-queue'
import type { PrinterDevice, PrinterLanguage } from '../../contracts/core/profile.ts'
import type { Bitmap } from '../../contracts/core/receipt.ts'
import type {
  DeviceListener,
  DrawerPosition,
  Health,
  Printer,
  PrinterEvent,
  PrinterIdentity,
  PrintOutcome,
  PrintRequest,
} from '../device.ts'
import { reasonOf, within } from '../serial/channel.ts'
import { type EncodedReceipt, encodeReceipt } from './encode.ts'
import { type JobWire, runJob } from './job.ts'
import { createEscPosProtocol, createPrinterCounts } from './status.ts'
import type { DrawerSwitch, PrinterCondition, PrinterProtocol } from './protocol.ts'
import { fileWire, noWire, type PrinterWire, serialWire, tcpWire } from './wires.ts'
import { StarProtocol } from './star-status.ts'

/** Interval of status requests to an idle printer in ms; shorter while the printer is not ready. */
const POLL_MS = 5_000
const POLL_TROUBLED_MS = 2_000
/** Interval of status requests with a wired drawer switch, in ms: how late an opened drawer is shown. */
const POLL_DRAWER_MS = 1_000
const REPORT_MS = 400
/** Maximum time in ms for which closing waits for the running job before it closes the connection. */
const CLOSE_MS = 2_000

export interface PrinterOptions {
  /** For tests: the polling interval of an idle printer, in milliseconds. */
  readonly pollMs?: number
  readonly logo?: Bitmap | null
}

function healthOf(condition: PrinterCondition): Health {
  switch (condition.kind) {
    case 'ready':
      return { state: 'ready', detail: condition.paperLow ? 'paper is low' : null }
    case 'silent':
      return { state: 'ready', detail: 'the printer does not report its status' }
    case 'trouble':
      return { state: 'needs-attention', detail: condition.detail }
  }
}

/** Driver of a receipt printer. Jobs are queued, each is sent once, and the printer is polled only between jobs. */
export class ReceiptPrinter implements Printer {
  private readonly config: PrinterDevice
  private readonly listener: Pick<DeviceListener<PrinterEvent>, 'onHealth'> & Partial<DeviceListener<PrinterEvent>>
  private readonly options: PrinterOptions
  health: Health = { state: 'connecting', detail: null }
  drawer: DrawerPosition | null = null
  identity: PrinterIdentity | null = null
  /**
   * Whether the identity was requested since the printer was last unavailable: after that it may be another printer.
   */
  private identityRequested = false
  private kicked = false
  private hasAnswered = false
  /** Whether the failure to reach the printer is already counted: it counts once until the printer is back. */
  private isUnreachable = false
  private reports = false
  private hasChanged = false
  private closed = false
  private poll: NodeJS.Timeout | undefined
  private readonly queue = new PQueue({ concurrency: 1 })
  private readonly counts = createPrinterCounts()
  private readonly protocol: PrinterProtocol
  private readonly wire: PrinterWire

  constructor(
    config: PrinterDevice,
    listener: Pick<DeviceListener<PrinterEvent>, 'onHealth'> & Partial<DeviceListener<PrinterEvent>>,
    options: PrinterOptions = {},
  ) {
    this.config = config
    this.listener = listener
    this.options = options
    this.protocol = createPrinterProtocol(config.language, () => {
      this.hasChanged = true
      this.pollIn(0)
    })
    this.wire = this.wireOf(config)
    // A serial port starts polling by itself when it opens.
    if (config.connection.kind !== 'serial') this.pollIn(0)
  }

  private countUnreachable(): void {
    if (!this.isUnreachable) this.counts.communicationError()
    this.isUnreachable = true
  }

  private setHealth(next: Health): void {
    if (this.closed || (next.state === this.health.state && next.detail === this.health.detail)) return
    if (next.state === 'unavailable') {
      this.countUnreachable()
      this.identityRequested = false
    }
    if (next.state === 'ready') this.isUnreachable = false
    this.health = next
    this.listener.onHealth(next)
  }

  private notifyDrawer(level: DrawerSwitch | null): void {
    if (!this.config.drawer || this.closed) return
    const next = level === null ? null : level === this.config.drawer.openWhen ? 'open' : 'closed'
    if (next === this.drawer) return
    this.drawer = next
    this.listener.onEvent?.({ kind: 'drawer', position: next })
  }

  private onCondition(condition: PrinterCondition): void {
    this.counts.condition(condition)
    if (condition.kind !== 'silent') {
      this.hasAnswered = true
      this.isUnreachable = false
    } else if (this.hasAnswered) this.countUnreachable()
    this.notifyDrawer(condition.kind === 'silent' ? null : condition.drawerSwitch)
  }

  private countKick(): void {
    if (this.kicked && this.drawer !== null) this.counts.kicked(this.drawer === 'open')
    this.kicked = false
  }

  private wireOf({ connection }: PrinterDevice): PrinterWire {
    switch (connection.kind) {
      case 'tcp':
        return tcpWire(connection, this.protocol)
      case 'file':
        return fileWire(connection.path, this.protocol)
      case 'virtual':
        return noWire()
      case 'serial':
        return serialWire(connection, this.protocol, (next) => {
          // An open port does not prove that a printer answers, so the health waits for the next status answer.
          this.reports = false
          if (next.state === 'ready') this.pollIn(0)
          else this.setHealth(next)
        })
    }
  }

  private pollIn(ms: number): void {
    clearTimeout(this.poll)
    if (this.closed) return
    this.poll = setTimeout(() => {
      void this.queue.add(() => this.probe())
    }, ms)
    this.poll.unref()
  }

  /**
   * Requests the identity of a ready printer, once until the printer becomes unavailable. A printer without paper would
   * answer only when it has paper again.
   */
  private async requestIdentity(write: JobWire['write'], condition: PrinterCondition): Promise<void> {
    if (this.identityRequested || condition.kind !== 'ready') return
    this.identityRequested = true
    this.identity = await this.protocol.identify(write)
  }

  /**
   * Requests status between jobs, and enables status reports on a permanent connection, so that missing paper is known
   * before the next sale.
   */
  private async ask({ write }: JobWire): Promise<PrinterCondition> {
    const condition = await this.protocol.ask(write)
    await this.requestIdentity(write, condition)
    if (this.wire.isPermanent && !this.reports && this.protocol.reportChanges !== null && condition.kind !== 'silent') {
      await write(this.protocol.reportChanges, REPORT_MS)
      this.reports = true
      // The status is requested, because the printer does not report changes from before reports were enabled.
      return this.protocol.ask(write)
    }
    return condition
  }

  private async probe(): Promise<void> {
    if (this.closed) return
    this.hasChanged = false
    try {
      const condition = this.wire.reportsStatus
        ? await this.wire.withConnection(false, (arg0) => this.ask(arg0))
        : await this.wire.withConnection(false, () => Promise.resolve(null))
      if (condition) this.onCondition(condition)
      this.countKick()
      this.setHealth(condition ? healthOf(condition) : { state: 'ready', detail: null })
    } catch (error) {
      this.notifyDrawer(null)
      this.setHealth({ state: 'unavailable', detail: reasonOf(error) })
    }
    this.pollIn(
      this.hasChanged
        ? 0
        : (this.options.pollMs ??
            (this.config.drawer ? POLL_DRAWER_MS : this.health.state === 'ready' ? POLL_MS : POLL_TROUBLED_MS)),
    )
  }

  private async printNow(request: PrintRequest): Promise<PrintOutcome> {
    if (this.closed) return { state: 'failed', detail: 'the printer was closed' }
    let job: EncodedReceipt
    try {
      job = encodeReceipt(request.document, {
        language: this.config.language,
        columns: this.config.columns,
        openDrawer: request.openDrawer,
        logo: this.options.logo ?? null,
      })
    } catch (error) {
      return { state: 'failed', detail: `the document could not be encoded: ${reasonOf(error)}` }
    }
    const { bytes, work } = job
    // If the drawer was already open, its switch cannot show whether this job opened it.
    const wasClosed = this.drawer === 'closed'
    let begun = false
    try {
      const { outcome, condition } = await this.wire.withConnection(
        true,
        async (connection): Promise<{ outcome: PrintOutcome; condition: PrinterCondition | null }> => {
          begun = true
          if (this.wire.reportsStatus)
            return runJob(connection, bytes, this.wire.transferMs(bytes.length), this.hasAnswered)
          await connection.write(bytes, 0)
          return { outcome: { state: 'sent', detail: null }, condition: null }
        },
      )
      if (outcome.state === 'confirmed' || outcome.state === 'sent') this.counts.printed(work)
      if (request.openDrawer && wasClosed && outcome.state === 'confirmed') this.kicked = true
      // The job began with a reset, which disables status reports, so they are enabled again.
      this.reports = false
      if (this.wire.isPermanent || this.kicked) this.pollIn(0)
      if (condition === null) {
        this.setHealth({ state: 'ready', detail: null })
        return outcome
      }
      this.onCondition(condition)
      this.setHealth(
        outcome.state === 'failed' && condition.kind !== 'trouble'
          ? { state: 'unavailable', detail: outcome.detail }
          : healthOf(condition),
      )
      return outcome
    } catch (error) {
      const detail = reasonOf(error)
      this.setHealth({ state: 'unavailable', detail })
      return { state: begun ? 'unknown' : 'failed', detail }
    }
  }

  get statistics() {
    return this.counts.printer
  }

  get drawerStatistics() {
    return this.config.drawer ? this.counts.drawer : null
  }

  async checkHealth() {
    await this.queue.add(() => this.probe())
    return this.health
  }

  print(request: PrintRequest): Promise<PrintOutcome> {
    return this.queue.add(() => this.printNow(request))
  }

  async close() {
    this.closed = true
    clearTimeout(this.poll)
    await within(CLOSE_MS, 'the job did not end', this.queue.onIdle()).catch(() => undefined)
    await this.wire.close()
  }
}

export const openPrinter = (...args: ConstructorParameters<typeof ReceiptPrinter>): Printer =>
  new ReceiptPrinter(...args)

/**
 * Creates the status protocol of a printer language. `onChange` is called when an unsolicited status differs from the
 * last one; a status request returns the details.
 */
export function createPrinterProtocol(language: PrinterLanguage, onChange: () => void): PrinterProtocol {
  switch (language) {
    case 'esc-pos':
      return createEscPosProtocol(onChange)
    case 'star-prnt':
    case 'star-line':
      return new StarProtocol(onChange, language)
  }
}
