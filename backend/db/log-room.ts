import { closeSync, fdatasyncSync, fstatSync, openSync, writeSync } from 'node:fs'
import type { Database } from './open.ts'

/** SQLite's file format, section 4.1: a header of the log, and one before each page of it. */
const LOG_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const CHUNK_BYTES = 1024 * 1024

/**
 * Makes the write-ahead log as long as it becomes before its checkpoint (16 MB), in zeros, and answers by how many bytes
 * it grew. A commit that makes a file longer waits for the file system's own journal too, which takes as long again as
 * its bytes; in a log that has its length already it waits for its bytes alone. SQLite reads a log up to the first frame
 * whose salt or checksum is not the log's own, as it must where older frames lie behind newer ones; zeros are such frames.
 *
 * Call it before the first write after opening, by the only writer. A disk without so much room leaves the log as it is:
 * that costs pace and nothing else.
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
    const zeros = Buffer.alloc(CHUNK_BYTES)
    let at = from
    while (at < wanted) at += writeSync(file, zeros, 0, Math.min(CHUNK_BYTES, wanted - at), at)
    if (at > from) fdatasyncSync(file)
    return at - from
  } catch {
    return 0
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
