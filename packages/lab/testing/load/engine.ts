import type { CollectorNumber } from '../../../../contracts/core/ids.ts'
import type { IssueRequest } from '../../../../contracts/central/issuance.ts'
import { cents } from '../../../../contracts/core/money.ts'
import { cashClientOf } from '../../../../backend/loyalty/services/cash.ts'
import { issuanceClientOf } from '../../../../backend/loyalty/services/issuance.ts'
import { createTokenSource } from '../../../../backend/core/central/token.ts'
import { createTransport } from '../../../../backend/core/central/transport.ts'
import { systemRng, systemClock, type Clock } from '../../../../backend/core/clock.ts'
import type { Database } from '../../../../backend/core/db/database.ts'
import type { Transact, Tx } from '../../../../backend/core/db/transact.ts'
import {
  createSalesRepository,
  type SaleRow,
  saleRowsOf,
  type SalesRepository,
} from '../../../../backend/sales/sale/sales.sql.ts'
import { openHighWaterMark } from '../../../../backend/core/outbox/high-water.ts'
import { issuancesOf, type Issuances } from '../../../../backend/loyalty/calls/issue.ts'
import { redeemingOf, type Redeeming } from '../loyalty-harness.ts'
import { reversalsOf, type Reversals } from '../../../../backend/loyalty/calls/reverse.ts'
import { createOutbox } from '../../../../backend/core/outbox/outbox.ts'
import { createSeal, type Seal } from '../../../../backend/core/integrity/seal.ts'
import type { Journal } from '../../../../backend/core/outbox/journal.ts'
import type { Operation } from '../../../../backend/core/outbox/operation.ts'
import { createLogger } from '../../../../backend/core/log.ts'
import { stopComponents } from '../../../../backend/core/lifecycle.ts'
import type { Line } from './line.ts'
import { createMeter, type Meter } from './meter.ts'
import { trainingStore } from './store.ts'
import { ALEX, BASKET, filesOf, MASTER_KEY, openTestDatabase } from './terminal.ts'
import { laneContext, provideCentral } from '../lane-context.ts'

/** The journal with redemptions and issuances, without the screens and documents of a sale. */
export interface Engine {
  readonly db: Database
  readonly transact: Transact
  readonly journal: Journal
  readonly seal: Seal
  readonly cash: ReturnType<typeof cashClientOf>
  readonly sales: SalesRepository
  readonly issuances: Issuances
  readonly redemptions: Redeeming
  readonly reversals: Reversals
  readonly meter: Meter
  /** Opens a sale on a new lane, because a lane has at most one open sale. */
  openSale(): string
  complete(tx: Tx, saleId: string): void
  issueRequest(saleId: string, collector: CollectorNumber): IssueRequest
  stop(): void
  close(): void
}

export async function openEngine(
  folder: string,
  line: Line,
  options: { clock?: Clock; onMoved?: (operation: Operation) => void } = {},
): Promise<Engine> {
  const { profile, lane } = trainingStore()
  const { clock = systemClock, onMoved = () => undefined } = options
  const log = createLogger({ level: 'error', destination: process.stderr })
  const db = await openTestDatabase(folder)
  const meter = createMeter()
  const seal = createSeal(MASTER_KEY)
  const mark = openHighWaterMark(filesOf(folder).mark, systemClock, seal)
  const outbox = createOutbox({
    db,
    seal,
    mark: meter.around(mark),
    clock,
    rng: systemRng,
    log,
    observer: meter.observer,
    onStop: (reason) => {
      throw new Error(reason)
    },
    refusal: () => new Error('storage failed'),
  })
  const { transact, journal } = outbox
  const transport = createTransport({
    log,
    exchange: meter.answering(line.exchange),
    tokens: createTokenSource({ clock: systemClock, log, grant: line.grant }),
  })
  const sales = createSalesRepository(db)
  const ctx = laneContext({ db, outbox, seal, clock, rng: systemRng, log, profile, lane })
  provideCentral(ctx, { transport })
  // Stub for the measurement: every sale counts as open, and every redemption as having paid its sale.
  saleRowsOf.provide(ctx, { ...sales, byId: () => ({ state: 'open' }) as SaleRow, paidBy: () => 1 })
  const cash = cashClientOf(ctx)
  const issuance = issuanceClientOf(ctx)
  const issuances = issuancesOf(ctx)
  const reversals = reversalsOf(ctx)
  const redemptions = redeemingOf(ctx)
  const notify = (_tx: Tx, operation: Operation): void => {
    transact.afterCommit(() => {
      onMoved(operation)
    })
  }
  journal.events.on('operation.moved', notify)
  const insertSale = db.prepare(
    "INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at) VALUES (?, ?, 1, 'open', ?, ?, ?)",
  )
  let sequence = sales.nextSequence()
  db.prepare(
    `INSERT INTO shift (lane, opened_at, opened_by, float_cents)
      SELECT '01', 0, ?, 0 WHERE NOT EXISTS (SELECT 1 FROM shift)`,
  ).run(ALEX.id)

  const stop = (): void => void stopComponents(ctx)
  return {
    db,
    transact,
    journal,
    seal,
    cash,
    sales,
    issuances,
    redemptions,
    reversals,
    meter,
    openSale() {
      const id = `${profile.program.locationCode}LOAD${String(sequence).padStart(8, '0')}`
      insertSale.run(id, sequence, id, ALEX.id, clock.now())
      sequence += 1
      return id
    },
    complete(tx, saleId) {
      sales.close(tx, saleId, { state: 'completed', at: clock.now(), taxes: '[]', totals: '{}', shiftId: 1 })
    },
    issueRequest: (saleId, collector) =>
      issuance.issueRequest({
        saleId,
        collectorNumber: collector,
        atMs: clock.now(),
        locale: 'en-CA',
        tenders: ['cash'],
        totals: { subtotalCents: cents(4197), taxes: [], totalCents: cents(4197) },
        lines: BASKET.map(({ sku, name, priceCents }, index) => ({
          number: index + 1,
          sku,
          name,
          quantity: 1,
          unitPriceCents: priceCents,
          amountCents: priceCents,
          voided: false,
          departmentId: 'D1',
          categoryId: null,
        })),
      }),
    stop,
    close() {
      stop()
      mark.close()
      db.close()
    },
  }
}
