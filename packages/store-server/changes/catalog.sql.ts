import { createHash } from 'node:crypto'
import {
  MAX_FILE_BYTES,
  type FetchChunk,
  type FetchChunkAnswer,
  type OfferFile,
  type OfferFileAnswer,
  type SendChunk,
  type SendChunkAnswer,
  type SoldCatalog,
} from '../../../contracts/store/catalog-files.ts'
import type { CatalogImportChange } from '../../../contracts/store/changes.ts'
import { groupProfileImports, type OfProfile } from '../../../contracts/store/profile-imports.ts'
import type { Postgres, Querying } from '../db/postgres.ts'
import type { Caller } from '../lanes/caller.ts'
import { requireSame } from '../lanes/guard.ts'

const MAX_MISSING = 500
/** Quota per lane: two files of the maximum size. A lane that fills its quota does not block other lanes. */
const MAX_LANE_BYTES = 2 * MAX_FILE_BYTES
/**
 * A superseded catalog file is deleted when all lanes that were seen recently have applied the effective import, or
 * this many days after it was offered.
 */
const RETENTION_DAYS = 14
/** An unfinished upload is deleted when no chunk arrived for this long. */
const UNFINISHED_HOURS = 6
/** Lanes not seen for this number of days do not delay the deletion of superseded catalog files. */
const LANE_DAYS = 3
const CHUNKS_AT_ONCE = 16

const IMPORTS = `SELECT word, hash, clock, lane FROM catalog_import WHERE store = $1 ORDER BY clock, lane COLLATE "C"`
const OFFER = `INSERT INTO catalog_file (store, hash, bytes, parts, lane) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT DO NOTHING`
const LOCK_LANE = "SELECT pg_advisory_xact_lock(hashtextextended('catalog offer ' || $1 || '/' || $2, 0))"
/** SQL condition: the token of the lane was revoked after the offer, so an attacker may have offered the file. */
const IS_OF_REVOKED = `EXISTS (SELECT 1 FROM device WHERE device.store = file.store AND device.lane = file.lane
  AND device.revoked_at >= extract(epoch FROM file.at) * 1000)`
const STORED_BYTES = `SELECT coalesce(sum(bytes), 0) AS stored FROM catalog_file AS file
  WHERE store = $1 AND lane = $2 AND NOT ${IS_OF_REVOKED}`
const END_UNFINISHED = `DELETE FROM catalog_file AS file WHERE store = $1 AND NOT is_whole
  AND (progress_at < now() - make_interval(hours => ${UNFINISHED_HOURS}) OR ${IS_OF_REVOKED})`
const MISSING = `SELECT number FROM generate_series(1, (SELECT parts FROM catalog_file WHERE store = $1 AND hash = $2))
  AS number WHERE NOT EXISTS (SELECT 1 FROM catalog_file_part AS chunk WHERE chunk.store = $1 AND chunk.hash = $2
  AND chunk.number = number.number) ORDER BY number LIMIT $3`
/**
 * Locks the file's row, which counts the stored bytes, before it writes a chunk, so that no more bytes are stored than
 * the lane offered.
 */
const SAVE_CHUNK = `WITH file AS (SELECT store, hash FROM catalog_file WHERE store = $1 AND hash = $2 AND NOT is_whole
    AND $3::integer <= parts AND kept_bytes + length($4::bytea) <= bytes FOR UPDATE),
  added AS (INSERT INTO catalog_file_part (store, hash, number, chunk)
    SELECT store, hash, $3::integer, $4::bytea FROM file ON CONFLICT DO NOTHING RETURNING store, hash, chunk)
  UPDATE catalog_file AS file SET kept_bytes = kept_bytes + length(chunk), progress_at = now() FROM added
    WHERE file.store = added.store AND file.hash = added.hash RETURNING kept_bytes = bytes AS is_last`
const HAS_CHUNK = 'SELECT 1 FROM catalog_file_part WHERE store = $1 AND hash = $2 AND number = $3'
const DROP = 'DELETE FROM catalog_file WHERE store = $1 AND hash = $2 AND NOT is_whole'
const CHUNKS = `SELECT chunk FROM catalog_file_part WHERE store = $1 AND hash = $2 AND number > $3 ORDER BY number
  LIMIT ${CHUNKS_AT_ONCE}`
const FETCH = `SELECT chunk FROM catalog_file_part JOIN catalog_file AS file USING (store, hash)
  WHERE store = $1 AND hash = $2 AND number = $3 AND is_whole`
/**
 * Deletes all files except that of the effective import (hash $4, stamp of clock $5 and lane $6): after $2 days, and a
 * file of an import as soon as all lanes seen in the last $3 days have applied the effective import or a later one.
 */
const DELETE_UNUSED = `WITH behind AS (SELECT 1 FROM lane LEFT JOIN catalog_sold AS sold USING (store, lane)
    WHERE lane.store = $1 AND lane.seen_at > now() - make_interval(days => $3)
    AND (sold.clock IS NULL OR (sold.clock, sold.of_lane COLLATE "C") < ($5::bigint, $6::text COLLATE "C")))
  DELETE FROM catalog_file WHERE store = $1 AND hash <> $4
    AND (at < now() - make_interval(days => $2) OR (NOT EXISTS (SELECT 1 FROM behind)
      AND EXISTS (SELECT 1 FROM catalog_import AS import WHERE import.store = $1 AND import.hash = catalog_file.hash)))`

interface ImportRow {
  readonly word: string
  readonly hash: string
  readonly clock: string
  readonly lane: string
}

const missing = async (db: Querying, { store }: Caller, hash: string): Promise<number[]> => {
  const { rows } = await db.query<{ number: number }>(MISSING, [store, hash, MAX_MISSING])
  return rows.map(({ number }) => number)
}
const find = async (db: Querying, { store }: Caller, hash: string) => {
  const { rows } = await db.query<{ bytes: string; parts: number; is_whole: boolean }>(
    'SELECT bytes, parts, is_whole FROM catalog_file WHERE store = $1 AND hash = $2',
    [store, hash],
  )
  return rows[0]
}

async function isWhole(db: Querying, caller: Caller, hash: string, bytes: number, chunks: number): Promise<boolean> {
  const sum = createHash('sha256')
  let length = 0
  for (let number = 0; number < chunks; number += CHUNKS_AT_ONCE) {
    const { rows } = await db.query<{ chunk: Buffer }>(CHUNKS, [caller.store, hash, number])
    for (const { chunk } of rows) {
      sum.update(chunk)
      length += chunk.byteLength
    }
  }
  return length === bytes && sum.digest('hex') === hash
}

async function finish(db: Querying, caller: Caller, hash: string): Promise<SendChunkAnswer['kind']> {
  const file = await find(db, caller, hash)
  if (!file) return 'unknown'
  if (file.is_whole) return 'whole'
  const good = await isWhole(db, caller, hash, Number(file.bytes), file.parts)
  const update = good ? 'UPDATE catalog_file SET is_whole = true WHERE store = $1 AND hash = $2' : DROP
  await db.query(update, [caller.store, hash])
  return good ? 'whole' : 'wrong'
}

/**
 * Returns why a chunk was not stored: the file is unknown, the file or the chunk is already stored, or it does not
 * match the offer. In the last case the offer is deleted.
 */
async function reasonRejected(
  db: Querying,
  caller: Caller,
  hash: string,
  number: number,
): Promise<SendChunkAnswer['kind']> {
  const file = await find(db, caller, hash)
  if (!file) return 'unknown'
  if (file.is_whole) return 'whole'
  const there = await db.query(HAS_CHUNK, [caller.store, hash, number])
  if (there.rows.length > 0) return 'kept'
  await db.query(DROP, [caller.store, hash])
  return 'wrong'
}

async function deleteUnusedFiles(db: Querying, { store }: Caller): Promise<void> {
  const { rows } = await db.query<ImportRow>(IMPORTS, [store])
  const { firstOf } = groupProfileImports(rows, profileOf)
  const counts = rows.findLast((one) => firstOf.get(one) === one)
  const { hash = '', clock = 0, lane = '' } = counts ?? {}
  await db.query(DELETE_UNUSED, [store, RETENTION_DAYS, LANE_DAYS, hash, clock, lane])
}

const begin = (db: Postgres, caller: Caller, { hash, bytes, parts }: OfferFile): Promise<boolean> =>
  db.transaction(async (tx) => {
    const { store, lane } = caller
    await tx.query(LOCK_LANE, [store, lane])
    const { rows } = await tx.query<{ stored: string }>(STORED_BYTES, [store, lane])
    if (Number(rows[0]?.stored) + bytes > MAX_LANE_BYTES) return false
    await tx.query(OFFER, [store, hash, bytes, parts, lane])
    return true
  })

export async function offerFile(db: Postgres, caller: Caller, offered: OfferFile): Promise<OfferFileAnswer> {
  const { hash } = offered
  await db.query(END_UNFINISHED, [caller.store])
  let file = await find(db, caller, hash)
  // The server that stored the last chunk may have stopped before it verified the file.
  if (file && !file.is_whole && (await missing(db, caller, hash)).length === 0) {
    await finish(db, caller, hash)
    file = await find(db, caller, hash)
  }
  if (!file) {
    await deleteUnusedFiles(db, caller)
    if (!(await begin(db, caller, offered))) return { kind: 'full' }
    file = await find(db, caller, hash)
  }
  return file?.is_whole === true ? { kind: 'whole' } : { kind: 'partly', missing: await missing(db, caller, hash) }
}

export async function storeChunk(
  db: Querying,
  caller: Caller,
  { hash, number, chunk }: SendChunk,
): Promise<SendChunkAnswer> {
  const bytes = Buffer.from(chunk, 'base64')
  const { rows } = await db.query<{ is_last: boolean }>(SAVE_CHUNK, [caller.store, hash, number, bytes])
  const [stored] = rows
  if (!stored) return { kind: await reasonRejected(db, caller, hash, number) }
  return { kind: stored.is_last ? await finish(db, caller, hash) : 'kept' }
}

export async function fetchChunk(
  db: Querying,
  { store }: Caller,
  { hash, number }: FetchChunk,
): Promise<FetchChunkAnswer> {
  const { rows } = await db.query<{ chunk: Buffer }>(FETCH, [store, hash, number])
  const [row] = rows
  return row ? { kind: 'part', chunk: row.chunk.toString('base64') } : { kind: 'later' }
}

export async function recordSold(db: Querying, caller: Caller, { clock, lane }: SoldCatalog): Promise<void> {
  await db.query(
    `INSERT INTO catalog_sold (store, lane, clock, of_lane) VALUES ($1, $2, $3, $4) ON CONFLICT (store, lane)
      DO UPDATE SET clock = excluded.clock, of_lane = excluded.of_lane, at = now()`,
    [caller.store, caller.lane, clock, lane],
  )
  await deleteUnusedFiles(db, caller)
}

const encodeProfile = ({ generation, hash }: NonNullable<OfProfile>): string => `profile ${generation} ${hash}`
function profileOf({ word }: ImportRow): OfProfile {
  const [kind, generation, hash] = word.split(' ')
  return kind === 'profile' && hash !== undefined ? { generation: Number(generation), hash } : null
}

export async function noteImport(
  tx: Querying,
  { store, lane }: Caller,
  change: { readonly id: string; readonly clock: number; readonly value: CatalogImportChange },
): Promise<void> {
  const { profile, hash } = change.value
  const word = profile === null ? change.id : encodeProfile(profile)
  await tx.query(
    `INSERT INTO catalog_import (store, id, word, clock, lane, hash) VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (store, id) DO NOTHING`,
    [store, change.id, word, change.clock, lane, hash],
  )
  const { rows } = await tx.query<{ lane: string; word: string; hash: string }>(
    'SELECT lane, word, hash FROM catalog_import WHERE store = $1 AND id = $2',
    [store, change.id],
  )
  for (const was of rows) requireSame(lane, `import ${change.id}`, was, { lane, word, hash })
}
