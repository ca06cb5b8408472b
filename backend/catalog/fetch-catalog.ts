import { setImmediate as breathe } from 'node:timers/promises'
import type { Ctx } from '../core/context.ts'
import type { Tx } from '../core/db/transact.ts'
import type { CatalogService } from './catalog.ts'
import { aboutEdition, applyChanges, openEditionFile } from './editions/edition-file.ts'
import { createEditionRows } from './editions/edition-rows.ts'
import { rebuildSized } from './editions/edition-jobs.ts'
import type { Database } from '../core/db/database.ts'
import type { StoreImport } from './shared/import-order.ts'
import type { Shared } from './shared/shared-imports.ts'
import { createSlices } from './shared/slices.ts'
import { createHash } from 'node:crypto'
import {
  CATALOG_FILE_PATHS,
  FetchChunkAnswer,
  OfferFileAnswer,
  SendChunkAnswer,
  SoldAnswer,
} from '../../contracts/store/catalog-files.ts'
import { STORE_PROTOCOL } from '../../contracts/store/protocol.ts'
import type { StoreLink } from '../store/store-link.ts'
import type { Stamp } from '../store/changes.sql.ts'

/**
 * Result of one try to get the store's catalog. `sold`: the lane now uses it. `other`: another import is newer, or the
 * program stops. `no-answer`: the store server did not answer. `retry`: it does not have the whole file yet, or the
 * downloaded file was damaged.
 */
export type SyncResult = 'sold' | 'other' | 'no-answer' | 'retry'

export type SyncStep = { readonly step: 'fetching' | 'making'; readonly percent: number }

export interface SyncContext extends Pick<Ctx, 'transact' | 'clock'> {
  readonly catalog: CatalogService
  readonly shared: Shared
  readonly chunks: StoredChunks
  readonly files: StoreFiles
  readonly onStep: (step: SyncStep) => void
  readonly signal: AbortSignal
}

const isStill = ({ signal, shared }: SyncContext, one: StoreImport): boolean =>
  !signal.aborted && shared.imports.winner()?.id === one.id

async function fetch(bring: SyncContext, one: StoreImport): Promise<SyncResult | 'here'> {
  const { chunks, files, transact, onStep } = bring
  const { hash, parts: count } = one.value
  const have = new Set(chunks.have(hash))
  for (let number = 1; number <= count; number += 1) {
    if (have.has(number)) continue
    onStep({ step: 'fetching', percent: Math.floor((have.size * 100) / count) })
    const chunk = await files.fetch(hash, number)
    if (!isStill(bring, one)) return 'other'
    if (chunk === null) return 'no-answer'
    if (chunk === 'retry') return 'retry'
    transact((tx) => {
      chunks.store(tx, hash, number, chunk)
    })
    have.add(number)
  }
  if (chunks.isWhole(one.value)) return 'here'
  transact((tx) => {
    chunks.drop(tx, hash)
  })
  return 'retry'
}

function insert({ catalog }: SyncContext, tx: Tx, { id, at, byId, value }: StoreImport): void {
  const sourceHash = Buffer.from(value.hash, 'hex')
  const about = { origin: 'import', fileName: value.fileName, items: value.items, madeAt: at, madeBy: byId } as const
  catalog.editions.insert(tx, { ...about, id, sourceHash }, [])
}

async function storeEdition(bring: SyncContext, one: StoreImport): Promise<SyncResult | 'here'> {
  const { catalog, chunks, transact } = bring
  if (catalog.editions.has(one.id)) return 'here'
  const same = chunks.withHash(one.value.hash)
  const fetched = same === null ? await fetch(bring, one) : 'here'
  if (fetched !== 'here') return fetched
  transact((tx) => {
    insert(bring, tx, one)
    if (same === null) chunks.toEdition(tx, one.value.hash, one.id)
    else chunks.copy(tx, same, one.id)
  })
  return 'here'
}

async function applyLaterChanges(bring: SyncContext, one: StoreImport, file: Database): Promise<void> {
  const { shared, transact } = bring
  const { editions } = bring.catalog
  const over = { edition: one.id, file: createEditionRows(file), since: one.stamp, isSold: false }
  const slices = createSlices(bring.clock)
  const changed = shared.rows.changedSince(one.stamp)
  for (let from = 0; from < changed.length && isStill(bring, one);) {
    const skus = changed.slice(from, from + slices.size())
    slices.run(skus.length, () => {
      transact((tx) => {
        shared.items.applyChanges(tx, over, skus, one.byId)
      })
      applyChanges(file, editions.changesAfter(one.id, aboutEdition(file)?.applied ?? 0))
    })
    from += skus.length
    await breathe()
  }
}

function sell(bring: SyncContext, one: StoreImport, file: Database, changedSkus: ReadonlySet<string>): void {
  const { catalog, transact } = bring
  const { items, imports, rows } = bring.shared
  transact((tx) => {
    const over = { edition: one.id, file: createEditionRows(file), since: one.stamp, isSold: false }
    items.applyChanges(tx, over, [...changedSkus], one.byId)
    imports.record(tx, one)
    catalog.adopt(tx, one.id, !one.value.undone)
    rows.forget(tx)
    rows.clearLost(tx)
    items.scheduleAll(tx, one.id)
  })
}

/**
 * Gives this lane the store's catalog: fetches the items, builds the edition's file in the background, applies later
 * changes, and switches to it in one commit. The checkout does not wait. After an interruption the next try continues
 * from there.
 */
export async function syncCatalog(options: SyncContext, one: StoreImport): Promise<SyncResult> {
  const { catalog, shared, chunks, transact } = options
  const { editions, live } = catalog
  transact((tx) => {
    chunks.dropOthers(tx, one.value.hash)
    for (const id of chunks.idle()) if (id !== one.id) editions.drop(tx, id)
  })
  const stage = await storeEdition(options, one)
  if (stage !== 'here') return stage
  options.onStep({ step: 'making', percent: 0 })
  const target = live.pathOf(one.id)
  const job = { kind: 'rebuild', terminal: shared.terminal, target, edition: one.id } as const
  await rebuildSized(job, one.value.bytes, options.signal)
  const changed = new Set<string>()
  const unwatch = shared.items.watch((sku) => changed.add(sku))
  const file = openEditionFile(target)
  try {
    await applyLaterChanges(options, one, file)
    if (!isStill(options, one)) return 'other'
    sell(options, one, file, changed)
    return 'sold'
  } finally {
    unwatch()
    file.close()
  }
}

export type StoredChunks = ReturnType<typeof createChunks>

/**
 * Stores the downloaded chunks of a store's catalog file until it is complete, and the editions made from such files.
 */
export function createChunks(db: Database) {
  const numbers = db
    .prepare<[string], number>('SELECT number FROM store_catalog_part WHERE hash = ? ORDER BY number')
    .pluck()
  const chunks = db
    .prepare<[string], Buffer>('SELECT chunk FROM store_catalog_part WHERE hash = ? ORDER BY number')
    .pluck()
  const insert = db.prepare('INSERT OR IGNORE INTO store_catalog_part (hash, number, chunk) VALUES (?, ?, ?)')
  const drop = db.prepare('DELETE FROM store_catalog_part WHERE hash = ?')
  const dropOthers = db.prepare('DELETE FROM store_catalog_part WHERE hash <> ?')
  const toEdition = db.prepare(
    `INSERT INTO catalog_source (edition_id, number, chunk)
      SELECT ?, number, chunk FROM store_catalog_part WHERE hash = ?`,
  )
  const fromEdition = db.prepare(
    `INSERT INTO catalog_source (edition_id, number, chunk)
      SELECT ?, number, chunk FROM catalog_source WHERE edition_id = ?`,
  )
  const chunkOf = db
    .prepare<[string, number], Buffer>('SELECT chunk FROM catalog_source WHERE edition_id = ? AND number = ?')
    .pluck()
  const withHash = db
    .prepare<[Buffer], string>('SELECT id FROM catalog_edition WHERE source_hash = ? ORDER BY made_at DESC LIMIT 1')
    .pluck()
  const idle = db
    .prepare<[], string>(
      `SELECT id FROM catalog_edition WHERE id NOT IN (SELECT current_id FROM catalog_in_use
        UNION SELECT previous_id FROM catalog_in_use WHERE previous_id IS NOT NULL)`,
    )
    .pluck()
  return {
    have: (hash: string): ReadonlySet<number> => new Set(numbers.all(hash)),
    store(tx: Tx, hash: string, number: number, chunk: Uint8Array): void {
      tx.run(insert, hash, number, chunk)
    },
    isWhole({ hash, bytes }: StoreFile): boolean {
      const sum = createHash('sha256')
      let length = 0
      for (const chunk of chunks.iterate(hash)) {
        sum.update(chunk)
        length += chunk.byteLength
      }
      return length === bytes && sum.digest('hex') === hash
    },
    drop(tx: Tx, hash: string): void {
      tx.run(drop, hash)
    },
    dropOthers(tx: Tx, hash: string): void {
      tx.run(dropOthers, hash)
    },
    toEdition(tx: Tx, hash: string, edition: string): void {
      tx.run(toEdition, edition, hash)
      tx.run(drop, hash)
    },
    copy(tx: Tx, from: string, edition: string): void {
      tx.run(fromEdition, edition, from)
    },
    chunkOf: (edition: string, number: number): Buffer | null => chunkOf.get(edition, number) ?? null,
    withHash: (hash: string): string | null => withHash.get(Buffer.from(hash, 'hex')) ?? null,
    /**
     * Ids of stored editions that are neither in use nor the previous edition, because a newer import or the end of the
     * program came before the switch to them.
     */
    idle: (): string[] => idle.all(),
  }
}

export interface StoreFile {
  readonly hash: string
  readonly bytes: number
  readonly parts: number
}

/**
 * Catalog files on the store server. A result of null, or false, means that the server did not answer; every call may
 * be repeated.
 */
export interface StoreFiles {
  /**
   * Numbers of the chunks that the store server lacks; none if it has the whole file. `full`: it stores no more chunks
   * now.
   */
  missing(file: StoreFile): Promise<readonly number[] | 'full' | null>
  send(hash: string, number: number, chunk: Uint8Array): Promise<SendChunkAnswer['kind'] | null>
  fetch(hash: string, number: number): Promise<Buffer | 'retry' | null>
  sold(stamp: Stamp): Promise<boolean>
}

/** Transfers catalog files through the lane's connection to its store server, without blocking the checkout. */
export function createStoreFiles(store: Pick<StoreLink, 'send'>): StoreFiles {
  const protocol = STORE_PROTOCOL
  return {
    async missing({ hash, bytes, parts }) {
      const request = { protocol, hash, bytes, parts }
      const response = await store.send(CATALOG_FILE_PATHS.offer, request, OfferFileAnswer)
      if (response.kind !== 'answer') return null
      switch (response.body.kind) {
        case 'whole':
          return []
        case 'full':
          return 'full'
        case 'partly':
          return response.body.missing
      }
    },
    async send(hash, number, chunk) {
      const request = { protocol, hash, number, chunk: Buffer.from(chunk).toString('base64') }
      const response = await store.send(CATALOG_FILE_PATHS.chunk, request, SendChunkAnswer)
      return response.kind === 'answer' ? response.body.kind : null
    },
    async fetch(hash, number) {
      const response = await store.send(CATALOG_FILE_PATHS.fetch, { protocol, hash, number }, FetchChunkAnswer)
      if (response.kind !== 'answer') return null
      return response.body.kind === 'part' ? Buffer.from(response.body.chunk, 'base64') : 'retry'
    },
    async sold({ clock, lane }) {
      const response = await store.send(CATALOG_FILE_PATHS.sold, { protocol, clock, lane }, SoldAnswer)
      return response.kind === 'answer'
    },
  }
}
