import { timingSafeEqual } from 'node:crypto'
import { closeSync, constants, existsSync, fsync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import type { Clock } from '../clock.ts'
import type { ChainHead } from '../integrity/hash-chain.ts'
import type { Authenticate, Seal } from '../integrity/seal.ts'

export interface NotedHead {
  readonly seq: number
  readonly hash: string
}

/** Position of the database: newest journal entry, counter of other changes, and newest audit entry. */
export interface Mark extends NotedHead {
  readonly counter: number
  readonly audit: NotedHead
}

export const headOf = ({ seq, hash }: NotedHead): ChainHead => ({ seq, hash: Buffer.from(hash, 'hex') })

export interface HighWaterMark {
  read(): Mark | null
  /** Writes the mark. Call it after the commit. Throws when the file cannot be written. */
  note(mark: Mark): void
  sync(): void
  close(): void
}

const SLOT_BYTES = 256
const SLOTS = 2
const SYNC_AFTER_MS = 1_000

/**
 * High-water mark in a small file, authenticated with the terminal's key. Two slots are written alternately, so that an
 * interrupted write leaves the other one. Written after every commit and synced within a second, not before the commit
 * returns, because a second sync would halve the throughput. After a crash of the program the mark may lack one commit;
 * after a power cut it may be a second old and detects only older losses. It is never ahead of the database, so there
 * are no false alarms.
 */
export function openHighWaterMark(
  file: string,
  clock: Pick<Clock, 'after'>,
  seal: Pick<Seal, 'authenticator'>,
): HighWaterMark {
  const authenticate = seal.authenticator('mark of the journal')
  const fd = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600)
  let current = newestOf(fd, authenticate)
  let slot = current?.slot ?? 1
  let callOff: (() => void) | null = null
  let closed = false

  function syncSoon(): void {
    callOff ??= clock.after(SYNC_AFTER_MS, () => {
      callOff = null
      // A failed sync is ignored here: the next commit syncs to the same disk and reports the failure.
      if (!closed) fsync(fd, () => undefined)
    })
  }

  return {
    read: () => current && plain(current),
    note(mark) {
      slot = (slot + 1) % SLOTS
      writeSync(fd, slotOf(mark, authenticate), 0, SLOT_BYTES, slot * SLOT_BYTES)
      current = { ...mark, slot }
      syncSoon()
    },
    sync: () => {
      fsyncSync(fd)
    },
    close() {
      if (closed) return
      closed = true
      callOff?.()
      fsyncSync(fd)
      closeSync(fd)
    },
  }
}

/**
 * Reads the mark of a running terminal; null when this key wrote none. Read it before the database snapshot with which
 * it is compared, because the mark is never ahead of the database.
 */
export function readHighWaterMark(file: string, seal: Pick<Seal, 'authenticator'>): Mark | null {
  if (!existsSync(file)) return null
  const fd = openSync(file, constants.O_RDONLY)
  try {
    const newest = newestOf(fd, seal.authenticator('mark of the journal'))
    return newest && plain(newest)
  } finally {
    closeSync(fd)
  }
}

const plain = ({ seq, hash, counter, audit }: Mark): Mark => ({ seq, hash, counter, audit })

const textOf = ({ seq, hash, counter, audit }: Mark): string => `${seq} ${hash} ${counter} ${audit.seq} ${audit.hash}`

function slotOf(mark: Mark, authenticate: Authenticate): Buffer {
  const text = textOf(mark)
  return Buffer.from(`${text} ${authenticate(text).toString('hex')}\n`.padEnd(SLOT_BYTES, ' '), 'latin1')
}

function markOf(text: string, authenticate: Authenticate): Mark | null {
  const [, seq, hash = '', counter, auditSeq, auditHash = '', tag = ''] =
    /^(\d{1,16}) ([0-9a-f]{64}) (\d{1,16}) (\d{1,16}) ([0-9a-f]{64}) ([0-9a-f]{64})\n/.exec(text) ?? []
  const audit = { seq: Number(auditSeq), hash: auditHash }
  const mark = { seq: Number(seq), hash, counter: Number(counter), audit }
  return tag !== '' && timingSafeEqual(Buffer.from(tag, 'hex'), authenticate(textOf(mark))) ? mark : null
}

function newestOf(fd: number, authenticate: Authenticate): (Mark & { slot: number }) | null {
  const bytes = Buffer.alloc(SLOT_BYTES * SLOTS)
  const length = readSync(fd, bytes, 0, bytes.length, 0)
  let newest: (Mark & { slot: number }) | null = null
  for (let slot = 0; slot < SLOTS; slot += 1) {
    const text = bytes.toString('latin1', slot * SLOT_BYTES, Math.min(length, (slot + 1) * SLOT_BYTES))
    const mark = markOf(text, authenticate)
    if (mark && isNewer(mark, newest)) newest = { ...mark, slot }
  }
  return newest
}

const isNewer = (mark: Mark, than: Mark | null): boolean =>
  than === null || mark.counter > than.counter || (mark.counter === than.counter && mark.seq > than.seq)
