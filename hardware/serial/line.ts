import type { ByteConnection } from '../../contracts/core/profile.ts'
import type { Health } from '../device.ts'
import { type ByteChannel, WireError, reasonOf } from './channel.ts'
import { openChannel } from './open-channel.ts'

/** First wait after a lost wire, doubled up to the last. A cable that is put back is in use within the last wait. */
const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 2_000
const OPEN_MS = 3_000
/** A wire that held this long was good: its loss starts the waits anew. */
const GOOD_MS = 5_000

export interface LineEvents {
  /** Valid during the call only; overwritten afterwards. */
  readonly onData: (bytes: Uint8Array) => void
  /** A wire was lost or a new one begins: whatever was half received is void. */
  readonly onBreak: () => void
  readonly onHealth: (health: Health) => void
}

/** A wire that is kept: opened, watched and, when it is lost, opened anew with a growing wait. */
export interface Line {
  readonly health: Health
  /** How often a wire was opened and claimed, and how often one that was open was lost. */
  readonly connections: number
  readonly disconnections: number
  /** Looks now: a wire that waits for its next attempt is tried at once. Resolves with what was found. */
  check(): Promise<Health>
  /** As ByteChannel.write; rejects at once with a WireError while there is no wire. */
  write(bytes: Uint8Array, deadlineMs: number): Promise<void>
  close(): Promise<void>
}

export function keepLine(connection: ByteConnection, events: LineEvents): Line {
  let health: Health = { state: 'connecting', detail: null }
  let channel: ByteChannel | null = null
  let closed = false
  let failures = 0
  let connections = 0
  let disconnections = 0
  let openedAt = 0
  let retry: NodeJS.Timeout | undefined
  let attempt: Promise<void> = Promise.resolve()

  function setHealth(next: Health): void {
    if (closed || (next.state === health.state && next.detail === health.detail)) return
    health = next
    events.onHealth(next)
  }

  function lost(reason: string): void {
    if (channel !== null) disconnections += 1
    channel = null
    if (closed) return
    if (openedAt > 0 && performance.now() - openedAt > GOOD_MS) failures = 0
    openedAt = 0
    events.onBreak()
    setHealth({ state: 'unavailable', detail: reason })
    const wait = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures)
    failures += 1
    // Spread, so that the lanes of a store do not all knock on a print server in the same instant.
    retry = setTimeout(tryAgain, wait * (0.75 + Math.random() / 4))
  }

  function tryAgain(): void {
    clearTimeout(retry)
    retry = undefined
    attempt = open()
  }

  async function open(): Promise<void> {
    let gone: string | null = null
    try {
      const opened = await openChannel(
        connection,
        {
          onData: (bytes) => {
            // A wire that delivers is good; a port that opens and drops at once keeps its growing wait.
            failures = 0
            if (!closed) events.onData(bytes)
          },
          onClose: (reason) => {
            if (channel === null) gone = reason
            else lost(reason)
          },
        },
        OPEN_MS,
      )
      if (closed) {
        await opened.close()
        return
      }
      if (gone !== null) {
        lost(gone)
        return
      }
      channel = opened
      connections += 1
      openedAt = performance.now()
      events.onBreak()
      setHealth({ state: 'ready', detail: null })
    } catch (error) {
      lost(error instanceof WireError ? error.message : reasonOf(error))
    }
  }

  attempt = open()

  return {
    get health() {
      return health
    },
    get connections() {
      return connections
    },
    get disconnections() {
      return disconnections
    },
    async check() {
      if (retry !== undefined && !closed) tryAgain()
      await attempt
      return health
    },
    async write(bytes, deadlineMs) {
      if (channel === null) throw new WireError(health.detail ?? 'not connected')
      await channel.write(bytes, deadlineMs)
    },
    async close() {
      closed = true
      clearTimeout(retry)
      await attempt
      await channel?.close()
      channel = null
    },
  }
}

/**
 * More than this between two silences is no damaged read: it is noise, and whatever looks like text in it is chance.
 * Four times the longest swipe, in bytes.
 */
const FLOOD_BYTES = 2_048

/** Counts the bytes of a wire that meant nothing. A flood of them changes nothing else. */
export interface NoiseMeter {
  /** Bytes of noise since the device was opened. */
  readonly total: number
  /** There has been so much noise since the last silence that nothing else can be believed. */
  readonly flooded: boolean
  add(bytes: number): void
  /** The wire is silent, or another one: what comes next begins anew. */
  quiet(): void
}

export function createNoiseMeter(): NoiseMeter {
  let total = 0
  let sinceSilence = 0
  return {
    get total() {
      return total
    },
    get flooded() {
      return sinceSilence > FLOOD_BYTES
    },
    add(bytes) {
      total += bytes
      sinceSilence += bytes
    },
    quiet() {
      sinceSilence = 0
    },
  }
}
