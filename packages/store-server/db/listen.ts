import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../log.ts'
import type { Connection } from './connection.ts'

export interface Listening {
  /** Whether it is told of changes now. */
  isThere(): boolean
  /** How often a connection was lost. */
  losses(): number
  /** Resolves once nothing more is called back. */
  close(): Promise<void>
}

export interface ListenTimes {
  /** How often a connection that says nothing is asked whether it is still there. */
  readonly beatMs: number
  /** How long it may take to say so. */
  readonly answerMs: number
  /** Before the first try to connect again; twice as long before each further one, up to `mostPauseMs`. */
  readonly firstPauseMs: number
  readonly mostPauseMs: number
}
const TIMES: ListenTimes = { beatMs: 10_000, answerMs: 5_000, firstPauseMs: 100, mostPauseMs: 10_000 }

/**
 * Listens on a connection of its own, for as long as it is not closed: one that is lost, or says nothing any more, is
 * made again. See Postgres.listen for what is called back.
 */
export function listenTo(
  { config, place }: Connection,
  channel: string,
  onNotify: (payload: string | null) => void,
  log: Log,
  times: ListenTimes = TIMES,
): Listening {
  const closing = new AbortController()
  const { signal } = closing
  let pauseMs = times.firstPauseMs
  let isThere = false
  let losses = 0

  /** One connection, until it is lost; rejects with why. */
  async function connected(): Promise<void> {
    const client = new pg.Client({ ...config, query_timeout: times.answerMs })
    const gone = new AbortController()
    const either = AbortSignal.any([signal, gone.signal])
    // Not `end`: a connection that does not answer takes no leave either.
    either.addEventListener('abort', () => client.connection.stream.destroy(), { once: true })
    client.on('error', (error) => gone.abort(error))
    client.on('end', () => gone.abort(new Error('the connection ended')))
    client.on('notification', ({ payload = '' }) => {
      if (!signal.aborted) onNotify(payload)
    })
    try {
      await client.connect()
      await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`)
      pauseMs = times.firstPauseMs
      isThere = true
      onNotify(null)
      for (;;) {
        await pause(times.beatMs, undefined, { signal: either })
        await client.query('SELECT 1')
      }
    } catch (error) {
      throw gone.signal.reason ?? error
    } finally {
      gone.abort()
    }
  }

  async function keepListening(): Promise<void> {
    while (!signal.aborted) {
      try {
        await connected()
      } catch (error) {
        if (signal.aborted) return
        if (isThere) losses += 1
        isThere = false
        log.warn({ place, channel, reason: String(error) }, 'not told of changes any more: connecting again')
      }
      await pause(pauseMs * (1 + Math.random()), undefined, { signal }).catch(() => undefined)
      pauseMs = Math.min(times.mostPauseMs, pauseMs * 2)
    }
  }

  const ended = keepListening()
  return {
    isThere: () => isThere,
    losses: () => losses,
    async close() {
      closing.abort()
      await ended
    },
  }
}
