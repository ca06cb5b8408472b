import { EventEmitter, once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { onTestFinished } from 'vitest'
import type { CatalogImport } from '../../contracts/catalog/catalog.ts'
import { type Clock, systemRng } from '../core/clock.ts'
import type { Database } from '../core/db/database.ts'
import { createTransact, type Transact } from '../core/db/transact.ts'
import { openTestDatabase, temporaryFolder, testClock, testLog } from '../core/http/testing.ts'
import { createSeal } from '../core/integrity/seal.ts'
import { MASTER_KEY } from '../../packages/lab/testing/loyalty-harness.ts'
import type { AuditTrail } from '../core/audit.ts'
import { openEditionFile } from './editions/edition-file.ts'
import { catalogImportsOf, type CatalogImports } from './imports.ts'
import { plannedPricesOf, type PlannedPrices } from './planned-prices.ts'
import { catalogOf, type CatalogService } from './catalog.ts'
import type { Outbox } from '../core/outbox/outbox.ts'
import { laneContext, provideCatalogFolder } from '../../packages/lab/testing/lane-context.ts'
import { trainingStore } from '../../packages/lab/testing/load/store.ts'

export const CATALOG_HEAD = 'sku,barcode,name_en,name_fr,price,tax_category,department,category'

export interface CatalogFixture {
  readonly db: Database
  readonly catalog: CatalogService
  readonly transact: Transact
  readonly audit: AuditTrail
  readonly folder: string
  readonly imports: CatalogImports
  readonly planned: PlannedPrices
  compared(bytes: string | Uint8Array, fileName?: string): Promise<CatalogImport>
  everything(): object[]
  file(lines: readonly string[], head?: string): string
}

function everythingIn(path: string): object[] {
  const file = openEditionFile(path, { readonly: true })
  try {
    const all = (sql: string): object[] => file.prepare<[], object>(sql).all()
    return [
      ...all(`SELECT sku, barcode, barcode_key, names, price_cents, open_least_cents, open_most_cents, tax_category,
        department_id, category_id FROM item ORDER BY id`),
      ...all('SELECT sku, from_at, price_cents FROM planned_price ORDER BY sku, from_at'),
    ]
  } finally {
    file.close()
  }
}

export async function openCatalogFixture(
  given: { readonly db?: Database; readonly clock?: Clock; readonly folder?: string } = {},
): Promise<CatalogFixture> {
  const folder = given.folder ?? temporaryFolder()
  const clock = given.clock ?? testClock()
  const db = given.db ?? (await openTestDatabase(folder))
  db.prepare(
    "INSERT OR IGNORE INTO staff (id, name, role, locale) VALUES ('sam', 'Sam Okafor', 'manager', 'en-CA')",
  ).run()
  const { transact } = createTransact({
    db,
    onStop: () => undefined,
    refusal: (reason) => new Error(reason),
    onMissed(error) {
      throw error
    },
  })
  const changed = new EventEmitter<{ step: [] }>()
  const { log } = testLog()
  const ctx = laneContext({
    ...trainingStore(),
    db,
    outbox: { transact } as Outbox,
    seal: createSeal(MASTER_KEY),
    clock,
    rng: systemRng,
    log,
    publish: () => changed.emit('step'),
  })
  provideCatalogFolder(ctx, join(folder, 'catalog'))
  const catalog = catalogOf(ctx)
  onTestFinished(() => {
    catalog.close()
  })
  const imports = catalogImportsOf(ctx)
  onTestFinished(imports.close)
  return {
    db,
    catalog,
    imports,
    planned: plannedPricesOf(ctx),
    async compared(bytes, fileName = 'prices.csv') {
      await imports.take(fileName, Readable.from([Buffer.from(bytes)]))
      for (;;) {
        const { import: shown } = imports.state()
        if (shown === null) throw new Error('the import no longer exists')
        if (shown.phase !== 'working') return shown
        await once(changed, 'step')
      }
    },
    everything: () => everythingIn(catalog.pathOf(catalog.place().edition)),
    transact,
    audit: ctx.audit,
    folder,
    file(lines, head = CATALOG_HEAD) {
      const path = join(temporaryFolder(), 'catalog.csv')
      writeFileSync(path, [head, ...lines].join('\n'))
      return path
    },
  }
}
