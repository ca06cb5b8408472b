import { rmSync, statSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import type {
  CatalogEncoding,
  CatalogSeparator,
  DifferenceKind,
  ImportCounts,
  Item,
} from '../../../contracts/catalog/catalog.ts'
import { cents } from '../../../contracts/core/money.ts'
import { scanReach, type ScanCodes } from '../../core/scan-codes.ts'
import { comparableItem, createEditionRows } from './edition-rows.ts'
import { applyChanges, openEditionFile, packSource, unpackSource, writeEdition } from './edition-file.ts'
import { createEditionsRepository } from './editions.sql.ts'
import { stageCatalog, type CatalogError } from './load.ts'
import {
  createCatalogRepository,
  ITEM_COLUMNS,
  storedItem,
  type CatalogRepository,
  type ItemRow,
} from './catalog.sql.ts'
import { openStaging, type StagedItem, type Staging } from './staging.ts'

export interface ImportJob {
  readonly kind: 'import'
  readonly csv: string
  readonly base: string | null
  readonly target: string
  readonly edition: string
  /** Time (epoch ms) by which it is decided which planned prices have begun. */
  readonly now: number
  readonly timeZone: string
  /** Codes that no item may have as its barcode, because a scan of them means something else. */
  readonly scanCodes: ScanCodes
  readonly maxErrors?: number
  readonly countsAll?: boolean
}

export interface RebuildJob {
  readonly kind: 'rebuild'
  readonly terminal: string
  readonly target: string
  readonly edition: string
}

export interface CopyJob {
  readonly kind: 'copy'
  readonly from: string
  readonly target: string
  readonly edition: string
}

export type EditionJob = ImportJob | RebuildJob | CopyJob

export interface Copied {
  readonly items: number
  readonly sourceHash: Buffer
}

export type Imported =
  | {
      readonly hash: string
      readonly encoding: CatalogEncoding
      readonly separator: CatalogSeparator
      readonly counts: ImportCounts
      readonly sourceHash: Buffer
    }
  | { readonly errors: readonly CatalogError[]; readonly refused: number; readonly encoding: CatalogEncoding | null }

export interface Progress {
  readonly step: 'reading' | 'comparing'
  readonly percent: number
}
export type OnProgress = (progress: Progress) => void

/** Makes the file of an edition. Returns the result of an import or a copy; undefined for a rebuild. */
export function makeEdition(job: EditionJob, onProgress: OnProgress = () => undefined): Imported | Copied | undefined {
  rmSync(job.target, { force: true })
  switch (job.kind) {
    case 'import':
      return importFile(job, onProgress)
    case 'copy':
      return copy(job)
    case 'rebuild':
      rebuild(job)
      return undefined
  }
}

function importFile(job: ImportJob, onProgress: OnProgress): Imported {
  const staging = openStaging()
  try {
    const bytes = Math.max(1, statSizeOf(job.csv))
    const staged = stageCatalog(job.csv, staging, {
      timeZone: job.timeZone,
      isReachable: scanReach(job.scanCodes),
      ...(job.maxErrors === undefined ? {} : { maxErrors: job.maxErrors }),
      ...(job.countsAll === undefined ? {} : { countsAll: job.countsAll }),
      onProgress: (read) => {
        onProgress({ step: 'reading', percent: Math.min(100, Math.floor((read * 100) / bytes)) })
      },
    })
    if ('errors' in staged) return staged
    const compared = compare(job, staging, staged.items, (done) => {
      onProgress({ step: 'comparing', percent: Math.floor((done * 100) / staged.items) })
    })
    return { hash: staged.hash, encoding: staged.encoding, separator: staged.separator, ...compared }
  } finally {
    staging.close()
  }
}

const statSizeOf = (file: string): number => {
  try {
    return statSync(file).size
  } catch {
    return 0
  }
}

const PROGRESS_ITEMS = 2_000

function compare(
  job: ImportJob,
  staging: Staging,
  items: number,
  onProgress: (done: number) => void,
): { counts: ImportCounts; sourceHash: Buffer } {
  const base = job.base === null ? null : openEditionFile(job.base, { readonly: true })
  const writer = writeEdition(job.target, job.edition)
  try {
    const before = base && openBase(base, job)
    const insertDifference = writer.db.prepare(
      `INSERT INTO difference (kind, item_before, item_after, planned_at, planned_cents) VALUES (?, ?, ?, ?, ?)`,
    )
    const insertChunk = writer.db.prepare('INSERT INTO source (chunk) VALUES (?)')
    const source = packSource((chunk) => {
      insertChunk.run(chunk)
    })
    const counts = { items, new: 0, price: 0, planned: 0, other: 0, gone: 0 }
    const note = (kind: DifferenceKind, was: Item | null, is: Item | null, planned: readonly number[] = []): void => {
      counts[kind] += 1
      const text = (item: Item | null): string | null => (item === null ? null : JSON.stringify(item))
      insertDifference.run(kind, text(was), text(is), planned[0] ?? null, planned[1] ?? null)
    }
    let done = 0
    for (const staged of staging.alphabetical()) {
      const { item, planned, earlierPlans, was } = resolved(staged, before, job.now)
      writer.add(item)
      const plans = [...earlierPlans, ...planned]
      for (const [fromAt, priceCents] of plans) writer.plan(item.sku, fromAt, priceCents)
      source.add({ item, planned: plans })
      const kind = differenceOf(was, item, planned.length > 0)
      if (kind !== null) note(kind, was, item, planned[0])
      done += 1
      if (done % PROGRESS_ITEMS === 0) onProgress(done)
    }
    const sourceHash = source.finish()
    if (base && before) for (const item of removedFrom(base, before, writer.db)) note('gone', item, null)
    writer.finish(0)
    return { counts, sourceHash }
  } catch (error) {
    writer.discard()
    throw error
  } finally {
    base?.close()
  }
}

type Sold = Pick<CatalogRepository, 'findBySku' | 'plannedOf'>

function openBase(base: Sqlite.Database, { now, timeZone }: ImportJob): Sold {
  const plans = base
    .prepare<[], 1>('SELECT 1 FROM planned_price UNION ALL SELECT 1 FROM item WHERE tax_changes IS NOT NULL LIMIT 1')
    .pluck()
    .get()
  if (plans !== undefined) return createCatalogRepository(base, () => now, timeZone)
  // Most catalogs have no planned prices and tax changes, so the import does not look them up for each item.
  const bySku = base.prepare<[string], ItemRow>(`SELECT ${ITEM_COLUMNS} FROM item WHERE sku = ?`)
  return {
    findBySku(sku) {
      const row = bySku.get(sku)
      return row && storedItem(row)
    },
    plannedOf: () => [],
  }
}

interface Resolved {
  readonly item: Item
  readonly planned: [fromAt: number, priceCents: number][]
  /** Planned prices of the item in the edition in use that remain, because the file plans none for this item. */
  readonly earlierPlans: [fromAt: number, priceCents: number][]
  readonly was: Item | null
}

/**
 * Compares a line of the file with the same item in the edition in use. If the line's price begins later, the item
 * keeps its present price until then; a new item has the line's price at once.
 */
function resolved({ priceFrom, ...item }: StagedItem, before: Sold | null, now: number): Resolved {
  const was = before?.findBySku(item.sku) ?? null
  const plannedBefore = (was && before?.plannedOf(item.sku)) ?? []
  if (was === null || priceFrom === null || priceFrom <= now)
    return { item, was, planned: [], earlierPlans: plannedBefore.map(({ fromAt, priceCents }) => [fromAt, priceCents]) }
  return {
    item: { ...item, priceCents: was.priceCents },
    was,
    planned: [[priceFrom, item.priceCents]],
    earlierPlans: [],
  }
}

function differenceOf(was: Item | null, item: Item, planned: boolean): DifferenceKind | null {
  if (was === null) return 'new'
  if (was.priceCents !== item.priceCents) return 'price'
  if (planned) return 'planned'
  return comparableItem(was) === comparableItem(item) ? null : 'other'
}

function* removedFrom(base: Sqlite.Database, before: Sold, target: Sqlite.Database): Generator<Item> {
  const stays = target.prepare<[string], 1>('SELECT 1 FROM item WHERE sku = ?').pluck()
  for (const { sku } of base.prepare<[], ItemRow>(`SELECT ${ITEM_COLUMNS} FROM item ORDER BY id`).iterate()) {
    if (stays.get(sku) !== undefined) continue
    const item = before.findBySku(sku)
    if (item) yield item
  }
}

function rebuild({ terminal, target, edition }: RebuildJob): void {
  const db = new Sqlite(terminal, { readonly: true })
  try {
    const editions = createEditionsRepository(db)
    const writer = writeEdition(target, edition)
    try {
      const { sourceHash } = editions.byId(edition)
      for (const { item, planned } of unpackSource(editions.source(edition), sourceHash)) {
        writer.add(item)
        for (const [fromAt, priceCents] of planned) writer.plan(item.sku, fromAt, cents(priceCents))
      }
      writer.finish(0)
    } catch (error) {
      writer.discard()
      throw error
    }
    const file = openEditionFile(target)
    try {
      applyChanges(file, editions.changesAfter(edition, 0))
    } finally {
      file.close()
    }
  } finally {
    db.close()
  }
}

function copy({ from, target, edition }: CopyJob): Copied {
  const file = openEditionFile(from, { readonly: true })
  const writer = writeEdition(target, edition)
  try {
    const rows = createEditionRows(file)
    const insertChunk = writer.db.prepare('INSERT INTO source (chunk) VALUES (?)')
    const source = packSource((chunk) => {
      insertChunk.run(chunk)
    })
    let items = 0
    for (const row of file.prepare<[], ItemRow>(`SELECT ${ITEM_COLUMNS} FROM item ORDER BY id`).iterate()) {
      const item = storedItem(row)
      const planned = rows.planned(item.sku)
      writer.add(item)
      for (const [fromAt, priceCents] of planned) writer.plan(item.sku, fromAt, priceCents)
      source.add({ item, planned: planned.map(([fromAt, priceCents]) => [fromAt, priceCents]) })
      items += 1
    }
    const sourceHash = source.finish()
    writer.finish(0)
    return { items, sourceHash }
  } catch (error) {
    writer.discard()
    throw error
  } finally {
    file.close()
  }
}
