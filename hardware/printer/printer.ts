import type { PrinterDevice } from '../../contracts/profile.ts'
import type { DeviceListener, Health, Printer, PrintOutcome, PrintRequest } from '../device.ts'
import { reasonOf, within } from '../serial/channel.ts'
import { encodeReceipt } from './encode.ts'
import { askCondition, type JobResult, runJob } from './job.ts'
import type { PrinterCondition } from './status.ts'
import { fileWire, noWire, type PrinterWire, serialWire, tcpWire } from './wires.ts'

/** How often an idle printer is asked how it is; sooner while it is not ready. */
const POLL_MS = 5_000
const POLL_TROUBLED_MS = 2_000
/** How long closing waits for the job on the wire before it cuts the wire. */
const CLOSE_MS = 2_000

export interface PrinterOptions {
  /** For tests: the time between two questions to an idle printer, in milliseconds. */
  readonly pollMs?: number
}

function healthOf(condition: PrinterCondition): Health {
  switch (condition.kind) {
    case 'ready': return { state: 'ready', detail: condition.paperLow ? 'paper is low' : null }
    case 'silent': return { state: 'ready', detail: 'the printer does not report its status' }
    case 'trouble': return { state: 'needs-attention', detail: condition.detail }
  }
}

/** A receipt printer. Jobs are served one after another, each is sent once, and only the wire between them is asked for status. */
export function openPrinter(config: PrinterDevice, listener: Pick<DeviceListener<never>, 'onHealth'>, options: PrinterOptions = {}): Printer {
  let health: Health = { state: 'connecting', detail: null }
  let closed = false
  let poll: NodeJS.Timeout | undefined
  let tail: Promise<unknown> = Promise.resolve()

  function say(next: Health): void {
    if (closed || (next.state === health.state && next.detail === health.detail)) return
    health = next
    listener.onHealth(next)
  }

  function wireOf({ connection }: PrinterDevice): PrinterWire {
    switch (connection.kind) {
      case 'tcp': return tcpWire(connection)
      case 'file': return fileWire(connection.path)
      case 'virtual': return noWire()
      case 'serial': return serialWire(connection, (next) => {
        // An open port is not yet a printer: the next question tells.
        if (next.state === 'ready') pollIn(0)
        else say(next)
      })
    }
  }

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = tail.then(work)
    tail = turn.catch(() => undefined)
    return turn
  }

  function pollIn(ms: number): void {
    clearTimeout(poll)
    if (closed) return
    poll = setTimeout(() => { void inTurn(probe) }, ms)
    poll.unref()
  }

  async function probe(): Promise<void> {
    if (closed) return
    try {
      say(await wire.lend(false, async (lent) => (wire.asks ? healthOf(await askCondition(lent)) : { state: 'ready', detail: null })))
    } catch (error) {
      say({ state: 'unavailable', detail: reasonOf(error) })
    }
    pollIn(options.pollMs ?? (health.state === 'ready' ? POLL_MS : POLL_TROUBLED_MS))
  }

  async function printNow(request: PrintRequest): Promise<PrintOutcome> {
    if (closed) return { state: 'failed', detail: 'the printer was closed' }
    let bytes: Uint8Array
    try {
      bytes = encodeReceipt(request.document, { columns: config.columns, openDrawer: request.openDrawer })
    } catch (error) {
      return { state: 'failed', detail: `the document could not be encoded: ${reasonOf(error)}` }
    }
    let begun = false
    try {
      const { outcome, condition } = await wire.lend(true, async (lent): Promise<JobResult> => {
        begun = true
        if (wire.asks) return runJob(lent, bytes, wire.transferMs(bytes.length))
        await lent.write(bytes, 0)
        return { outcome: { state: 'sent', detail: null }, condition: { kind: 'ready', paperLow: false } }
      })
      say(outcome.state === 'failed' && condition.kind !== 'trouble' ? { state: 'unavailable', detail: outcome.detail } : healthOf(condition))
      return outcome
    } catch (error) {
      const detail = reasonOf(error)
      say({ state: 'unavailable', detail })
      return { state: begun ? 'unknown' : 'failed', detail }
    }
  }

  const wire = wireOf(config)
  // A serial port says itself when it is open.
  if (config.connection.kind !== 'serial') pollIn(0)

  return {
    get health() { return health },
    print: (request) => inTurn(() => printNow(request)),
    async close() {
      closed = true
      clearTimeout(poll)
      await within(CLOSE_MS, 'the job did not end', tail).catch(() => undefined)
      await wire.close()
    },
  }
}
