import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { TerminalEvent } from '../../../contracts/core/events.ts'
import type { Dropped } from '../../../contracts/operations/lane-metrics.ts'
import type { Logger } from '../log.ts'
import { provided } from '../context.ts'
import type { EventEmitter } from 'node:events'

export interface EventStreamOptions {
  readonly log: Logger
  /** Events held for clients that reconnect. */
  readonly ringSize?: number
  readonly heartbeatMs?: number
  /** A client that has not taken this many bytes is dropped; it reconnects and catches up from the ring. */
  readonly maxBufferedBytes?: number
  /** Told of what no window will have. */
  readonly dropped?: (what: Dropped) => void
}

/** Server-sent events to every window of the terminal. */
export interface EventStream {
  /**
   * Sends an event to all windows, or with `name` to the stream of this name alone, and keeps it for replay. Never
   * throws: what is pushed is news, not the record.
   */
  publish(event: TerminalEvent, name?: string): void
  /** Whether a stream of this name is open. */
  isOpen(name: string): boolean
  /**
   * Takes over a response whose headers are written. `lastEventId` is what the client says it saw last, `window` whose
   * it is: of too many the oldest ends, which catches up when it comes again. `name` is what the client calls it.
   */
  attach(response: ServerResponse, lastEventId: string | undefined, window: string, name?: string): void
  /** The window hears no more. */
  end(window: string): void
  readonly clients: number
  /** Ends every stream, so that the server can close. */
  close(): void
}

/** A window has one stream, and another for a moment when it is loaded anew; a lane has two windows. */
const STREAMS_A_SESSION = 4
const STREAMS_IN_ALL = 32

/**
 * Ids are `<boot>-<sequence>`. A client that names an id of this boot still in the ring gets exactly what it missed;
 * any other gets `resync`, which tells it to read the state anew: so does a new client, because something may have
 * happened between its first reads and this connection.
 */
export function createEventStream(options: EventStreamOptions): EventStream {
  const { log, ringSize = 500, heartbeatMs = 15_000, maxBufferedBytes = 256 * 1024, dropped } = options
  const boot = randomBytes(6).toString('hex')
  /** Oldest first, with the window that hears by it. */
  const clients = new Map<ServerResponse, { readonly owner: string; readonly name: string | undefined }>()
  /** Frames of the sequences from `sequence - ring.length + 1` to `sequence`. */
  const ring: { readonly text: string; readonly to: string | undefined }[] = []
  let sequence = 0
  let closed = false

  const frame = (event: TerminalEvent): string => `id: ${boot}-${sequence}\ndata: ${JSON.stringify(event)}\n\n`

  function write(client: ServerResponse, text: string): void {
    client.write(text)
    // What is written in one turn leaves at its end: only then can be told what the window has not taken.
    if (client.writableLength > maxBufferedBytes) setImmediate(dropStuck, client)
  }

  function dropStuck(client: ServerResponse): void {
    if (!clients.has(client) || client.writableLength <= maxBufferedBytes) return
    log.warn({ buffered: client.writableLength }, 'a window does not read its events and was dropped')
    dropped?.('event-windows')
    clients.delete(client)
    client.destroy()
  }

  function drop(client: ServerResponse): void {
    clients.delete(client)
    client.end()
  }

  const heartbeat = setInterval(() => {
    for (const client of clients.keys()) write(client, ': still here\n\n')
  }, heartbeatMs)
  heartbeat.unref()

  /** What the client missed, or null when that cannot be told. */
  function missedSince(lastEventId: string | undefined, name: string | undefined): string[] | null {
    const match = /^([0-9a-f]+)-(\d{1,15})$/.exec(lastEventId ?? '')
    if (!match || match[1] !== boot) return null
    const seen = Number(match[2])
    const missed = sequence - seen
    if (missed < 0 || missed > ring.length) return null
    const frames = missed === 0 ? [] : ring.slice(-missed).flatMap(({ text, to }) => (isFor(to, name) ? text : []))
    // More than it may be owed would have it dropped, and again each time that it comes.
    return frames.reduce((sum, text) => sum + text.length, 0) > maxBufferedBytes / 2 ? null : frames
  }

  return {
    publish(event, to) {
      if (closed) return
      // Parsing drops whatever the contract has no field for: nothing reaches a screen by accident.
      const known = TerminalEvent.safeParse(event)
      if (!known.success) {
        log.error(
          { type: event.type, issues: known.error.issues.map((issue) => issue.path.join('.')) },
          'an event does not fit its contract',
        )
        dropped?.('events-malformed')
      }
      sequence += 1
      const text = frame(known.success ? known.data : { type: 'resync' })
      ring.push({ text, to })
      if (ring.length > ringSize) ring.shift()
      for (const [client, { name }] of clients) if (isFor(to, name)) write(client, text)
    },
    isOpen: (wanted) => [...clients.values()].some(({ name }) => name === wanted),
    end(window) {
      for (const [client, { owner }] of clients) if (owner === window) drop(client)
    },
    attach(response, lastEventId, window, name) {
      if (closed) {
        response.end()
        return
      }
      const missed = missedSince(lastEventId, name)
      if (missed === null && lastEventId !== undefined) dropped?.('event-replays')
      const own = [...clients].filter(([, { owner }]) => owner === window)
      for (const [client] of own.slice(0, Math.max(0, own.length + 1 - STREAMS_A_SESSION))) drop(client)
      for (const client of [...clients.keys()].slice(0, Math.max(0, clients.size + 1 - STREAMS_IN_ALL))) drop(client)
      clients.set(response, { owner: window, name })
      response.on('close', () => clients.delete(response))
      response.on('error', () => clients.delete(response))
      write(response, `retry: 500\n${missed === null ? frame({ type: 'resync' }) : `\n${missed.join('')}`}`)
    },
    get clients() {
      return clients.size
    },
    close() {
      closed = true
      clearInterval(heartbeat)
      for (const client of clients.keys()) client.end()
      clients.clear()
    },
  }
}

const isFor = (to: string | undefined, name: string | undefined): boolean => to === undefined || to === name

/** The windows of the lane: what they are told, and who of the backend listens as well. */
export interface Windows {
  readonly events: EventStream
  readonly published: EventEmitter<{ event: [event: TerminalEvent] }>
}

export const windowsOf = provided<Windows>('the windows')
