import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../log.ts'
import type { Connection } from './connection.ts'

export interface Listening {
  isConnected(): boolean
  losses(): number
  /** Stops listening; resolves when no more callbacks can follow. */
  close(): Promise<void>
}

export interface ListenTimes {
  readonly beatMs: number
  readonly answerMs: number
  /** Delay of the first reconnection; doubles up to `maxPauseMs`. */
  readonly firstPauseMs: number
  readonly maxPauseMs: number
}
const TIMES: ListenTimes = { beatMs: 10_000, answerMs: 5_000, firstPauseMs: 100, maxPauseMs: 10_000 }

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
  let isConnected = false
  let losses = 0

  async function connected(): Promise<void> {
    const client = new pg.Client({ ...config, query_timeout: times.answerMs })
    const lost = new AbortController()
    const either = AbortSignal.any([signal, lost.signal])
    // Uses `destroy`, because `end` waits for the database, which may not answer.
    either.addEventListener('abort', () => client.connection.stream.destroy(), { once: true })
    client.on('error', (error) => lost.abort(error))
    client.on('end', () => lost.abort(new Error('the connection ended')))
    client.on('notification', ({ payload = '' }) => {
      if (!signal.aborted) onNotify(payload)
    })
    try {
      await client.connect()
      await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`)
      pauseMs = times.firstPauseMs
      isConnected = true
      onNotify(null)
      for (;;) {
        await pause(times.beatMs, undefined, { signal: either })
        await client.query('SELECT 1')
      }
    } catch (error) {
      throw lost.signal.reason ?? error
    } finally {
      lost.abort()
    }
  }

  async function keepListening(): Promise<void> {
    while (!signal.aborted) {
      try {
        await connected()
      } catch (error) {
        if (signal.aborted) return
        if (isConnected) losses += 1
        isConnected = false
        log.warn({ place, channel, reason: String(error) }, 'no change notifications: reconnecting')
      }
      await pause(pauseMs * (1 + Math.random()), undefined, { signal }).catch(() => undefined)
      pauseMs = Math.min(times.maxPauseMs, pauseMs * 2)
    }
  }

  const ended = keepListening()
  return {
    isConnected: () => isConnected,
    losses: () => losses,
    async close() {
      closing.abort()
      await ended
    },
  }
}
