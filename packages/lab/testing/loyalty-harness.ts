import { collectorMutexOf } from '../../../backend/store/collector-lock.ts'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { IssueRequest } from '../../../contracts/central/issuance.ts'
import type { CollectorNumber, EntryMode } from '../../../contracts/core/ids.ts'
import { cents } from '../../../contracts/core/money.ts'
import type { Profile } from '../../../contracts/core/profile.ts'
import { cashClientOf } from '../../../backend/loyalty/services/cash.ts'
import { issuanceClientOf } from '../../../backend/loyalty/services/issuance.ts'
import { clientCredentials, createTokenSource } from '../../../backend/core/central/token.ts'
import { createCentralStatus } from '../../../backend/core/central/central-status.ts'
import {
  createHttpExchange,
  createTransport,
  type Answer,
  type CentralService,
  type Exchange,
} from '../../../backend/core/central/transport.ts'
import { systemRng, type Clock } from '../../../backend/core/clock.ts'
import type { Database } from '../../../backend/core/db/database.ts'
import type { FailStop, Transact } from '../../../backend/core/db/transact.ts'
import { openMigrated, temporaryFolder, testLog } from '../../../backend/core/http/testing.ts'
import { adopt } from '../../../backend/core/integrity/state.ts'
import { followChanges } from '../../../backend/core/integrity/evidence.ts'
import { issuancesOf, type Issuances } from '../../../backend/loyalty/calls/issue.ts'
import {
  type NewRedemption,
  recordRedemption,
  redemptionsOf,
  sendRedemption,
  type Redemptions,
} from '../../../backend/loyalty/calls/redeem.ts'
import { reversalsOf, type Reversals } from '../../../backend/loyalty/calls/reverse.ts'
import { createOutbox, type Outbox } from '../../../backend/core/outbox/outbox.ts'
import { createSeal, type Seal } from '../../../backend/core/integrity/seal.ts'
import type { Journal } from '../../../backend/core/outbox/journal.ts'
import type { Operation } from '../../../backend/core/outbox/operation.ts'
import { loadProfile } from '../../../backend/core/profile/profile.ts'
import { type SaleRow, createSalesRepository, saleRowsOf } from '../../../backend/sales/sale/sales.sql.ts'
import type { Ctx } from '../../../backend/core/context.ts'
import { stopComponents } from '../../../backend/core/lifecycle.ts'
import { laneContext, provideCentral } from './lane-context.ts'
import type { Central } from './central.ts'

const PROFILE = join(import.meta.dirname, '../../../stores/training.yaml')
export const MASTER_KEY = Buffer.alloc(32, 7)

/** The training profile is cached, because a test file loads it many times. */
let training: Profile | undefined

function readTraining(): Profile {
  const loaded = loadProfile(PROFILE)
  if ('errors' in loaded) throw new Error(JSON.stringify(loaded.errors))
  return loaded.profile
}

export function trainingProfile(limits: Partial<Profile['limits']> = {}): Profile {
  training ??= readTraining()
  const profile = structuredClone(training)
  return {
    ...profile,
    issuance: { ...profile.issuance, parallelError: { status: 409 } },
    limits: { ...profile.limits, ...limits },
  }
}

/**
 * Opens a database file of the newest schema with the cashier `alex`, sealed with `MASTER_KEY`. It is closed when the
 * test ends. With `followed: false`, changed rows do not update the digests that detect foreign changes: for tests that
 * change rows without the terminal’s code.
 */
export async function openTestDatabase(
  folder: string,
  { followed = true }: { followed?: boolean } = {},
): Promise<Database> {
  const file = join(folder, 'terminal.db')
  const isNew = !existsSync(file)
  const db = openMigrated(file)
  const seal = createSeal(MASTER_KEY)
  if (isNew) {
    db.prepare("INSERT INTO staff (id, name, role, locale) VALUES ('alex', 'Alex', 'cashier', 'en-CA')").run()
    adopt(db, seal)
  }
  if (followed) followChanges(db, seal)
  onTestFinished(() => {
    db.close()
  })
  return db
}

/** Inserts an open sale on a new lane, because a lane has at most one open sale. */
export function openSale(db: Database, id: string): string {
  db.prepare(`INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at)
    VALUES (?, (SELECT coalesce(max(sequence), 0) + 1 FROM sale), 1, 'open', ?, 'alex', 1)`).run(id, id)
  return id
}

export const refusal = (): Error => new Error('storage-failed')

/** The durable layer of a terminal (database, journal, seals), without a connection to the loyalty service. */
export interface JournalHarness {
  readonly folder: string
  readonly db: Database
  readonly transact: Transact
  readonly failStop: FailStop
  readonly seal: Seal
  readonly journal: Journal
  readonly chain: Outbox['chain']
  readonly collectorMutex: Outbox['collectorMutex']
  readonly clock: Clock
  readonly outbox: Outbox
}

export async function openJournalHarness(
  options: Pick<LoyaltyHarnessOptions, 'folder' | 'clock' | 'masterKey'> & { followed?: boolean },
): Promise<JournalHarness> {
  const folder = options.folder ?? temporaryFolder()
  const db = await openTestDatabase(folder, { followed: options.followed ?? true })
  const seal = createSeal(options.masterKey ?? MASTER_KEY)
  const { clock } = options
  const { log } = testLog()
  const outbox = createOutbox({ db, seal, clock, rng: systemRng, log, onStop: () => undefined, refusal })
  return {
    folder,
    db,
    ...outbox,
    outbox,
    seal,
    clock,
  }
}

export interface LoyaltyHarnessOptions {
  readonly central: Central
  readonly clock: Clock
  readonly folder?: string
  readonly cashUrl?: string
  readonly issuanceUrl?: string
  readonly limits?: Partial<Profile['limits']>
  readonly around?: (exchange: Exchange) => Exchange
  readonly masterKey?: Uint8Array
  readonly saleIsOpen?: (saleId: string) => boolean
  readonly onApproved?: (operation: Operation) => void
  readonly notify?: (operation: Operation) => void
}

/** A redemption to record and send; `check` represents the checks of the sale and throws to refuse. */
export interface RedemptionPlan extends Omit<NewRedemption, 'request'> {
  readonly check: () => void
  readonly request: () => NewRedemption['request']
}

export interface Redeeming extends Redemptions {
  readonly redeem: (plan: RedemptionPlan) => Promise<Operation>
}

/**
 * Creates redemptions without a checkout: they are recorded and sent under the collector’s lock, as the checkout does.
 */
export const redeemingOf = (ctx: Ctx): Redeeming => ({
  ...redemptionsOf(ctx),
  redeem: ({ check, request, ...plan }) =>
    collectorMutexOf(ctx).run(Buffer.from(plan.collectorHash).toString('hex'), 'live', () => {
      const operation = ctx.transact((tx) => {
        check()
        return recordRedemption(ctx, tx, { ...plan, request: request() })
      })
      return sendRedemption(ctx, operation)
    }),
})

export interface LoyaltyHarness extends JournalHarness {
  readonly ctx: Ctx
  readonly redemptions: Redeeming
  readonly reversals: Reversals
  readonly issuances: Issuances
  /** Every committed transition of operations so far, such as `redemption approved`. */
  readonly moves: readonly string[]
  until(id: string, ...states: Operation['state'][]): Promise<Operation>
  untilTrue(id: string, holds: (operation: Operation) => boolean): Promise<Operation>
  /** For each call, whether it got a response from the loyalty service; oldest first. */
  readonly received: readonly boolean[]
  redemption(saleId: string, collectorNumber: string, units: number, entryMode?: EntryMode): RedemptionPlan
  issue(saleId: string, collectorNumber: string, change?: Partial<IssueRequest>): Operation
  close(): void
}

export async function openLoyaltyHarness(options: LoyaltyHarnessOptions): Promise<LoyaltyHarness> {
  const { central, clock } = options
  const profile = trainingProfile(options.limits)
  const lane = profile.lanes[0]
  if (!lane) throw new Error('the training profile has a lane')
  const journalHarness = await openJournalHarness(options)
  const { db, transact, journal, seal } = journalHarness
  const { log } = testLog()
  const tokens = createTokenSource({
    grant: clientCredentials({
      tokenUrl: central.tokenUrl,
      clientId: central.clientId,
      clientSecret: central.clientSecret,
      timeoutMs: 5_000,
    }),
    clock,
    log,
  })
  const exchange = createHttpExchange({
    cash: options.cashUrl ?? central.url,
    issuance: options.issuanceUrl ?? central.url,
    offers: central.url,
  })
  const transport = createTransport({
    exchange: options.around?.(exchange) ?? exchange,
    tokens,
    log,
  })
  const moves: string[] = []
  const received: boolean[] = []
  let watchers: (() => void)[] = []
  const onMoved = (operation: Operation): void => {
    transact.afterCommit(() => {
      moves.push(`${operation.kind} ${operation.state}`)
      const woken = watchers
      watchers = []
      for (const wake of woken) wake()
      options.notify?.(operation)
    })
  }
  journal.events.on('operation.opened', (_tx, operation) => {
    if (operation.kind === 'redemption') onMoved(operation)
  })
  journal.events.on('operation.moved', (_tx, operation) => {
    onMoved(operation)
  })
  const { outbox } = journalHarness
  const ctx = laneContext({ db, outbox, seal, clock, rng: systemRng, log, profile, lane })
  const onResponse = (_service: CentralService, answer: Answer): void => {
    received.push(answer.kind === 'answer')
  }
  provideCentral(ctx, { transport, central: { ...createCentralStatus(), onResponse } })
  saleRowsOf.provide(ctx, {
    ...createSalesRepository(db),
    byId: (id) => ({ state: (options.saleIsOpen?.(id) ?? true) ? 'open' : 'completed' }) as SaleRow,
    // Stub: every redemption counts as having paid its sale.
    paidBy: () => 1,
  })
  const issuances = issuancesOf(ctx)
  const reversals = reversalsOf(ctx)
  const redemptions = redeemingOf(ctx)
  redemptions.events.on('redemption.approved', (_tx, operation) => {
    options.onApproved?.(operation)
  })
  const close = (): void => {
    void stopComponents(ctx)
    db.close()
  }
  onTestFinished(close)

  async function untilTrue(id: string, holds: (operation: Operation) => boolean): Promise<Operation> {
    for (;;) {
      const now = journal.get(id)
      if (now && holds(now)) {
        // The journal notifies inside the transition: let the transition finish before the test continues.
        await new Promise(setImmediate)
        return now
      }
      await new Promise<void>((wake) => {
        watchers.push(wake)
      })
    }
  }

  return {
    ...journalHarness,
    ctx,
    redemptions,
    reversals,
    issuances,
    moves,
    received,
    close,
    until: (id, ...states) => untilTrue(id, ({ state }) => states.includes(state)),
    untilTrue,
    redemption: (saleId, collectorNumber, units, entryMode = 'SWIPE') => ({
      saleId,
      units,
      amountCents: units * 1000,
      miles: units * 95,
      collectorHash: seal.keyedHash(collectorNumber),
      check: () => undefined,
      request: () =>
        cashClientOf(ctx).redeemRequest(
          { collectorNumber: collectorNumber as CollectorNumber, entryMode },
          cents(10_000),
          cents(units * 1000),
          clock.now(),
          'en-CA',
        ),
    }),
    issue: (saleId, collectorNumber, change = {}) =>
      transact((tx) =>
        issuances.enqueue(tx, {
          type: 'issue',
          saleId,
          collectorHash: seal.keyedHash(collectorNumber),
          expectedMiles: null,
          traceId: saleId,
          dateTime: new Date(clock.now()).toISOString(),
          request: {
            ...issuanceClientOf(ctx).issueRequest({
              saleId,
              collectorNumber: collectorNumber as CollectorNumber,
              atMs: clock.now(),
              locale: 'en-CA',
              tenders: ['cash'],
              totals: { subtotalCents: cents(1000), taxes: [], totalCents: cents(1000) },
              lines: [
                {
                  number: 1,
                  sku: 'MILK',
                  name: { 'en-CA': 'Milk', 'fr-CA': 'Lait' },
                  quantity: 1,
                  unitPriceCents: cents(1000),
                  amountCents: cents(1000),
                  voided: false,
                  departmentId: 'D1',
                  categoryId: null,
                },
              ],
            }),
            ...change,
          },
        }),
      ),
  }
}
