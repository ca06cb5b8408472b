import type { InputRole, MaskedRead } from '../../contracts/api/devices.ts'
import type { CardRead, Scan } from '../../hardware/index.ts'
import { isVoucherCode, lastFour, looksLikeVoucher } from '../domain/voucher-code.ts'

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
