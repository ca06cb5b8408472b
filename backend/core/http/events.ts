import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { TerminalEvent } from '../../../contracts/core/events.ts'
import type { Dropped } from '../../../contracts/operations/lane-metrics.ts'
import type { Logger } from '../log.ts'
import { provided } from '../context.ts'
import type { EventEmitter } from 'node:events'

export interface EventLimits {
  /** Events held for clients that reconnect. */
  readonly ringSize?: number
  readonly heartbeatMs?: number
  /** A client that has not taken this many bytes is dropped; it reconnects and catches up from the ring. */
  readonly maxBufferedBytes?: number
}

/** A window has one stream, and another for a moment when it is loaded anew; a lane has two windows. */
const STREAMS_A_SESSION = 4
const STREAMS_IN_ALL = 32

/**
 * Server-sent events to every window of the terminal. Ids are `<boot>-<sequence>`. A client that names an id of this
 * boot still in the ring gets exactly what it missed; any other gets `resync`, which tells it to read the state anew:
 * so does a new client, because something may have happened between its first reads and this connection.
 */
export class EventStream {
  readonly #log: Logger
  readonly #dropped: (what: Dropped) => void
  readonly #ringSize: number
  readonly #maxBufferedBytes: number
  readonly #heartbeat: NodeJS.Timeout
  readonly #boot = randomBytes(6).toString('hex')
  /** Oldest first, with the window that hears by it. */
  readonly #clients = new Map<ServerResponse, { readonly owner: string; readonly name: string | undefined }>()
  /** Frames of the sequences from `sequence - ring.length + 1` to `sequence`. */
  readonly #ring: { readonly text: string; readonly to: string | undefined }[] = []
  #sequence = 0
  #isClosed = false

  /** `dropped` is called with each event that no window will have. */
  constructor(log: Logger, dropped: (what: Dropped) => void, limits: EventLimits = {}) {
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
   * Sends an event to all windows, or with `name` to the stream of this name alone, and keeps it for replay. Never
   * throws: what is pushed is news, not the record.
   */
  publish(event: TerminalEvent, to?: string): void {
    if (this.#isClosed) return
    // Parsing drops whatever the contract has no field for: nothing reaches a screen by accident.
    const known = TerminalEvent.safeParse(event)
    if (!known.success) {
      this.#log.error(
        { type: event.type, issues: known.error.issues.map((issue) => issue.path.join('.')) },
        'an event does not fit its contract',
      )
      this.#dropped('events-malformed')
    }
    this.#sequence += 1
    const text = this.#frame(known.success ? known.data : { type: 'resync' })
    this.#ring.push({ text, to })
    if (this.#ring.length > this.#ringSize) this.#ring.shift()
    for (const [client, { name }] of this.#clients) if (isFor(to, name)) this.#write(client, text)
  }

  /** Whether a stream of this name is open. */
  isOpen(wanted: string): boolean {
    return [...this.#clients.values()].some(({ name }) => name === wanted)
  }

  /**
   * Takes over a response whose headers are written. `lastEventId` is what the client says it saw last, `window` whose
   * it is: of too many the oldest ends, which catches up when it comes again. `name` is what the client calls it.
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

  /** The window hears no more. */
  end(window: string): void {
    for (const [client, { owner }] of this.#clients) if (owner === window) this.#drop(client)
  }

  /** Ends every stream, so that the server can close. */
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
    // What is written in one turn leaves at its end: only then can be told what the window has not taken.
    if (client.writableLength > this.#maxBufferedBytes)
      setImmediate(() => {
        this.#dropStuck(client)
      })
  }

  #dropStuck(client: ServerResponse): void {
    if (!this.#clients.has(client) || client.writableLength <= this.#maxBufferedBytes) return
    this.#log.warn({ buffered: client.writableLength }, 'a window does not read its events and was dropped')
    this.#dropped('event-windows')
    this.#clients.delete(client)
    client.destroy()
  }

  #drop(client: ServerResponse): void {
    this.#clients.delete(client)
    client.end()
  }

  /** What the client missed, or null when that cannot be told. */
  #missedSince(lastEventId: string | undefined, name: string | undefined): string[] | null {
    const match = /^([0-9a-f]+)-(\d{1,15})$/.exec(lastEventId ?? '')
    if (!match || match[1] !== this.#boot) return null
    const ring = this.#ring
    const missed = this.#sequence - Number(match[2])
    if (missed < 0 || missed > ring.length) return null
    const frames = missed === 0 ? [] : ring.slice(-missed).flatMap(({ text, to }) => (isFor(to, name) ? text : []))
    // More than it may be owed would have it dropped, and again each time that it comes.
    return frames.reduce((sum, text) => sum + text.length, 0) > this.#maxBufferedBytes / 2 ? null : frames
  }
}

const isFor = (to: string | undefined, name: string | undefined): boolean => to === undefined || to === name

/** The windows of the lane: what they are told, and who of the backend listens as well. */
export interface Windows {
  readonly events: EventStream
  readonly published: EventEmitter<{ event: [event: TerminalEvent] }>
}

export const windowsOf = provided<Windows>('the windows')
