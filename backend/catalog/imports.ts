import { randomUUID } from 'node:crypto'
import { createWriteStream, rmSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  type CatalogDifference,
  type CatalogImport,
  type CatalogState,
  type DifferenceKind,
  type DifferenceList,
  Item,
} from '../../contracts/catalog/catalog.ts'
import { cents } from '../../contracts/core/money.ts'
import { isoOf } from '../core/clock.ts'
import type { Database } from '../core/db/database.ts'
import type { Transact } from '../core/db/transact.ts'
import { ProblemError } from '../core/problem.ts'
import { openEditionFile } from './editions/edition-file.ts'
import type { Edition } from './editions/editions.sql.ts'
import { startImport } from './editions/edition-jobs.ts'
import type { Imported } from './editions/make-edition.ts'
import { editionOf, type CatalogService, catalogOf } from './catalog.ts'
import { scanCodesOf } from '../core/scan-codes.ts'
import { catalogViewsOf } from './catalog-views.ts'
import { catalogSyncOf } from './catalog-sync.ts'
import { type Ctx, perLane, bound } from '../core/context.ts'

const MAX_ROWS = 200
const PAGE = 50
export const DIFFERENCES = `SELECT number, kind, item_before, item_after, planned_at, planned_cents FROM difference
  WHERE kind = +? AND number > +? ORDER BY number LIMIT ?`

type Ready = Exclude<Imported, { errors: unknown }>

interface Pending {
  readonly id: string
  readonly fileName: string
  readonly place: ReturnType<CatalogService['place']>
  /** Time of the comparison (epoch ms), which decided which planned prices applied. */
  readonly at: number
  shown: CatalogImport
  made: Ready | null
  file: Database | null
  stop: () => void
}

export type CatalogImports = ReturnType<typeof catalogImportsOf>

const catalogImportsStateOf = perLane((ctx: Ctx) => {
  const scanCodes = scanCodesOf(ctx.profile)
  return {
    scanCodes,
    pending: null as Pending | null,
  }
})

const onStep = (ctx: Ctx) => ctx.publish({ type: 'catalog-changed' })

function drop(ctx: Ctx): void {
  const state = catalogImportsStateOf(ctx)
  if (state.pending === null) return
  state.pending.stop()
  state.pending.file?.close()
  rmSync(catalogOf(ctx).pathOf(state.pending.id), { force: true })
  state.pending = null
}

function show(ctx: Ctx, mine: Pending, shown: CatalogImport): void {
  const state = catalogImportsStateOf(ctx)
  if (state.pending !== mine) return
  mine.shown = shown
  onStep(ctx)
}

async function work(ctx: Ctx, mine: Pending, csv: string): Promise<void> {
  const catalog = catalogOf(ctx)
  const state = catalogImportsStateOf(ctx)
  const { id, fileName } = mine
  try {
    const job = startImport(
      {
        kind: 'import',
        csv,
        base: catalog.pathOf(mine.place.edition),
        target: catalog.pathOf(id),
        edition: id,
        now: mine.at,
        timeZone: ctx.profile.timeZone,
        scanCodes: state.scanCodes,
        maxErrors: MAX_ROWS,
        countsAll: true,
      },
      (progress) => {
        show(ctx, mine, { id, fileName, phase: 'working', ...progress })
      },
    )
    mine.stop = job.stop
    const made = await job.result
    if (state.pending !== mine) return
    if ('errors' in made) {
      const rows = made.errors.map(({ line, column, messages }) => ({ line, column, messages }))
      show(ctx, mine, { id, fileName, phase: 'refused', encoding: made.encoding, rows, refused: made.refused })
      return
    }
    mine.made = made
    mine.file = openEditionFile(catalog.pathOf(id), { readonly: true })
    const { encoding, separator, counts } = made
    show(ctx, mine, { id, fileName, phase: 'ready', encoding, separator, counts })
  } catch (error) {
    if (state.pending === mine) ctx.log.error({ err: error }, 'an import of the catalog failed')
    // The worker may have begun the edition's file before it was stopped.
    else rmSync(catalog.pathOf(id), { force: true })
    show(ctx, mine, { id, fileName, phase: 'failed' })
  } finally {
    rmSync(csv, { force: true })
  }
}

/**
 * Returns the pending import with this id. Throws `catalog-import-gone` if it is not pending or not ready, and
 * `catalog-changed` if the catalog has changed since the comparison.
 */
function ready(ctx: Ctx, id: string): { mine: Pending; made: Ready } {
  const catalog = catalogOf(ctx)
  const state = catalogImportsStateOf(ctx)
  if (state.pending?.id !== id || state.pending.made === null) throw new ProblemError('catalog-import-gone')
  const { edition, change } = catalog.place()
  const { place, at } = state.pending
  if (place.edition !== edition || place.change !== change || catalog.hasBegun(at, ctx.clock.now()))
    throw new ProblemError('catalog-changed')
  return { mine: state.pending, made: state.pending.made }
}

const aboutOf = (ctx: Ctx, edition: Edition): CatalogState['current'] => ({
  origin: edition.origin,
  fileName: edition.fileName,
  at: isoOf(edition.madeAt),
  by: edition.madeBy === null ? null : ctx.staffName(edition.madeBy),
  items: edition.items,
  changes: catalogOf(ctx).editions.changeCount(edition.id),
  ...catalogViewsOf(ctx).importedAt(edition.id),
})

function state(ctx: Ctx): CatalogState {
  const catalog = catalogOf(ctx)
  const inUse = catalog.editions.inUse()
  if (inUse === null) throw new Error('the lane has no catalog yet')
  return {
    current: aboutOf(ctx, catalog.editions.byId(inUse.currentId)),
    previous: inUse.previousId === null ? null : aboutOf(ctx, catalog.editions.byId(inUse.previousId)),
    import: catalogImportsStateOf(ctx).pending?.shown ?? null,
    planned: catalog.plannedCount(),
    ofStore: catalogSyncOf(ctx)?.state() ?? null,
  }
}

/** Saves an uploaded file, and starts to read it when it is complete. Drops the pending import. */
async function take(ctx: Ctx, fileName: string, bytes: Readable): Promise<CatalogImport> {
  const catalog = catalogOf(ctx)
  drop(ctx)
  const id = randomUUID()
  const shown: CatalogImport = { id, fileName, phase: 'working', step: 'reading', percent: 0 }
  const mine: Pending = {
    id,
    fileName,
    place: catalog.place(),
    at: ctx.clock.now(),
    shown,
    made: null,
    file: null,
    stop: () => undefined,
  }
  catalogImportsStateOf(ctx).pending = mine
  const csv = `${catalog.pathOf(id)}.csv`
  const file = createWriteStream(csv, { mode: 0o600 })
  try {
    await pipeline(bytes, limited, file)
  } catch (error) {
    // Otherwise an interrupted upload would leave an empty file.
    if (!file.closed) await new Promise<void>((resolve) => file.once('close', resolve))
    rmSync(csv, { force: true })
    if (catalogImportsStateOf(ctx).pending === mine) drop(ctx)
    throw error
  }
  if (catalogImportsStateOf(ctx).pending === mine) void work(ctx, mine, csv)
  else rmSync(csv, { force: true })
  return mine.shown
}

/** Returns a page of the changes of the import. Throws `catalog-import-gone`. */
function differences(ctx: Ctx, kind: DifferenceKind, after: number): DifferenceList {
  const { pending } = catalogImportsStateOf(ctx)
  if (!pending?.file) throw new ProblemError('catalog-import-gone')
  const rows = pending.file.prepare<[string, number, number], DifferenceRow>(DIFFERENCES).all(kind, after, PAGE + 1)
  const page = rows.slice(0, PAGE)
  return {
    differences: page.map(differenceOf),
    next: rows.length > PAGE ? (page.at(-1)?.number ?? null) : null,
  }
}

/**
 * Applies the import in one transaction. Throws `catalog-import-gone`, and `catalog-changed` if the catalog has changed
 * since the comparison.
 */
function apply(ctx: Ctx, id: string, staffId: string): void {
  const { mine, made } = ready(ctx, id)
  ctx.transact((tx) => {
    const { fileName } = mine
    catalogOf(ctx).take(
      tx,
      editionOf(id, made, { origin: 'import', fileName, madeAt: ctx.clock.now(), madeBy: staffId }),
    )
    ctx.audit.record(tx, {
      kind: 'catalog-imported',
      actorId: staffId,
      subject: fileName,
      detail: { ...made.counts, encoding: made.encoding },
    })
    ctx.transact.afterCommit(() => {
      mine.file?.close()
      catalogImportsStateOf(ctx).pending = null
      onStep(ctx)
    })
  })
}

/** Restores the catalog that was in use before the last import. Throws `nothing-to-undo` or `catalog-before-empty`. */
async function undo(
  ctx: Ctx,
  staffId: string,
  storeKey: (tx: Parameters<Parameters<Transact>[0]>[0]) => void,
): Promise<void> {
  const catalog = catalogOf(ctx)
  const inUse = catalog.editions.inUse()
  if (!inUse?.previousId) throw new ProblemError('nothing-to-undo')
  const undone = catalog.editions.byId(inUse.currentId)
  const changes = catalog.editions.changeCount(inUse.currentId)
  drop(ctx)
  const restore = await catalog.restorePrevious()
  ctx.transact((tx) => {
    storeKey(tx)
    restore(tx, staffId)
    ctx.audit.record(tx, {
      kind: 'catalog-import-undone',
      actorId: staffId,
      subject: undone.fileName,
      detail: { items: undone.items, changes },
    })
  })
  onStep(ctx)
}

/**
 * Imports by a manager: a worker reads the file, checks it and compares it with the catalog; the manager reviews the
 * changes, and applies all of them or drops the import. A new import replaces the pending one.
 */
export const catalogImportsOf = perLane((ctx: Ctx) => {
  catalogImportsStateOf(ctx)
  return {
    ...bound(ctx, {
      state,
      take,
      differences,
      apply,
      undo,

      close: drop,
    }),

    drop(id: string): void {
      if (catalogImportsStateOf(ctx).pending?.id !== id) return
      drop(ctx)
      onStep(ctx)
    },
  }
})

/** Maximum size of an uploaded catalog file in bytes: enough for a million items, more than a store has. */
export const MAX_BYTES = 256 * 1024 * 1024

async function* limited(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let length = 0
  for await (const piece of bytes) {
    length += piece.length
    if (length > MAX_BYTES) throw new ProblemError('body-too-large')
    yield piece
  }
}

interface DifferenceRow {
  number: number
  kind: DifferenceKind
  item_before: string | null
  item_after: string | null
  planned_at: number | null
  planned_cents: number | null
}

const itemIn = (text: string | null): Item | null => (text === null ? null : Item.parse(JSON.parse(text)))

const differenceOf = (row: DifferenceRow): CatalogDifference => ({
  number: row.number,
  kind: row.kind,
  before: itemIn(row.item_before),
  after: itemIn(row.item_after),
  planned:
    row.planned_at === null || row.planned_cents === null
      ? null
      : { fromAt: isoOf(row.planned_at), priceCents: cents(row.planned_cents) },
})
