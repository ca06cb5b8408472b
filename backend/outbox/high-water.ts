import { timingSafeEqual } from 'node:crypto'
import { closeSync, constants, fsync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import type { Clock } from '../clock.ts'
import type { Authenticate, Seal } from './seal.ts'

/**
 * How far the database is known to have come: the newest journal entry, its hash in hex, and the changes beside the
 * journal.
 */
export interface Mark {
  readonly seq: number
  readonly hash: string
  readonly counter: number
}

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
    read: () => (current ? { seq: current.seq, hash: current.hash, counter: current.counter } : null),
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

const textOf = ({ seq, hash, counter }: Mark): string => `${seq} ${hash} ${counter}`

function slotOf(mark: Mark, authenticate: Authenticate): Buffer {
  const text = textOf(mark)
  return Buffer.from(`${text} ${authenticate(text).toString('hex')}\n`.padEnd(SLOT_BYTES, ' '), 'latin1')
}

function markOf(text: string, authenticate: Authenticate): Mark | null {
  const [, seq, hash = '', counter, tag = ''] =
    /^(\d{1,16}) ([0-9a-f]{64}) (\d{1,16}) ([0-9a-f]{64})\n/.exec(text) ?? []
  const mark = { seq: Number(seq), hash, counter: Number(counter) }
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
