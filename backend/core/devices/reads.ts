import { randomUUID } from 'node:crypto'
import type { CollectorNumber, EntryMode, ReadId } from '../../../contracts/core/ids.ts'
import type { Clock } from '../clock.ts'
import type { InputRole, MaskedRead } from '../../../contracts/operations/devices.ts'
import type { CardRead, Scan } from '../../../hardware/index.ts'
import { isVoucherCode, lastFour, looksLikeVoucher } from '../scan-codes.ts'
import type { Measure } from '../../../contracts/catalog/measure.ts'
import { droppedOf, perLane } from '../context.ts'

/** A card that was presented on a claimed channel. The entry mode comes from the channel, never from content. */
export interface ReadCard {
  readonly collectorNumber: CollectorNumber
  readonly entryMode: EntryMode
  readonly last4: string
}

/** A card read that waits for the window that claimed it. */
export interface PresentedCard extends ReadCard {
  readonly readId: ReadId
}

/** Card reads live in memory only; each can be used once and expires. The screen knows one by its id. */
export interface CardReads {
  hold(collectorNumber: CollectorNumber, entryMode: EntryMode): PresentedCard
  /** Takes the read out: a second take, or one that comes too late, answers undefined. */
  take(readId: string): PresentedCard | undefined
}

/** `onExpired`: told of each read that nobody has used in its time. */
export function createCardReads(clock: Clock, lifetimeMs: number, onExpired?: () => void): CardReads {
  const held = new Map<string, PresentedCard & { expiresAt: number }>()
  const forgetExpired = (): void => {
    for (const [id, read] of held) {
      if (read.expiresAt > clock.now()) continue
      held.delete(id)
      onExpired?.()
    }
  }
  return {
    hold(collectorNumber, entryMode) {
      forgetExpired()
      const card: PresentedCard = {
        readId: randomUUID() as ReadId,
        collectorNumber,
        entryMode,
        last4: collectorNumber.slice(-4),
      }
      held.set(card.readId, { ...card, expiresAt: clock.now() + lifetimeMs })
      return card
    },
    take(readId) {
      forgetExpired()
      const card = held.get(readId)
      held.delete(readId)
      return card
    },
  }
}

/** Badges that wait to be used, in memory only: each once, and not for long. A window knows one by its id alone. */
export function createBadgeReads(clock: Pick<Clock, 'monotonic'>, lifetimeMs: number) {
  const held = new Map<string, { readonly number: string; readonly until: number }>()
  const forgetExpired = (): void => {
    for (const [id, { until }] of held) if (until <= clock.monotonic()) held.delete(id)
  }
  return {
    hold(number: string): string {
      forgetExpired()
      const readId = randomUUID()
      held.set(readId, { number, until: clock.monotonic() + lifetimeMs })
      return readId
    },
    take(readId: string): string | undefined {
      forgetExpired()
      const read = held.get(readId)
      held.delete(readId)
      return read?.number
    },
  }
}

/** What became of a read: what of it may be shown, and whether a test took it, so that it is for nothing else. */
export interface NotedRead {
  readonly shown: MaskedRead
  readonly forTest: boolean
}

/** The last read of each device, masked, and the tests that wait for the next one. Nothing here holds a number. */
export interface LatestReads {
  /** A device has read something. */
  note(role: InputRole, read: CardRead | Scan): NotedRead
  last(role: InputRole): MaskedRead | null
  /** The next read of this device; null when none came in time, or when another test took its place. */
  next(role: InputRole, deadlineMs: number): Promise<MaskedRead | null>
  close(): void
}

function masked(read: CardRead | Scan): Omit<MaskedRead, 'at'> {
  switch (read.kind) {
    case 'program-card':
    case 'collector':
      return { kind: 'program-card', shown: read.collectorNumber.slice(-4) }
    // What may be a voucher's code is money: the last four will do.
    case 'item':
      return { kind: 'item', shown: isVoucherCode(read.code) ? lastFour(read.code) : read.code }
    case 'receipt':
      return { kind: 'receipt', shown: looksLikeVoucher(read.saleId) ? lastFour(read.saleId) : read.saleId }
    case 'staff-badge':
    case 'foreign-card':
    case 'unreadable':
    case 'unknown':
      return { kind: read.kind, shown: null }
    case 'enrolment':
      return { kind: 'unknown', shown: null }
  }
}

export function createLatestReads(): LatestReads {
  const last = new Map<InputRole, MaskedRead>()
  const waiting = new Map<InputRole, (read: MaskedRead | null) => void>()
  return {
    note(role, read) {
      const shown = { ...masked(read), at: new Date().toISOString() }
      last.set(role, shown)
      const test = waiting.get(role)
      test?.(shown)
      return { shown, forTest: test !== undefined }
    },
    last: (role) => last.get(role) ?? null,
    next(role, deadlineMs) {
      waiting.get(role)?.(null)
      return new Promise((resolve) => {
        const settle = (read: MaskedRead | null): void => {
          clearTimeout(timer)
          if (waiting.get(role) === settle) waiting.delete(role)
          resolve(read)
        }
        const timer = setTimeout(() => {
          settle(null)
        }, deadlineMs)
        waiting.set(role, settle)
      })
    },
    close() {
      for (const settle of waiting.values()) settle(null)
    },
  }
}

/**
 * What a person did at a device, before anybody has said what it means. The entry mode is the channel's, never the
 * content's.
 */
export type Gesture =
  | {
      readonly kind: 'card'
      readonly collectorNumber: CollectorNumber
      readonly entryMode: Extract<EntryMode, 'SWIPE' | 'SCAN' | 'KEYED'>
    }
  | { readonly kind: 'card-refused'; readonly reason: 'not-a-program-card' | 'unreadable' }
  /** A badge of the store's staff, by the number on it. */
  | { readonly kind: 'badge'; readonly number: string }
  /** An item's code or one that is unknown here; with the price or weight of a label. */
  | {
      readonly kind: 'code'
      readonly code: string
      readonly measure?: Measure | undefined
      /** Of a label with a price or weight: its barcode where that is 0. */
      readonly base?: string | undefined
      readonly lot?: string | undefined
      readonly expiry?: string | undefined
      readonly unknown: boolean
    }
  /** What looks like a receipt's barcode. */
  | { readonly kind: 'receipt'; readonly id: string }
  /** The QR code of an enrolment sheet. */
  | { readonly kind: 'enrolment'; readonly ticket: string }
  | { readonly kind: 'unreadable' }

export function gestureOf(scan: Scan, entryMode: 'SCAN' | 'KEYED'): Gesture {
  switch (scan.kind) {
    case 'item':
      return {
        kind: 'code',
        code: scan.code,
        measure: scan.measure,
        base: scan.base,
        lot: scan.lot,
        expiry: scan.expiry,
        unknown: false,
      }
    case 'collector':
      return { kind: 'card', collectorNumber: scan.collectorNumber, entryMode }
    case 'foreign-card':
      return { kind: 'card-refused', reason: 'not-a-program-card' }
    case 'staff-badge':
      return { kind: 'badge', number: scan.number }
    case 'enrolment':
      return { kind: 'enrolment', ticket: scan.ticket }
    case 'unreadable':
      return { kind: 'unreadable' }
    case 'receipt':
      return { kind: 'receipt', id: scan.saleId }
    case 'unknown':
      // A store's own short codes are looked up as they are before they are called unknown.
      return { kind: 'code', code: scan.code, unknown: true }
  }
}

/** Cards that were read and wait to be used. */
export const cardReadsOf = perLane((ctx) =>
  createCardReads(ctx.clock, ctx.profile.limits.cardReadMs, () => droppedOf(ctx).emit('dropped', 'card-reads', 1)),
)

/** Staff badges that were read and wait to be used. */
export const badgeReadsOf = perLane(({ clock, profile }) => createBadgeReads(clock, profile.limits.cardReadMs))
