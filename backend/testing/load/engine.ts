import type { CollectorNumber } from '../../../contracts/ids.ts'
import type { IssueRequest } from '../../../contracts/central/issuance.ts'
import { cents } from '../../../contracts/money.ts'
import { createCashClient } from '../../central/cash.ts'
import { createIssuanceClient } from '../../central/issuance.ts'
import { createTokenSource } from '../../central/token.ts'
import { createTransport } from '../../central/transport.ts'
import { systemChance, systemClock, type Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { createTransact, type Transact } from '../../db/transact.ts'
import { createSalesRepository, type SalesRepository } from '../../features/sales/repository.ts'
import { openHighWaterMark } from '../../outbox/high-water.ts'
import { createIssuances, type Issuances } from '../../loyalty/issue.ts'
import { createLanes } from '../../outbox/keyed-mutex.ts'
import { createRedemptions, type Redemptions } from '../../loyalty/redeem.ts'
import { createSeal, type Seal } from '../../outbox/seal.ts'
import { createJournal, type Journal, type Operation } from '../../outbox/operations.ts'
import { createLogger } from '../../log.ts'
import type { Line } from './line.ts'
import { createMeter, type Meter } from './meter.ts'
import { trainingStore } from './store.ts'
import { ALEX, BASKET, filesOf, MASTER_KEY, openBooks } from './terminal.ts'

/** The journal and its two engines, without the sale's screens and papers. */
export interface Engine {
  readonly db: Database
  readonly transact: Transact
  readonly journal: Journal
  readonly seal: Seal
  readonly cash: ReturnType<typeof createCashClient>
  readonly sales: SalesRepository
  readonly issuances: Issuances
  readonly redemptions: Redemptions
  readonly meter: Meter
  /** Opens a sale on a lane of its own, so that there may be many; call inside a transaction. */
  openSale(): string
  issueRequest(saleId: string, collector: CollectorNumber): IssueRequest
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
  const db = await openBooks(folder)
  const meter = createMeter()
  const seal = createSeal(MASTER_KEY)
  const mark = openHighWaterMark(filesOf(folder).mark, systemClock, seal)
  const { transact } = createTransact({
    db,
    onStop: (error) => {
      throw error
    },
    refusal: () => new Error('storage failed'),
    watch: {
      committing: () => {
        meter.witness.committing?.()
      },
      committed: () => {
        journal.committed()
      },
    },
  })
  const journal = createJournal({ db, transact, seal, clock, chance: systemChance, mark: meter.around(mark) })
  const lanes = createLanes()
  const transport = createTransport({
    log,
    exchange: meter.answering(line.exchange),
    tokens: createTokenSource({ clock: systemClock, log, grant: line.grant }),
  })
  const cash = createCashClient({ profile, lane, transport, chance: systemChance })
  const issuance = createIssuanceClient({ profile, lane, transport })
  const sales = createSalesRepository(db)
  const parts = { journal, lanes, clock, chance: systemChance, log, onMoved, onCentre: () => undefined }
  const issuances = createIssuances({ ...parts, issuance })
  const redemptions = createRedemptions({
    ...parts,
    transact,
    cash,
    retryDeadlineMs: profile.limits.redeemRetryDeadlineMs,
    onApproved: () => undefined,
    saleIsOpen: () => true,
  })
  const insertSale = db.prepare(
    "INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at) VALUES (?, ?, 1, 'open', ?, ?, ?)",
  )
  let sequence = sales.nextSequence()

  return {
    db,
    transact,
    journal,
    seal,
    cash,
    sales,
    issuances,
    redemptions,
    meter,
    openSale() {
      const id = `${profile.program.locationCode}LOAD${String(sequence).padStart(8, '0')}`
      insertSale.run(id, sequence, id, ALEX.id, clock.now())
      sequence += 1
      return id
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
    close() {
      issuances.stop()
      redemptions.stop()
      mark.close()
      db.close()
    },
  }
}
