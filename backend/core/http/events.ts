import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { TerminalEvent } from '../../../contracts/core/events.ts'
import type { Dropped } from '../../../contracts/operations/lane-metrics.ts'
import type { Logger } from '../log.ts'
import { provided } from '../context.ts'
import type { EventEmitter } from 'node:events'

export interface EventLimits {
  readonly ringSize?: number
  readonly heartbeatMs?: number
  /**
   * Maximum unread bytes of a client. A client with more is disconnected; after it reconnects, it gets the missed
   * events from the replay buffer.
   */
  readonly maxBufferedBytes?: number
}

/**
 * Maximum numbers of streams of one window and of all windows. A window has one stream, and briefly a second one while
 * it reloads.
 */
const STREAMS_A_SESSION = 4
const STREAMS_IN_ALL = 32

/**
 * Server-sent events to every window of the terminal. Ids are `<boot>-<sequence>`. A client that sends an id of this
 * boot which is still stored gets exactly the events after it; any other gets `resync` and reads the state again. So
 * does a new client, because an event may have happened between its first reads and this connection.
 */
export class EventStream {
  readonly #log: Logger
  readonly #dropped: (kind: Dropped) => void
  readonly #ringSize: number
  readonly #maxBufferedBytes: number
  readonly #heartbeat: NodeJS.Timeout
  readonly #boot = randomBytes(6).toString('hex')
  readonly #clients = new Map<ServerResponse, { readonly owner: string; readonly name: string | undefined }>()
  /** Frames stored for replay, of the sequences from `sequence - ring.length + 1` to `sequence`. */
  readonly #ring: { readonly text: string; readonly to: string | undefined }[] = []
  #sequence = 0
  #isClosed = false

  constructor(log: Logger, dropped: (kind: Dropped) => void, limits: EventLimits = {}) {
    this.#log = log
    this.#dropped = dropped
    this.#ringSize = limits.ringSize ?? 500
    this.#maxBufferedBytes = limits.maxBufferedBytes ?? 256 * 1024
    this.#heartbeat = setInterval(() => {
      for (const client of this.#clients.keys()) this.#write(client, ': still here\n\n')
    }, limits.heartbeatMs ?? 15_000)
    this.#heartbeat.unref()
  }

  get clients(): number {
    return this.#clients.size
  }

  /**
   * Sends an event to all windows, or only to the stream `to`, and stores it for replay. Never throws: events are
   * notifications, not the record.
   */
  publish(event: TerminalEvent, to?: string): void {
    if (this.#isClosed) return
    // Parsing the event removes fields that are not in the contract.
    const known = TerminalEvent.safeParse(event)
    if (!known.success) {
      this.#log.error(
        { type: event.type, issues: known.error.issues.map((issue) => issue.path.join('.')) },
        'an event does not match its contract',
      )
      this.#dropped('events-malformed')
    }
    this.#sequence += 1
    const text = this.#frame(known.success ? known.data : { type: 'resync' })
    this.#ring.push({ text, to })
    if (this.#ring.length > this.#ringSize) this.#ring.shift()
    for (const [client, { name }] of this.#clients) if (isFor(to, name)) this.#write(client, text)
  }

  isOpen(wanted: string): boolean {
    return [...this.#clients.values()].some(({ name }) => name === wanted)
  }

  /**
   * Starts the event stream on a response whose headers are written. `lastEventId` is the last event that the client
   * received. `window` is the window of the stream: beyond its limit the oldest stream ends, and its client catches up
   * after reconnecting. `name` is the client's name of the stream.
   */
  attach(response: ServerResponse, lastEventId: string | undefined, window: string, name?: string): void {
    if (this.#isClosed) {
      response.end()
      return
    }
    const clients = this.#clients
    const missed = this.#missedSince(lastEventId, name)
    if (missed === null && lastEventId !== undefined) this.#dropped('event-replays')
    const own = [...clients].filter(([, { owner }]) => owner === window)
    for (const [client] of own.slice(0, Math.max(0, own.length + 1 - STREAMS_A_SESSION))) this.#drop(client)
    for (const client of [...clients.keys()].slice(0, Math.max(0, clients.size + 1 - STREAMS_IN_ALL)))
      this.#drop(client)
    clients.set(response, { owner: window, name })
    response.on('close', () => clients.delete(response))
    response.on('error', () => clients.delete(response))
    const first = missed === null ? this.#frame({ type: 'resync' }) : `\n${missed.join('')}`
    this.#write(response, `retry: 500\n${first}`)
  }

  end(window: string): void {
    for (const [client, { owner }] of this.#clients) if (owner === window) this.#drop(client)
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#heartbeat)
    for (const client of this.#clients.keys()) client.end()
    this.#clients.clear()
  }

  #frame(event: TerminalEvent): string {
    return `id: ${this.#boot}-${this.#sequence}\ndata: ${JSON.stringify(event)}\n\n`
  }

  #write(client: ServerResponse, text: string): void {
    client.write(text)
    // Node sends the writes of one tick at its end, so check only then how much the window has not read.
    if (client.writableLength > this.#maxBufferedBytes)
      setImmediate(() => {
        this.#dropStuck(client)
      })
  }

  #dropStuck(client: ServerResponse): void {
    if (!this.#clients.has(client) || client.writableLength <= this.#maxBufferedBytes) return
    this.#log.warn({ buffered: client.writableLength }, 'dropped a window that does not read its events')
    this.#dropped('event-windows')
    this.#clients.delete(client)
    client.destroy()
  }

  #drop(client: ServerResponse): void {
    this.#clients.delete(client)
    client.end()
  }

  #missedSince(lastEventId: string | undefined, name: string | undefined): string[] | null {
    const match = /^([0-9a-f]+)-(\d{1,15})$/.exec(lastEventId ?? '')
    if (!match || match[1] !== this.#boot) return null
    const ring = this.#ring
    const missed = this.#sequence - Number(match[2])
    if (missed < 0 || missed > ring.length) return null
    const frames = missed === 0 ? [] : ring.slice(-missed).flatMap(({ text, to }) => (isFor(to, name) ? text : []))
    // A longer replay would exceed the buffer limit and drop the client at each reconnection.
    return frames.reduce((sum, text) => sum + text.length, 0) > this.#maxBufferedBytes / 2 ? null : frames
  }
}

const isFor = (to: string | undefined, name: string | undefined): boolean => to === undefined || to === name

export interface Windows {
  readonly events: EventStream
  readonly published: EventEmitter<{ event: [event: TerminalEvent] }>
}

export const windowsOf = provided<Windows>('the windows')
