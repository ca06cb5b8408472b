import type { Checkout } from './checkout.ts'
import type { CatalogService } from '../catalog/catalog.ts'
import { createAuditRepository } from '../staff/audit/audit.sql.ts'
import { auditRoutes } from '../staff/audit/audit.routes.ts'
import { createAudit, createVerification } from '../staff/audit/audit-page.ts'
import { createIndexer, createSearchRepository } from '../day/search/search-index.ts'
import { createJournalSearch, journalSearchRoutes } from '../day/search/journal-search.ts'
import { createQueueRepository } from '../loyalty/queue/queue.sql.ts'
import { queueRoutes } from '../loyalty/queue/queue.routes.ts'
import { createQueueService } from '../loyalty/queue/queue.ts'
import { createDailyReports, createReconciliation } from '../loyalty/reconciliation/reconciliation.ts'
import { createReconciliationRepository } from '../loyalty/reconciliation/reconciliation.sql.ts'
import { reconciliationRoutes } from '../loyalty/reconciliation/reconciliation.routes.ts'
import { createAccountingRepository } from '../day/reports/reports.sql.ts'
import { createReports, reportsRoutes } from '../day/reports/reports.ts'
import type { Routes } from '../core/http/app.ts'
import type { LaneDevices } from './devices.ts'
import type { Foundation } from './foundation.ts'
import type { Services } from './services.ts'

interface ReviewParts {
  readonly services: Services
  readonly devices: LaneDevices
  readonly checkout: Checkout
  readonly catalog: CatalogService
  readonly staffName: (id: string) => string
}

/** A part of what a manager looks through: its routes, what it does by itself, and how that ends. */
interface Part {
  readonly routes: Routes
  readonly start?: () => void
  readonly stop: () => void
}

/** What a manager looks through: what waits, what the program says it was, who did what, sums, and what was sold. */
export function composeReview(base: Foundation, parts: ReviewParts) {
  const composed = [
    composeQueue(base, parts),
    composeReconciliation(base, parts),
    composeAudit(base, parts),
    composeReports(base, parts),
    composeSearch(base, parts),
  ]
  return {
    routes: composed.map(({ routes }) => routes),
    start(): void {
      for (const { start } of composed) start?.()
    },
    stop(): void {
      for (const { stop } of composed) stop()
    },
  }
}

function composeQueue(base: Foundation, { services, devices, checkout, staffName }: ReviewParts): Part {
  const { journal, transact, db, seal, audit, clock, profile, rng, log } = base
  const { secret, central } = services
  const { issuances, reversals, issuance, epoch, sales, news } = checkout
  const queue = createQueueService({
    journal,
    transact,
    repository: createQueueRepository(db),
    slips: checkout.slips,
    issuances,
    reversals,
    issuance,
    seal,
    cardReads: devices.cardReads,
    audit,
    clock,
    profile,
    staffName,
    epoch,
    rng,
    log,
    secretRefusedSince: () => secret.refusedSince ?? central.refusedSince,
    sales,
    news,
    credit: checkout.tenders.creditLateReversal,
  })
  return { routes: queueRoutes({ queue, news }), stop: queue.stop }
}

function composeReconciliation(base: Foundation, { staffName }: ReviewParts): Part {
  const { db, journal, transact, audit, clock, profile, lane, isStopped, log } = base
  const repository = createReconciliationRepository(db)
  const reconciliation = createReconciliation({
    repository,
    journal,
    transact,
    audit,
    clock,
    profile,
    lane,
    staffName,
  })
  const { start, stop } = createDailyReports({ reconciliation, clock, isStopped, log })
  return { routes: reconciliationRoutes(reconciliation), start, stop }
}

function composeAudit(base: Foundation, { staffName }: ReviewParts): Part {
  const { db, folder, transact, audit, clock, profile, lane, record } = base
  const repository = createAuditRepository(db)
  const verification = createVerification({
    files: { database: folder.database, mark: folder.journalMark, masterKey: folder.masterKey },
    clock,
    total: repository.newest,
    record,
  })
  const trail = createAudit({ repository, transact, audit, clock, profile, lane, staffName })
  return { routes: auditRoutes({ audit: trail, verification }), stop: verification.stop }
}

function composeReports(base: Foundation, { staffName }: ReviewParts): Part {
  const { db, folder, transact, audit, clock, profile, lane, log } = base
  const reports = createReports({
    database: folder.database,
    accounting: createAccountingRepository(db),
    transact,
    audit,
    clock,
    profile,
    lane,
    staffName,
    log,
  })
  return { routes: reportsRoutes(reports), stop: reports.stop }
}

function composeSearch(base: Foundation, { checkout, catalog, staffName }: ReviewParts): Part {
  const { db, plainly, clock, profile, log } = base
  const repository = createSearchRepository(db)
  const isQuiet = (): boolean => checkout.sales.currentId() === null
  const indexer = createIndexer({ repository, transact: plainly, clock, isQuiet, log })
  const search = createJournalSearch({
    repository,
    indexer,
    skuOf: (code) => catalog.findByBarcode(code)?.sku,
    timeZone: profile.timeZone,
    staffName,
  })
  return { routes: journalSearchRoutes(search), start: indexer.start, stop: indexer.stop }
}
