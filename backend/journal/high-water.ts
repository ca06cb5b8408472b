import { createHash } from 'node:crypto'
import { closeSync, constants, fsync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import type { Clock } from '../clock.ts'

/** The newest journal entry that is known to have been committed: its number, and its hash in hex. */
export interface Mark {
  readonly seq: number
  readonly hash: string
}

/** A note outside the database of how far the journal had come. */
export interface HighWaterMark {
  /** Null when nothing was ever noted. */
  read(): Mark | null
  /** Call after the commit of the entry. Throws when the file cannot be written. */
  note(mark: Mark): void
  close(): void
}

const SLOT_BYTES = 256
const SLOTS = 2
const SYNC_AFTER_MS = 1_000

/**
 * The mark in a small file. Two slots are written in turn, each with a check sum, so that a write that was cut short
 * leaves the other. It is written after every commit and synced within a second, not before the commit returns: a second
 * sync would halve what the journal can do. After a crash of the program it lacks one commit at most; after a power cut it may be a
 * second old, and then shows the loss of what was older. It is never ahead of the database, so it never cries wolf.
 */
export function openHighWaterMark(file: string, clock: Pick<Clock, 'after'>): HighWaterMark {
  const fd = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600)
  let current = newestOf(fd)
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
    read: () => (current ? { seq: current.seq, hash: current.hash } : null),
    note(mark) {
      slot = (slot + 1) % SLOTS
      writeSync(fd, slotOf(mark), 0, SLOT_BYTES, slot * SLOT_BYTES)
      current = { ...mark, slot }
      syncSoon()
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

const checkSum = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

function slotOf({ seq, hash }: Mark): Buffer {
  const text = `${seq} ${hash}`
  return Buffer.from(`${text} ${checkSum(text)}\n`.padEnd(SLOT_BYTES, ' '), 'latin1')
}

function newestOf(fd: number): (Mark & { slot: number }) | null {
  const bytes = Buffer.alloc(SLOT_BYTES * SLOTS)
  const length = readSync(fd, bytes, 0, bytes.length, 0)
  let newest: (Mark & { slot: number }) | null = null
  for (let slot = 0; slot < SLOTS; slot += 1) {
    const match = /^(\d+) ([0-9a-f]{64}) ([0-9a-f]{16})\n/.exec(bytes.toString('latin1', slot * SLOT_BYTES, Math.min(length, (slot + 1) * SLOT_BYTES)))
    if (!match) continue
    const [, digits = '', hash = '', sum] = match
    const seq = Number(digits)
    if (sum === checkSum(`${digits} ${hash}`) && seq > (newest?.seq ?? -1)) newest = { seq, hash, slot }
  }
  return newest
}
