import { expect, onTestFinished, vi } from 'vitest'
import { CASH_PATHS } from '../../../contracts/central/cash.ts'
import { ISSUANCE_PATHS } from '../../../contracts/central/issuance.ts'
import { type Clock, systemRng } from '../../../backend/core/clock.ts'
import { issuancesOf } from '../../../backend/loyalty/calls/issue.ts'
import { reversalsOf } from '../../../backend/loyalty/calls/reverse.ts'
import { queueSummaryOf } from '../../../backend/loyalty/queue/queue-facts.ts'
import { type Sales, salesOf } from '../../../backend/sales/sales.ts'
import { laneContext, provideCentral } from './lane-context.ts'
import { cardReadsOf, createCardReads, type CardReads } from '../../../backend/core/devices/reads.ts'
import { queueOf, type QueueService } from '../../../backend/loyalty/queue/queue.ts'
import type { AuditTrail } from '../../../backend/core/audit.ts'
import { stopComponents } from '../../../backend/core/lifecycle.ts'
import { testClock, testLog } from '../../../backend/core/http/testing.ts'
import type { Operation } from '../../../backend/core/outbox/operation.ts'
import type { Central } from './central.ts'
import { openLoyaltyHarness, openSale, trainingProfile, type LoyaltyHarness } from './loyalty-harness.ts'

export const FINE = '80000000011'
export const OTHER = '80000000145'
let sales = 0

export interface QueueHarness extends LoyaltyHarness {
  readonly clock: ReturnType<typeof testClock>
  readonly queue: QueueService
  readonly stop: () => Promise<void>
  readonly cardReads: CardReads
  readonly audit: AuditTrail
  readonly announced: readonly string[]
}

export interface QueueHarnessOptions {
  readonly folder?: string
  readonly waiting?: Pick<Clock, 'after'>
  readonly fraction?: () => number
}

export async function openQueueHarness(
  central: Central,
  { folder, waiting, fraction = () => 0 }: QueueHarnessOptions = {},
): Promise<QueueHarness> {
  const clock = testClock(new Date().toISOString())
  // There is no pause between tries, so that escalation is immediate.
  const random = vi.spyOn(Math, 'random').mockReturnValue(0)
  onTestFinished(() => {
    random.mockRestore()
  })
  const harness = await openLoyaltyHarness({
    central,
    clock,
    limits: { cashTimeoutMs: 1_000 },
    ...(folder === undefined ? {} : { folder }),
  })
  const profile = trainingProfile()
  const [lane] = profile.lanes
  if (!lane) throw new Error('the training profile has a lane')
  const cardReads = createCardReads(clock, 60_000)
  const announced: string[] = []
  const ctx = laneContext({
    ...harness,
    clock: { ...clock, after: (waiting ?? clock).after },
    rng: { ...systemRng, fraction },
    log: testLog().log,
    profile,
    lane,
    staffName: (id) => id.toUpperCase(),
  })
  issuancesOf.provide(ctx, harness.issuances)
  reversalsOf.provide(ctx, harness.reversals)
  cardReadsOf.provide(ctx, cardReads)
  const send = () => Promise.reject(new Error('the queue builds requests and sends no request'))
  provideCentral(ctx, { transport: { send } })
  queueSummaryOf.provide(ctx, {
    summary: () => ({ ...harness.journal.counts(), central: 'online' }),
    announce: () => undefined,
  })
  salesOf.provide(ctx, {
    exists: () => true,
    publish(saleId: string) {
      announced.push(saleId)
    },
  } as unknown as Sales)
  harness.reversals.events.on('redemption.credited', () => {
    throw new Error('no sale of these was paid with miles')
  })
  const queue = queueOf(ctx)
  const stop = () => stopComponents(ctx)
  onTestFinished(stop)
  return { ...harness, clock, queue, stop, cardReads, audit: ctx.audit, announced }
}

export const newSale = (here: Pick<QueueHarness, 'db'>): string =>
  openSale(here.db, `QUEUE${Date.now()}${(sales += 1)}`)

export async function issue(
  here: QueueHarness,
  collector: string,
  change: Parameters<LoyaltyHarness['issue']>[2] = {},
): Promise<Operation> {
  const { id } = here.issue(newSale(here), collector, change)
  return here.until(id, 'confirmed', 'accepted', 'rejected', 'dead', 'escalated')
}

export async function escalatedIssue(here: QueueHarness, central: Central, collector = OTHER): Promise<Operation> {
  await central.faults({ path: ISSUANCE_PATHS.issue, times: 3, action: { kind: 'answer', status: 500, body: {} } })
  const escalated = await issue(here, collector)
  expect(escalated.state).toBe('escalated')
  return escalated
}

/** Creates a redemption whose reversal is escalated, because the loyalty service rejects its confirmation number. */
export async function escalatedReversal(here: QueueHarness, central: Central): Promise<Operation> {
  const redeemed = await here.redemptions.redeem(here.redemption(newSale(here), OTHER, 1))
  await central.faults({
    path: CASH_PATHS.reverse,
    times: 1,
    action: {
      kind: 'answer',
      status: 400,
      body: { responseCode: '0057', message: 'Invalid redemption confirmation number' },
    },
  })
  here.transact((tx) => here.reversals.request(tx, redeemed))
  return here.until(redeemed.id, 'reversal-escalated', 'reversed')
}

export const audited = (here: Pick<QueueHarness, 'audit'>, most = 20): string[] =>
  here.audit.latest(most).map(({ kind, actorId, subject }) => `${kind} ${actorId} ${subject}`)
