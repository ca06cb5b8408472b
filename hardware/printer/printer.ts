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
import { createEscPosTalk, createPrinterCounts } from './status.ts'
import type { DrawerSwitch, PrinterCondition, PrinterTalk } from './talk.ts'
import { fileWire, noWire, type PrinterWire, serialWire, tcpWire } from './wires.ts'
import { StarTalk } from './star-status.ts'

/** How often an idle printer is asked how it is; sooner while it is not ready. */
const POLL_MS = 5_000
const POLL_TROUBLED_MS = 2_000
/** With a drawer to watch: how long it may stand open before the screen says so. */
const POLL_DRAWER_MS = 1_000
/** How long the wire may take the command that makes a printer report. */
const REPORT_MS = 400
/** How long closing waits for the job on the wire before it cuts the wire. */
const CLOSE_MS = 2_000

export interface PrinterOptions {
  /** For tests: the time between two questions to an idle printer, in milliseconds. */
  readonly pollMs?: number
  /** What a receipt's logo block prints. */
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

/**
 * A receipt printer. Jobs are served one after another, each is sent once, and only the wire between them is asked for
 * status.
 */
export class ReceiptPrinter implements Printer {
  private readonly config: PrinterDevice
  private readonly listener: Pick<DeviceListener<PrinterEvent>, 'onHealth'> & Partial<DeviceListener<PrinterEvent>>
  private readonly options: PrinterOptions
  health: Health = { state: 'connecting', detail: null }
  drawer: DrawerPosition | null = null
  identity: PrinterIdentity | null = null
  /** Asked what it is since its wire was there last: another printer may be behind a wire that was lost. */
  private introduced = false
  /** A confirmed job opened the drawer, and its switch was not looked at since. */
  private kicked = false
  private hasAnswered = false
  /** It is not reached, and that was counted: however often it is noticed before it is there again, it is once. */
  private outOfReach = false
  private reports = false
  /** It reported something since it was asked last. */
  private news = false
  private closed = false
  private poll: NodeJS.Timeout | undefined
  private readonly turns = new PQueue({ concurrency: 1 })
  private readonly counts = createPrinterCounts()
  private readonly talk: PrinterTalk
  private readonly wire: PrinterWire

  constructor(
    config: PrinterDevice,
    listener: Pick<DeviceListener<PrinterEvent>, 'onHealth'> & Partial<DeviceListener<PrinterEvent>>,
    options: PrinterOptions = {},
  ) {
    this.config = config
    this.listener = listener
    this.options = options
    this.talk = createTalk(config.language, () => {
      this.news = true
      this.pollIn(0)
    })
    this.wire = this.wireOf(config)
    // A serial port says itself when it is open.
    if (config.connection.kind !== 'serial') this.pollIn(0)
  }

  private notReached(): void {
    if (!this.outOfReach) this.counts.communicationError()
    this.outOfReach = true
  }

  private setHealth(next: Health): void {
    if (this.closed || (next.state === this.health.state && next.detail === this.health.detail)) return
    if (next.state === 'unavailable') {
      this.notReached()
      this.introduced = false
    }
    if (next.state === 'ready') this.outOfReach = false
    this.health = next
    this.listener.onHealth(next)
  }

  /** null: nobody knows any more. */
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
      this.outOfReach = false
    } else if (this.hasAnswered) this.notReached()
    this.notifyDrawer(condition.kind === 'silent' ? null : condition.drawerSwitch)
  }

  /** After a kick the switch tells whether it opened the drawer. */
  private lookAfterKick(): void {
    if (this.kicked && this.drawer !== null) this.counts.kicked(this.drawer === 'open')
    this.kicked = false
  }

  private wireOf({ connection }: PrinterDevice): PrinterWire {
    switch (connection.kind) {
      case 'tcp':
        return tcpWire(connection, this.talk)
      case 'file':
        return fileWire(connection.path, this.talk)
      case 'virtual':
        return noWire()
      case 'serial':
        return serialWire(connection, this.talk, (next) => {
          // An open port is not yet a printer: the next question tells.
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
      void this.turns.add(() => this.probe())
    }, ms)
    this.poll.unref()
  }

  /** Once for each time that the printer is there, and not while a question would wait for paper. */
  private async introduce(write: JobWire['write'], condition: PrinterCondition): Promise<void> {
    if (this.introduced || condition.kind !== 'ready') return
    this.introduced = true
    this.identity = await this.talk.identify(write)
  }

  /**
   * Between two jobs: a printer whose wire stays open is to say by itself that its paper ran out, before anybody sells.
   */
  private async ask({ write }: JobWire): Promise<PrinterCondition> {
    const condition = await this.talk.ask(write)
    await this.introduce(write, condition)
    if (this.wire.stays && !this.reports && this.talk.reportChanges !== null && condition.kind !== 'silent') {
      await write(this.talk.reportChanges, REPORT_MS)
      this.reports = true
      // What changed before it listened to us, it does not report.
      return this.talk.ask(write)
    }
    return condition
  }

  private async probe(): Promise<void> {
    if (this.closed) return
    this.news = false
    try {
      const condition = this.wire.asks
        ? await this.wire.lend(false, (arg0) => this.ask(arg0))
        : await this.wire.lend(false, () => Promise.resolve(null))
      if (condition) this.onCondition(condition)
      this.lookAfterKick()
      this.setHealth(condition ? healthOf(condition) : { state: 'ready', detail: null })
    } catch (error) {
      this.notifyDrawer(null)
      this.setHealth({ state: 'unavailable', detail: reasonOf(error) })
    }
    this.pollIn(
      this.news
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
    // A drawer that stands open already shows nothing.
    const wasClosed = this.drawer === 'closed'
    let begun = false
    try {
      const { outcome, condition } = await this.wire.lend(
        true,
        async (lent): Promise<{ outcome: PrintOutcome; condition: PrinterCondition | null }> => {
          begun = true
          if (this.wire.asks) return runJob(lent, bytes, this.wire.transferMs(bytes.length), this.hasAnswered)
          await lent.write(bytes, 0)
          return { outcome: { state: 'sent', detail: null }, condition: null }
        },
      )
      if (outcome.state === 'confirmed' || outcome.state === 'sent') this.counts.printed(work)
      if (request.openDrawer && wasClosed && outcome.state === 'confirmed') this.kicked = true
      // The job began with a reset: the printer must be told anew to report.
      this.reports = false
      if (this.wire.stays || this.kicked) this.pollIn(0)
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
    await this.turns.add(() => this.probe())
    return this.health
  }

  print(request: PrintRequest): Promise<PrintOutcome> {
    return this.turns.add(() => this.printNow(request))
  }

  async close() {
    this.closed = true
    clearTimeout(this.poll)
    await within(CLOSE_MS, 'the job did not end', this.turns.onIdle()).catch(() => undefined)
    await this.wire.close()
  }
}

export const openPrinter = (...args: ConstructorParameters<typeof ReceiptPrinter>): Printer =>
  new ReceiptPrinter(...args)

/** `onNews`: unasked, the printer said that it is another than before. Asking it says how. */
export function createTalk(language: PrinterLanguage, onNews: () => void): PrinterTalk {
  switch (language) {
    case 'esc-pos':
      return createEscPosTalk(onNews)
    case 'star-prnt':
    case 'star-line':
      return new StarTalk(onNews, language)
  }
}
