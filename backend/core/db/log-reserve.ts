import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, statfsSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from './database.ts'

/** SQLite's file format, section 4.1: a header of the log, and one before each page of it. */
const LOG_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const CHUNK_BYTES = 1024 * 1024
/** One megabyte: a log that grew to its usual length would take from the sales what there is. */
const PAGES_ON_A_SMALL_DISK = 250
/** What must stay free beside the reserve: the sales of some days, and no copy. */
const LEFT_FREE_BYTES = 32 * 1024 * 1024

/**
 * Makes the write-ahead log as long as it becomes before its checkpoint (16 MB), in zeros, and answers by how many
 * bytes it grew. A commit that makes a file longer waits for the file system's own journal too, which takes as long
 * again as its bytes; in a log that has its length already it waits for its bytes alone. SQLite reads a log up to the
 * first frame whose salt or checksum is not the log's own, as it must where older frames lie behind newer ones; zeros
 * are such frames.
 *
 * Call it before the first write after opening, by the only writer. On a disk without so much room the reserve gives
 * way, a log that is long already is put into the database and cut, and it goes round sooner until the next start: that
 * costs pace and nothing else.
 */
export function reserveLog(db: Database): number {
  const pageBytes = Number(db.pragma('page_size', { simple: true }))
  const pages = Number(db.pragma('wal_autocheckpoint', { simple: true }))
  const wanted = LOG_HEADER_BYTES + pages * (FRAME_HEADER_BYTES + pageBytes)
  let file: number | undefined
  try {
    // SQLite holds no lock on this file that closing it here could drop: the locks of a log are on its index.
    file = openSync(`${db.name}-wal`, 'r+')
    const from = fstatSync(file).size
    if (from >= wanted && freeBytes(db.name) >= LEFT_FREE_BYTES) return 0
    if (freeBytes(db.name) < Math.max(0, wanted - from) + LEFT_FREE_BYTES) {
      db.pragma('wal_checkpoint(TRUNCATE)')
      db.pragma(`wal_autocheckpoint = ${PAGES_ON_A_SMALL_DISK}`)
      return 0
    }
    return lengthen(file, from, wanted)
  } catch {
    return 0
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/**
 * Puts zeros behind what is there. What cannot be written whole is taken back: half a reserve would only fill the disk.
 */
function lengthen(file: number, from: number, wanted: number): number {
  const zeros = Buffer.alloc(CHUNK_BYTES)
  try {
    let at = from
    while (at < wanted) at += writeSync(file, zeros, 0, Math.min(CHUNK_BYTES, wanted - at), at)
    if (at > from) fdatasyncSync(file)
    return at - from
  } catch (error) {
    ftruncateSync(file, from)
    throw error
  }
}

function freeBytes(file: string): number {
  const { bavail, bsize } = statfsSync(dirname(file))
  return bavail * bsize
}
