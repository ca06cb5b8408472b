import { randomUUID } from 'node:crypto'
import type { CollectorNumber, EntryMode, ReadId } from '../../../contracts/core/ids.ts'
import type { Clock } from '../clock.ts'
import type { InputRole, MaskedRead } from '../../../contracts/operations/devices.ts'
import type { CardRead, Scan } from '../../../hardware/index.ts'
import { isVoucherCode, lastFour, looksLikeVoucher } from '../scan-codes.ts'
import type { Measure } from '../../../contracts/catalog/measure.ts'
import { droppedOf, perLane } from '../context.ts'

/** A card read. The entry mode comes from the device, never from the content. */
export interface ReadCard {
  readonly collectorNumber: CollectorNumber
  readonly entryMode: EntryMode
  readonly last4: string
}

export interface PresentedCard extends ReadCard {
  readonly readId: ReadId
}

/** Card reads, in memory only. Each can be used once, and expires. Windows refer to a read by its id. */
export interface CardReads {
  hold(collectorNumber: CollectorNumber, entryMode: EntryMode): PresentedCard
  take(readId: string): PresentedCard | undefined
}

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

/** Badge reads, in memory only. Each can be used once, and expires. Windows refer to a read by its id. */
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

/** Result of a read at a device: the data that may be shown, and whether a running device test used the read. */
export interface NotedRead {
  readonly shown: MaskedRead
  readonly forTest: boolean
}

/**
 * The last read of each device, masked, and the running device tests, which wait for the next read. Holds no card
 * numbers.
 */
export interface LatestReads {
  note(role: InputRole, read: CardRead | Scan): NotedRead
  last(role: InputRole): MaskedRead | null
  /** Returns the next read of this device; null after the deadline, or when another test of the device starts. */
  next(role: InputRole, deadlineMs: number): Promise<MaskedRead | null>
  close(): void
}

function masked(read: CardRead | Scan): Omit<MaskedRead, 'at'> {
  switch (read.kind) {
    case 'program-card':
    case 'collector':
      return { kind: 'program-card', shown: read.collectorNumber.slice(-4) }
    // A voucher code is worth money, so only its last four characters are shown.
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
        const finish = (read: MaskedRead | null): void => {
          clearTimeout(timer)
          if (waiting.get(role) === finish) waiting.delete(role)
          resolve(read)
        }
        const timer = setTimeout(() => {
          finish(null)
        }, deadlineMs)
        waiting.set(role, finish)
      })
    },
    close() {
      for (const finish of waiting.values()) finish(null)
    },
  }
}

/**
 * Action of a person at a device, before its meaning is decided. The entry mode comes from the device, never from the
 * content.
 */
export type Gesture =
  | {
      readonly kind: 'card'
      readonly collectorNumber: CollectorNumber
      readonly entryMode: Extract<EntryMode, 'SWIPE' | 'SCAN' | 'KEYED'>
    }
  | { readonly kind: 'card-refused'; readonly reason: 'not-a-program-card' | 'unreadable' }
  | { readonly kind: 'badge'; readonly number: string }
  | {
      readonly kind: 'code'
      readonly code: string
      readonly measure?: Measure | undefined
      /** For a label with a price or weight: its barcode with that field set to 0. */
      readonly base?: string | undefined
      readonly lot?: string | undefined
      readonly expiry?: string | undefined
      readonly unknown: boolean
    }
  | { readonly kind: 'receipt'; readonly id: string }
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
      // A short code may be one of the store's own, so it is looked up before it counts as unknown.
      return { kind: 'code', code: scan.code, unknown: true }
  }
}

export const cardReadsOf = perLane((ctx) =>
  createCardReads(ctx.clock, ctx.profile.limits.cardReadMs, () => droppedOf(ctx).emit('dropped', 'card-reads', 1)),
)

export const badgeReadsOf = perLane(({ clock, profile }) => createBadgeReads(clock, profile.limits.cardReadMs))
