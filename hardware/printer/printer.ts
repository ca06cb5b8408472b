import PQueue from 'p-queue'
import type { PrinterDevice } from '../../contracts/core/profile.ts'
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
import { createPrinterCounts } from './status.ts'
import type { DrawerSwitch, PrinterCondition } from './talk.ts'
import { createTalk } from './languages.ts'
import { fileWire, noWire, type PrinterWire, serialWire, tcpWire } from './wires.ts'

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
export function openPrinter(
  config: PrinterDevice,
  listener: Pick<DeviceListener<PrinterEvent>, 'onHealth'> & Partial<DeviceListener<PrinterEvent>>,
  options: PrinterOptions = {},
): Printer {
  let health: Health = { state: 'connecting', detail: null }
  let drawer: DrawerPosition | null = null
  let identity: PrinterIdentity | null = null
  /** Asked what it is since its wire was there last: another printer may be behind a wire that was lost. */
  let introduced = false
  /** A confirmed job opened the drawer, and its switch was not looked at since. */
  let kicked = false
  let hasAnswered = false
  /** It is not reached, and that was counted: however often it is noticed before it is there again, it is once. */
  let outOfReach = false
  let reports = false
  /** It reported something since it was asked last. */
  let news = false
  let closed = false
  let poll: NodeJS.Timeout | undefined
  const turns = new PQueue({ concurrency: 1 })

  function notReached(): void {
    if (!outOfReach) counts.communicationError()
    outOfReach = true
  }

  function setHealth(next: Health): void {
    if (closed || (next.state === health.state && next.detail === health.detail)) return
    if (next.state === 'unavailable') {
      notReached()
      introduced = false
    }
    if (next.state === 'ready') outOfReach = false
    health = next
    listener.onHealth(next)
  }

  /** null: nobody knows any more. */
  function notifyDrawer(level: DrawerSwitch | null): void {
    if (!config.drawer || closed) return
    const next = level === null ? null : level === config.drawer.openWhen ? 'open' : 'closed'
    if (next === drawer) return
    drawer = next
    listener.onEvent?.({ kind: 'drawer', position: next })
  }

  function onCondition(condition: PrinterCondition): void {
    counts.condition(condition)
    if (condition.kind !== 'silent') {
      hasAnswered = true
      outOfReach = false
    } else if (hasAnswered) notReached()
    notifyDrawer(condition.kind === 'silent' ? null : condition.drawerSwitch)
  }

  /** After a kick the switch tells whether it opened the drawer. */
  function lookAfterKick(): void {
    if (kicked && drawer !== null) counts.kicked(drawer === 'open')
    kicked = false
  }

  function wireOf({ connection }: PrinterDevice): PrinterWire {
    switch (connection.kind) {
      case 'tcp':
        return tcpWire(connection, talk)
      case 'file':
        return fileWire(connection.path, talk)
      case 'virtual':
        return noWire()
      case 'serial':
        return serialWire(connection, talk, (next) => {
          // An open port is not yet a printer: the next question tells.
          reports = false
          if (next.state === 'ready') pollIn(0)
          else setHealth(next)
        })
    }
  }

  function pollIn(ms: number): void {
    clearTimeout(poll)
    if (closed) return
    poll = setTimeout(() => {
      void turns.add(probe)
    }, ms)
    poll.unref()
  }

  /** Once for each time that the printer is there, and not while a question would wait for paper. */
  async function introduce(write: JobWire['write'], condition: PrinterCondition): Promise<void> {
    if (introduced || condition.kind !== 'ready') return
    introduced = true
    identity = await talk.identify(write)
  }

  /**
   * Between two jobs: a printer whose wire stays open is to say by itself that its paper ran out, before anybody sells.
   */
  async function ask({ write }: JobWire): Promise<PrinterCondition> {
    const condition = await talk.ask(write)
    await introduce(write, condition)
    if (wire.stays && !reports && talk.reportChanges !== null && condition.kind !== 'silent') {
      await write(talk.reportChanges, REPORT_MS)
      reports = true
      // What changed before it listened to us, it does not report.
      return talk.ask(write)
    }
    return condition
  }

  async function probe(): Promise<void> {
    if (closed) return
    news = false
    try {
      const condition = wire.asks ? await wire.lend(false, ask) : await wire.lend(false, () => Promise.resolve(null))
      if (condition) onCondition(condition)
      lookAfterKick()
      setHealth(condition ? healthOf(condition) : { state: 'ready', detail: null })
    } catch (error) {
      notifyDrawer(null)
      setHealth({ state: 'unavailable', detail: reasonOf(error) })
    }
    pollIn(
      news
        ? 0
        : (options.pollMs ?? (config.drawer ? POLL_DRAWER_MS : health.state === 'ready' ? POLL_MS : POLL_TROUBLED_MS)),
    )
  }

  async function printNow(request: PrintRequest): Promise<PrintOutcome> {
    if (closed) return { state: 'failed', detail: 'the printer was closed' }
    let job: EncodedReceipt
    try {
      job = encodeReceipt(request.document, {
        language: config.language,
        columns: config.columns,
        openDrawer: request.openDrawer,
        logo: options.logo ?? null,
      })
    } catch (error) {
      return { state: 'failed', detail: `the document could not be encoded: ${reasonOf(error)}` }
    }
    const { bytes, work } = job
    // A drawer that stands open already shows nothing.
    const wasClosed = drawer === 'closed'
    let begun = false
    try {
      const { outcome, condition } = await wire.lend(
        true,
        async (lent): Promise<{ outcome: PrintOutcome; condition: PrinterCondition | null }> => {
          begun = true
          if (wire.asks) return runJob(lent, bytes, wire.transferMs(bytes.length), hasAnswered)
          await lent.write(bytes, 0)
          return { outcome: { state: 'sent', detail: null }, condition: null }
        },
      )
      if (outcome.state === 'confirmed' || outcome.state === 'sent') counts.printed(work)
      if (request.openDrawer && wasClosed && outcome.state === 'confirmed') kicked = true
      // The job began with a reset: the printer must be told anew to report.
      reports = false
      if (wire.stays || kicked) pollIn(0)
      if (condition === null) {
        setHealth({ state: 'ready', detail: null })
        return outcome
      }
      onCondition(condition)
      setHealth(
        outcome.state === 'failed' && condition.kind !== 'trouble'
          ? { state: 'unavailable', detail: outcome.detail }
          : healthOf(condition),
      )
      return outcome
    } catch (error) {
      const detail = reasonOf(error)
      setHealth({ state: 'unavailable', detail })
      return { state: begun ? 'unknown' : 'failed', detail }
    }
  }

  const counts = createPrinterCounts()
  const talk = createTalk(config.language, () => {
    news = true
    pollIn(0)
  })
  const wire = wireOf(config)
  // A serial port says itself when it is open.
  if (config.connection.kind !== 'serial') pollIn(0)

  return {
    get health() {
      return health
    },
    get drawer() {
      return drawer
    },
    get identity() {
      return identity
    },
    get statistics() {
      return counts.printer
    },
    get drawerStatistics() {
      return config.drawer ? counts.drawer : null
    },
    async checkHealth() {
      await turns.add(probe)
      return health
    },
    print: (request) => turns.add(() => printNow(request)),
    async close() {
      closed = true
      clearTimeout(poll)
      await within(CLOSE_MS, 'the job did not end', turns.onIdle()).catch(() => undefined)
      await wire.close()
    },
  }
}
