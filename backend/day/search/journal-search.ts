import type { z } from 'zod'
import type { JournalPage, JournalQuery, JournalEntry, JournalFilter } from '../../../contracts/day/search.ts'
import { MovementKind } from '../../../contracts/day/shifts.ts'
import { SaleId, StaffId } from '../../../contracts/core/ids.ts'
import type { Names } from '../../../contracts/core/locales.ts'
import { cents } from '../../../contracts/core/money.ts'
import { TenderKind } from '../../../contracts/payments/tenders/registry.ts'
import { isoOf } from '../../core/clock.ts'
import { type EntryRow, firstIdOf, kindOf, queryOfFilter, searchRowsOf, indexerOf } from './search-index.ts'
import type { App } from '../../core/http/app.ts'
import { reportsContract } from '../../../contracts/day/day.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { startOf } from '../../core/zone.ts'
import { catalogOf } from '../../catalog/catalog.ts'
import { type Ctx, perLane } from '../../core/context.ts'

/** Maximum time in ms for which a search indexes new entries before it answers. */
const CATCH_UP_MS = 40
const ITEMS_SHOWN = 3
const BARCODE = /^\d{8,14}$/
/** Number of rows read at once. The search reads on until enough receipt numbers match completely. */
const READ_ON = 200

export const journalSearchOf = perLane((ctx: Ctx) => {
  const { staffName } = ctx
  const repository = searchRowsOf(ctx)
  const { timeZone } = ctx.profile
  const skuOf = (code: string) => catalogOf(ctx).findByBarcode(code)?.sku
  const indexer = indexerOf(ctx)

  function boundsOf({ from, to }: JournalFilter, after: number | undefined): { from: number; before: number } {
    const end = to === undefined ? Number.MAX_SAFE_INTEGER : firstIdOf(instantOf(to, 1))
    return {
      from: from === undefined ? 0 : firstIdOf(instantOf(from, 0)),
      before: after === undefined ? end : Math.min(after, end),
    }
  }

  const instantOf = (text: string, days: number): number =>
    text.includes('T') ? Date.parse(text) : startOf(text, timeZone, days)

  function* found(filter: JournalFilter, after: number | undefined): Generator<JournalEntry> {
    const item = filter.item !== undefined && BARCODE.test(filter.item) ? skuOf(filter.item) : undefined
    const query = queryOfFilter(item === undefined ? filter : { ...filter, item })
    // A search text without a letter or digit finds nothing.
    if (filter.item !== undefined && query === queryOfFilter({ ...filter, item: undefined })) return
    const bounds = boundsOf(filter, after)
    let { before } = bounds
    for (;;) {
      const rows = repository.entries(query, { ...bounds, before, limit: READ_ON })
      for (const row of rows) {
        const entry = entryOf(row)
        if (entry && (filter.receipt === undefined || entry.id.endsWith(filter.receipt))) yield entry
      }
      const last = rows.at(-1)
      if (!last || rows.length < READ_ON) return
      before = last.id
    }
  }

  function entryOf(row: EntryRow): JournalEntry | null {
    const facts = repository.facts(row)
    if (!facts) return null
    const lines = repository.lines(row.kind, facts.id)
    const kinds = repository.payments(row.kind, facts.id).map(({ kind }) => TenderKind.parse(kind))
    return {
      key: row.id,
      kind: kindOf(row.kind, facts.state),
      id: facts.id,
      at: isoOf(facts.at),
      person: staffName(facts.person),
      last4: facts.last4,
      movedTo: facts.movedTo,
      totalCents: facts.totalCents === null ? null : cents(facts.totalCents),
      tenders: [...new Set(kinds)],
      items: lines.slice(0, ITEMS_SHOWN).map(({ names, quantity }) => ({ name: JSON.parse(names) as Names, quantity })),
      moreItems: Math.max(0, lines.length - ITEMS_SHOWN),
      ofSale: facts.ofSale === null ? null : SaleId.parse(facts.ofSale),
      movement:
        facts.movement === null ? null : { kind: MovementKind.parse(facts.movement), reason: facts.reason ?? '' },
    }
  }

  return {
    async page({ after, limit, ...filter }: z.infer<typeof JournalQuery>): Promise<JournalPage> {
      await indexer.catchUp(CATCH_UP_MS)
      const entries: JournalEntry[] = []
      let more = false
      for (const entry of found(filter, after)) {
        more = entries.length === limit
        if (more) break
        entries.push(entry)
      }
      return {
        entries,
        next: more ? (entries.at(-1)?.key ?? null) : null,
        waiting: repository.waitingCount(),
        people: repository.people().map(({ id, name }) => ({ id: StaffId.parse(id), name })),
      }
    },
  }
})

export function journalSearchRoutes(ctx: Ctx, app: App): void {
  const search = journalSearchOf(ctx)
  serve(app, reportsContract['GET /journal'], (request) => search.page(request.query))
}
