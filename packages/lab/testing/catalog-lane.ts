import { createHash } from 'node:crypto'
import { once, EventEmitter } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { SaveItem } from '../../../contracts/catalog/catalog.ts'
import { cents } from '../../../contracts/core/money.ts'
import type { ForeignFact } from '../../../contracts/store/protocol.ts'
import { systemClock, systemRng } from '../../../backend/core/clock.ts'
import { openMigrated } from '../../../backend/core/http/testing.ts'
import { createTransact, type CommitWatch } from '../../../backend/core/db/transact.ts'
import { createLogger } from '../../../backend/core/log.ts'
import { createSeal } from '../../../backend/core/integrity/seal.ts'
import { changesOf } from '../../../backend/store/changes.ts'
import { createReadFact } from '../../../backend/store/read-fact.ts'
import { createFactsRepository } from '../../../backend/store/facts.sql.ts'
import { createForeignGroups } from '../../../backend/store/foreign-facts.ts'
import { createStoreSeal } from '../../../backend/store/store-seal.ts'
import { openEditionFile } from '../../../backend/catalog/editions/edition-file.ts'
import { catalogImportsOf } from '../../../backend/catalog/imports.ts'
import { itemsEditorOf } from '../../../backend/catalog/items-editor.ts'
import { plannedPricesOf } from '../../../backend/catalog/planned-prices.ts'
import { type OpenGiven, catalogOf } from '../../../backend/catalog/catalog.ts'
import type { StoreFiles } from '../../../backend/catalog/fetch-catalog.ts'
import { createCatalogSync } from '../../../backend/catalog/catalog-sync.ts'
import { catalogViewsOf } from '../../../backend/catalog/catalog-views.ts'
import type { Outbox } from '../../../backend/core/outbox/outbox.ts'
import { laneContext, provideCatalogFolder } from './lane-context.ts'
import { trainingStore } from './load/store.ts'

const STORE_SEAL = createStoreSeal(Buffer.alloc(32, 3))
export const CATALOG_HEAD = 'sku,barcode,name_en,name_fr,price,tax_category,department,category'
const START = Date.parse('2026-11-20T15:00:00Z')

export function createMemoryFiles(): StoreFiles {
  const stored = new Map<string, Map<number, Uint8Array>>()
  const counts = new Map<string, number>()
  return {
    async missing({ hash, parts }) {
      counts.set(hash, parts)
      const have = stored.get(hash) ?? new Map<number, Uint8Array>()
      stored.set(hash, have)
      return Array.from({ length: parts }, (_, index) => index + 1).filter((number) => !have.has(number))
    },
    async send(hash, number, chunk) {
      stored.get(hash)?.set(number, chunk)
      return stored.get(hash)?.size === counts.get(hash) ? 'whole' : 'kept'
    },
    async fetch(hash, number) {
      const have = stored.get(hash)
      const chunk = have && have.size === counts.get(hash) ? have.get(number) : undefined
      return chunk ? Buffer.from(chunk) : 'retry'
    },
    sold: async () => true,
  }
}

export interface LaneOptions {
  readonly files: StoreFiles
  readonly profileRows: readonly string[]
  readonly folder: string
  readonly watch?: CommitWatch
  readonly monotonic?: () => number
}

export type CatalogLane = Awaited<ReturnType<typeof openCatalogLane>>

/**
 * A lane of a store with its own database and catalog files. `setAhead` sets how far its clock is ahead of the others.
 */
export async function openCatalogLane(
  number: number,
  { files, profileRows: begins, folder, watch = {}, monotonic }: LaneOptions,
) {
  const lane = `0${number}`
  const db = openMigrated(join(folder, 'terminal.db'))
  db.prepare("INSERT OR IGNORE INTO staff (id, name, role, locale) VALUES ('sam', 'Sam', 'manager', 'en-CA')").run()
  const seal = createSeal(Buffer.alloc(32, number))
  const fail = (error: unknown): never => {
    throw error
  }
  const refusal = (reason: string) => new Error(reason)
  const { transact } = createTransact({ db, onStop: fail, refusal, onMissed: fail, watch })
  let ahead = 0
  const clock = { ...systemClock, now: () => START + ahead, ...(monotonic && { monotonic }) }
  const log = createLogger({ level: 'silent', destination: process.stderr })
  const steps = new EventEmitter<{ step: [] }>()
  const onStep = (): void => void steps.emit('step')
  const store = trainingStore()
  const ctx = laneContext({
    profile: store.profile,
    lane: { ...store.lane, id: lane },
    db,
    outbox: { transact } as Outbox,
    seal,
    clock,
    rng: systemRng,
    log,
    publish: onStep,
  })
  const changes = changesOf(ctx)
  provideCatalogFolder(ctx, join(folder, 'catalog'))
  const catalog = catalogOf(ctx)
  catalog.onChange(onStep)
  const sync = createCatalogSync(ctx, files)
  const imports = catalogImportsOf(ctx)
  const items = itemsEditorOf(ctx)
  const planned = plannedPricesOf(ctx)
  const views = catalogViewsOf(ctx)
  let isOpen = true
  async function close(): Promise<void> {
    if (!isOpen) return
    isOpen = false
    await sync.close()
    imports.close()
    catalog.close()
    db.close()
  }
  const profile = join(folder, 'profile.csv')
  const begin = (lines: readonly string[], given: OpenGiven = {}) => {
    writeFileSync(profile, [CATALOG_HEAD, ...lines].join('\n'))
    return catalog.open(profile, given)
  }
  await begin(begins)
  catalog.shared.items.start()
  async function importRows(lines: readonly string[], fileName: string): Promise<void> {
    await imports.take(fileName, Readable.from([Buffer.from(lines.join('\n'))]))
    for (let shown = imports.state().import; shown?.phase === 'working'; shown = imports.state().import)
      await once(steps, 'step')
    const shown = imports.state().import
    if (shown?.phase !== 'ready') throw new Error(`\`the import was not compared: ${JSON.stringify(shown)}\``)
    imports.apply(shown.id, 'sam')
  }
  const applyAll = (pulled: readonly ForeignFact[]): void => {
    transact((tx) => {
      for (const fact of pulled) changes.take(tx, fact, STORE_SEAL)
    })
  }
  const groups = createForeignGroups(ctx, '1.0.0', () => STORE_SEAL)
  groups.followChanges()
  const facts = createFactsRepository(db)
  const readFact = createReadFact(
    db,
    seal,
    () => STORE_SEAL,
    () => null,
  )
  const stream = `${'0'.repeat(31)}${number}`
  const due = db.prepare<[], number>('SELECT count(*) FROM store_catalog_due').pluck()

  return {
    lane,
    db,
    folder,
    catalog,
    imports,
    items,
    planned,
    views,
    sync,
    close,
    begin,
    setAhead: (ms: number): void => {
      ahead = ms
    },
    now: () => clock.now(),
    import: (lines: readonly string[], fileName = 'prices.csv') => importRows([CATALOG_HEAD, ...lines], fileName),
    /** Imports catalog rows with an additional last field: the time from which the price of the row applies. */
    importPriced: (lines: readonly string[]) => importRows([`${CATALOG_HEAD},price_from`, ...lines], 'prices.csv'),
    sentFacts: (after = 0): ForeignFact[] =>
      facts.next({ epoch: 1, confirmed: after }, 10_000).map((row) => ({ ...readFact(row), stream, lane })),
    take: (fact: ForeignFact): void => applyAll([fact]),
    takeMany: applyAll,
    applyPulled(fact: ForeignFact): void {
      for (const group of groups.pulled()) group.take([fact], {})
    },
    /**
     * Resolves when no background work is left. Returns false if the lane waits for a file that no lane has uploaded.
     */
    async idle(): Promise<boolean> {
      sync.checkForCatalog()
      for (;;) {
        const isDone = await sync.idle()
        if ((due.get() ?? 0) === 0) return isDone
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
    /** Returns a hash of all items and planned prices, which is equal at two lanes with equal catalogs. */
    digest: (): string => digestOf(catalog.pathOf(catalog.place().edition)),
    lost: () =>
      db
        .prepare(
          `SELECT sku, barcode, to_sku FROM store_catalog_barcode_lost UNION ALL
            SELECT sku, barcode, to_sku FROM store_catalog_code_lost ORDER BY sku, barcode`,
        )
        .all(),
    trail: (kind: string) =>
      db
        .prepare<[string], { subject: string; detail: string }>(
          'SELECT subject, detail FROM audit_entry WHERE kind = ? ORDER BY id',
        )
        .all(kind)
        .map(({ subject, detail }) => ({ subject, detail: JSON.parse(detail) as Record<string, unknown> })),
  }
}

/** Returns the content of a catalog as text, independent of the order of rows in its file. */
export function catalogText(path: string): string {
  const file = openEditionFile(path, { readonly: true })
  try {
    const items = file
      .prepare(
        `SELECT sku, barcode, names, price_cents, open_least_cents, open_most_cents, tax_category, department_id,
          category_id, minimum_age, sold_by, more FROM item ORDER BY sku`,
      )
      .raw()
      .all()
    const prices = file.prepare('SELECT sku, from_at, price_cents FROM planned_price ORDER BY sku, from_at').raw().all()
    return JSON.stringify({ items, prices })
  } finally {
    file.close()
  }
}
const digestOf = (path: string): string => createHash('sha256').update(catalogText(path)).digest('hex')

export const itemOf = (sku: string, given: Partial<SaveItem['item']> = {}): SaveItem['item'] => ({
  sku,
  barcode: null,
  name: { 'en-CA': `Item ${sku}`, 'fr-CA': `Article ${sku}` },
  priceCents: cents(100),
  openPrice: null,
  taxCategory: 'standard',
  departmentId: 'care',
  categoryId: null,
  ...given,
})

export async function syncAll(lanes: readonly CatalogLane[]): Promise<void> {
  for (let round = 0; round < 10; round += 1) {
    const done = []
    for (const lane of lanes) done.push(await lane.idle())
    if (done.every(Boolean)) return
  }
  throw new Error('a lane waits for a file that no lane uploads')
}
