import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, statfsSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from './database.ts'

const LOG_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const CHUNK_BYTES = 1024 * 1024
/**
 * Pages in the log (1 MB) that trigger a checkpoint on a nearly full disk: a log of normal length would use the free
 * space that sales need.
 */
const PAGES_ON_A_SMALL_DISK = 250
/** Free space in bytes to leave on the disk: enough for the sales of some days, without a backup. */
const LEFT_FREE_BYTES = 32 * 1024 * 1024

/**
 * Extends the write-ahead log with zeros to its length at a checkpoint (16 MB) and returns the number of bytes added. A
 * commit that extends a file also waits for the file system's journal, which doubles its time. SQLite stops reading a
 * log at the first frame with a wrong salt or checksum, which zeros are. Call it before the first write after opening,
 * by the only writer. Without enough free space it allocates no reserve: a long log is checkpointed and truncated, and
 * checkpoints run more often until the next start, which only costs speed.
 */
export function reserveLog(db: Database): number {
  const pageBytes = Number(db.pragma('page_size', { simple: true }))
  const pages = Number(db.pragma('wal_autocheckpoint', { simple: true }))
  const wanted = LOG_HEADER_BYTES + pages * (FRAME_HEADER_BYTES + pageBytes)
  let file: number | undefined
  try {
    // Closing this descriptor releases no lock of SQLite, because the locks of a log are on its index file.
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
