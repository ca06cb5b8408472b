import { timingSafeEqual } from 'node:crypto'
import { closeSync, constants, existsSync, fsync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import type { Clock } from '../clock.ts'
import type { ChainHead } from '../integrity/hash-chain.ts'
import type { Authenticate, Seal } from '../integrity/seal.ts'

/** The newest entry of a chain as it is noted: its number, 0 of an empty one, and its hash in hex. */
export interface NotedHead {
  readonly seq: number
  readonly hash: string
}

/**
 * How far the database is known to have come: the newest journal entry, the changes beside the journal, and the newest
 * entry of the audit trail.
 */
export interface Mark extends NotedHead {
  readonly counter: number
  readonly audit: NotedHead
}

export const headOf = ({ seq, hash }: NotedHead): ChainHead => ({ seq, hash: Buffer.from(hash, 'hex') })

/** A note outside the database of how far the journal had come. */
export interface HighWaterMark {
  /** Null when nothing was ever noted, or nothing that this terminal's key has noted. */
  read(): Mark | null
  /** Call after the commit. Throws when the file cannot be written. */
  note(mark: Mark): void
  /** Returns when the newest note is on the disk. */
  sync(): void
  close(): void
}

const SLOT_BYTES = 256
const SLOTS = 2
const SYNC_AFTER_MS = 1_000

/**
 * The mark in a small file, under the terminal's key: nobody else can write one that is newer. Two slots are written in
 * turn, each whole or none, so that a write that was cut short leaves the other. It is written after every commit and
 * synced within a second, not before the commit returns: a second sync would halve what the journal can do. After a
 * crash of the program it lacks one commit at most; after a power cut it may be a second old, and then shows the loss
 * of what was older. It is never ahead of the database, so it never cries wolf.
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
      // Of a sync that fails the next commit tells: the database's own goes to the same disk.
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
 * Reads the mark of a running terminal, which goes on writing it; null when there is none of this key. Take it before
 * the view of the database that it is compared with: the mark is never ahead.
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
