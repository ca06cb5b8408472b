import { createHash } from 'node:crypto'
import type {
  FetchPart,
  FetchPartAnswer,
  OfferFile,
  OfferFileAnswer,
  SendPart,
  SendPartAnswer,
  SoldCatalog,
} from '../../contracts/store/catalog-files.ts'
import type { CatalogImportChange } from '../../contracts/store/changes.ts'
import type { Postgres, Querying } from '../db/postgres.ts'
import type { Caller } from '../lanes/caller.ts'

/** So many of the parts that are missing are named at once. */
const MOST_MISSING = 500
/** Of all files of a store together. */
const MOST_KEPT_BYTES = 1024 ** 3
/** A file that counts no more goes when every lane is past it, or after so many days. */
const KEPT_DAYS = 14
/** A lane that said nothing for so long holds no file back. */
const LANE_DAYS = 3
/** Read at once when a file is checked: a megabyte or so. */
const PARTS_AT_ONCE = 16

/** The import that counts: of one word the first, of all words the latest. */
const WINNER = `SELECT hash, clock, lane FROM (SELECT DISTINCT ON (word) hash, clock, lane FROM catalog_import
  WHERE store = $1 ORDER BY word, clock, lane COLLATE "C") AS first ORDER BY clock DESC, lane COLLATE "C" DESC LIMIT 1`
const OFFER = `INSERT INTO catalog_file (store, hash, bytes, parts) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`
const MISSING = `SELECT number FROM generate_series(1, (SELECT parts FROM catalog_file WHERE store = $1 AND hash = $2))
  AS number WHERE NOT EXISTS (SELECT 1 FROM catalog_file_part AS part WHERE part.store = $1 AND part.hash = $2
  AND part.number = number.number) ORDER BY number LIMIT $3`
const KEEP = `INSERT INTO catalog_file_part (store, hash, number, chunk)
  SELECT store, hash, $3::integer, $4::bytea FROM catalog_file
  WHERE store = $1 AND hash = $2 AND NOT is_whole AND $3::integer <= parts ON CONFLICT DO NOTHING`
const CHUNKS = `SELECT chunk FROM catalog_file_part WHERE store = $1 AND hash = $2 AND number > $3 ORDER BY number
  LIMIT ${PARTS_AT_ONCE}`
const FETCH = `SELECT chunk FROM catalog_file_part AS part JOIN catalog_file AS file USING (store, hash)
  WHERE store = $1 AND hash = $2 AND number = $3 AND is_whole`
/** `WINNER` is the one that is kept in any case. */
const TIDY = `WITH winner AS (${WINNER}), behind AS (SELECT 1 FROM lane
    LEFT JOIN catalog_sold AS sold USING (store, lane) CROSS JOIN winner
    WHERE lane.store = $1 AND lane.seen_at > now() - make_interval(days => $3)
    AND (sold.clock IS NULL OR (sold.clock, sold.of_lane COLLATE "C") < (winner.clock, winner.lane COLLATE "C")))
  DELETE FROM catalog_file WHERE store = $1 AND hash <> ALL (SELECT hash FROM winner)
    AND (at < now() - make_interval(days => $2) OR (NOT EXISTS (SELECT 1 FROM behind)
      AND EXISTS (SELECT 1 FROM catalog_import AS import WHERE import.store = $1 AND import.hash = catalog_file.hash)))`

export type CatalogRepository = ReturnType<typeof createCatalogRepository>

/** Files of imported catalogs, on PostgreSQL: whichever server a part comes to, it is there for all. */
export function createCatalogRepository(postgres: Postgres) {
  const missing = async ({ store }: Caller, hash: string): Promise<number[]> => {
    const { rows } = await postgres.query<{ number: number }>(MISSING, [store, hash, MOST_MISSING])
    return rows.map(({ number }) => number)
  }
  const find = async ({ store }: Caller, hash: string) => {
    const { rows } = await postgres.query<{ bytes: string; parts: number; is_whole: boolean }>(
      'SELECT bytes, parts, is_whole FROM catalog_file WHERE store = $1 AND hash = $2',
      [store, hash],
    )
    return rows[0]
  }

  async function isWhole(caller: Caller, hash: string, bytes: number, parts: number): Promise<boolean> {
    const sum = createHash('sha256')
    let length = 0
    for (let number = 0; number < parts; number += PARTS_AT_ONCE) {
      const { rows } = await postgres.query<{ chunk: Buffer }>(CHUNKS, [caller.store, hash, number])
      for (const { chunk } of rows) {
        sum.update(chunk)
        length += chunk.byteLength
      }
    }
    return length === bytes && sum.digest('hex') === hash
  }

  /** Behind the last part: whether the file is what its hash says. */
  async function finish(caller: Caller, hash: string): Promise<SendPartAnswer['kind']> {
    const file = await find(caller, hash)
    if (!file) return 'unknown'
    if (file.is_whole) return 'whole'
    const { rows } = await postgres.query<{ count: string }>(
      'SELECT count(*) FROM catalog_file_part WHERE store = $1 AND hash = $2',
      [caller.store, hash],
    )
    if (Number(rows[0]?.count) < file.parts) return 'kept'
    const good = await isWhole(caller, hash, Number(file.bytes), file.parts)
    await postgres.query(
      good
        ? 'UPDATE catalog_file SET is_whole = true WHERE store = $1 AND hash = $2'
        : 'DELETE FROM catalog_file WHERE store = $1 AND hash = $2 AND NOT is_whole',
      [caller.store, hash],
    )
    return good ? 'whole' : 'wrong'
  }

  async function tidy({ store }: Caller): Promise<void> {
    await postgres.query(TIDY, [store, KEPT_DAYS, LANE_DAYS])
  }

  return {
    async offer(caller: Caller, { hash, bytes, parts }: OfferFile): Promise<OfferFileAnswer> {
      if (!(await find(caller, hash))) {
        await tidy(caller)
        const { rows } = await postgres.query<{ kept: string }>(
          'SELECT coalesce(sum(bytes), 0) AS kept FROM catalog_file WHERE store = $1',
          [caller.store],
        )
        if (Number(rows[0]?.kept) + bytes > MOST_KEPT_BYTES) return { kind: 'full' }
        await postgres.query(OFFER, [caller.store, hash, bytes, parts])
      }
      const file = await find(caller, hash)
      return file?.is_whole === true ? { kind: 'whole' } : { kind: 'partly', missing: await missing(caller, hash) }
    },
    async part(caller: Caller, { hash, number, chunk }: SendPart): Promise<SendPartAnswer> {
      await postgres.query(KEEP, [caller.store, hash, number, Buffer.from(chunk, 'base64')])
      return { kind: await finish(caller, hash) }
    },
    async fetch({ store }: Caller, { hash, number }: FetchPart): Promise<FetchPartAnswer> {
      const { rows } = await postgres.query<{ chunk: Buffer }>(FETCH, [store, hash, number])
      const [row] = rows
      return row ? { kind: 'part', chunk: row.chunk.toString('base64') } : { kind: 'later' }
    },
    async sold(caller: Caller, { clock, lane }: SoldCatalog): Promise<void> {
      await postgres.query(
        `INSERT INTO catalog_sold (store, lane, clock, of_lane) VALUES ($1, $2, $3, $4) ON CONFLICT (store, lane)
          DO UPDATE SET clock = excluded.clock, of_lane = excluded.of_lane, at = now()`,
        [caller.store, caller.lane, clock, lane],
      )
      await tidy(caller)
    },
  }
}

/** An import that a lane tells of. */
export async function noteImport(
  tx: Querying,
  { store, lane }: Caller,
  told: { readonly id: string; readonly clock: number; readonly value: CatalogImportChange },
): Promise<void> {
  const { profile, hash } = told.value
  const word = profile === null ? told.id : `profile ${profile.generation} ${profile.hash}`
  await tx.query(
    `INSERT INTO catalog_import (store, id, word, clock, lane, hash) VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (store, id) DO NOTHING`,
    [store, told.id, word, told.clock, lane, hash],
  )
}
