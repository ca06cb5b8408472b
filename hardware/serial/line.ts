import type { ByteConnection } from '../../contracts/core/profile.ts'
import type { Health } from '../device.ts'
import { type ByteChannel, type ChannelEvents, reasonOf, WireError } from './channel.ts'
import { openSerialChannel } from './serial-channel.ts'
import { openTcpChannel } from './tcp-channel.ts'

/**
 * Delay before the first attempt to reopen a lost wire, in ms. It doubles with each failed attempt, up to the delay
 * below.
 */
const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 2_000
const OPEN_MS = 3_000
const GOOD_MS = 5_000

export interface LineEvents {
  readonly onData: (bytes: Uint8Array) => void
  readonly onBreak: () => void
  readonly onHealth: (health: Health) => void
}

export class Line {
  private readonly connection: ByteConnection
  private readonly events: LineEvents
  health: Health = { state: 'connecting', detail: null }
  private channel: ByteChannel | null = null
  private closed = false
  private failures = 0
  connections = 0
  disconnections = 0
  private openedAt = 0
  private retry: NodeJS.Timeout | undefined
  private attempt: Promise<void> = Promise.resolve()

  constructor(connection: ByteConnection, events: LineEvents) {
    this.connection = connection
    this.events = events
    this.attempt = this.open()
  }

  private setHealth(next: Health): void {
    if (this.closed || (next.state === this.health.state && next.detail === this.health.detail)) return
    this.health = next
    this.events.onHealth(next)
  }

  private lost(reason: string): void {
    if (this.channel !== null) this.disconnections += 1
    this.channel = null
    if (this.closed) return
    if (this.openedAt > 0 && performance.now() - this.openedAt > GOOD_MS) this.failures = 0
    this.openedAt = 0
    this.events.onBreak()
    this.setHealth({ state: 'unavailable', detail: reason })
    const wait = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.failures)
    this.failures += 1
    // Delays are random, so that the lanes of a store do not all connect to a print server in the same instant.
    this.retry = setTimeout(() => this.tryAgain(), wait * (0.75 + Math.random() / 4))
  }

  private tryAgain(): void {
    clearTimeout(this.retry)
    this.retry = undefined
    this.attempt = this.open()
  }

  private async open(): Promise<void> {
    let failure: string | null = null
    try {
      const opened = await openChannel(
        this.connection,
        {
          onData: (bytes) => {
            // Received data resets the retry delay; a port that opens and drops immediately does not.
            this.failures = 0
            if (!this.closed) this.events.onData(bytes)
          },
          onClose: (reason) => {
            if (this.channel === null) failure = reason
            else this.lost(reason)
          },
        },
        OPEN_MS,
      )
      if (this.closed) {
        await opened.close()
        return
      }
      if (failure !== null) {
        this.lost(failure)
        return
      }
      this.channel = opened
      this.connections += 1
      this.openedAt = performance.now()
      this.events.onBreak()
      this.setHealth({ state: 'ready', detail: null })
    } catch (error) {
      this.lost(error instanceof WireError ? error.message : reasonOf(error))
    }
  }

  async check(): Promise<Health> {
    if (this.retry !== undefined && !this.closed) this.tryAgain()
    await this.attempt
    return this.health
  }

  /** Writes like ByteChannel.write; rejects immediately with a WireError while there is no wire. */
  async write(bytes: Uint8Array, deadlineMs: number): Promise<void> {
    if (this.channel === null) throw new WireError(this.health.detail ?? 'not connected')
    await this.channel.write(bytes, deadlineMs)
  }

  async close(): Promise<void> {
    this.closed = true
    clearTimeout(this.retry)
    await this.attempt
    await this.channel?.close()
    this.channel = null
  }
}

/**
 * Number of bytes since the last silence. Above it, all data counts as noise, because text in so much data would be
 * random. It is four times the longest swipe.
 */
const FLOOD_BYTES = 2_048

export interface NoiseMeter {
  readonly total: number
  /** Whether there was so much noise since the last silence that no data may be trusted. */
  readonly isFlooded: boolean
  add(bytes: number): void
  quiet(): void
}

export function createNoiseMeter(): NoiseMeter {
  let total = 0
  let sinceSilence = 0
  return {
    get total() {
      return total
    },
    get isFlooded() {
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

export function openChannel(
  connection: ByteConnection,
  events: ChannelEvents,
  deadlineMs: number,
): Promise<ByteChannel> {
  switch (connection.kind) {
    case 'serial':
      return openSerialChannel(connection, events, deadlineMs)
    case 'tcp':
      return openTcpChannel(connection, events, deadlineMs)
    case 'virtual':
      return Promise.reject(new WireError('a virtual connection without a virtual bench'))
  }
}
