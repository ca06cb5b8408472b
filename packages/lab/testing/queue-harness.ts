import { expect, onTestFinished, vi } from 'vitest'
import { CASH_PATHS } from '../../../contracts/central/cash.ts'
import { ISSUANCE_PATHS } from '../../../contracts/central/issuance.ts'
import { createIssuanceClient } from '../../../backend/loyalty/services/issuance.ts'
import type { Clock } from '../../../backend/core/clock.ts'
import { createCardReads, type CardReads } from '../../../backend/core/devices/reads.ts'
import { createCardSlips } from '../../../backend/loyalty/queue/queue-actions.ts'
import { createQueueRepository } from '../../../backend/loyalty/queue/queue.sql.ts'
import { createQueueService, type QueueService } from '../../../backend/loyalty/queue/queue.ts'
import { createAuditTrail, type AuditTrail } from '../../../backend/core/audit.ts'
import { testClock, testLog } from '../../../backend/core/http/testing.ts'
import type { Operation } from '../../../backend/core/outbox/operation.ts'
import type { Central } from './central.ts'
import { openLoyaltyHarness, openSale, trainingProfile, type LoyaltyHarness } from './loyalty-harness.ts'

export const FINE = '80000000011'
export const OTHER = '80000000145'
let sales = 0

/** A loyalty harness with the manager's queue on top of it. */
export interface QueueHarness extends LoyaltyHarness {
  readonly clock: ReturnType<typeof testClock>
  readonly queue: QueueService
  readonly cardReads: CardReads
  readonly audit: AuditTrail
  readonly announced: readonly string[]
}

export interface QueueHarnessOptions {
  /** Of an earlier harness: opening it again is what a restart does. */
  readonly folder?: string
  /** What the queue waits by between calls that one order sends again; the test's own where left out. */
  readonly waiting?: Pick<Clock, 'after'>
  readonly fraction?: () => number
}

export async function openQueueHarness(
  central: Central,
  { folder, waiting, fraction = () => 0 }: QueueHarnessOptions = {},
): Promise<QueueHarness> {
  const clock = testClock(new Date().toISOString())
  // No pause between tries: what is escalated is escalated at once.
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
  const audit = createAuditTrail({ db: harness.db, clock, seal: harness.seal })
  const announced: string[] = []
  const queue = createQueueService({
    ...harness,
    clock: { ...clock, after: (waiting ?? clock).after },
    repository: createQueueRepository(harness.db),
    slips: createCardSlips(harness.db),
    cardReads,
    audit,
    profile,
    issuance: createIssuanceClient({
      profile,
      lane,
      transport: { send: () => Promise.reject(new Error('the queue builds requests and sends none')) },
    }),
    staffName: (id) => id.toUpperCase(),
    epoch: 1,
    rng: { fraction },
    log: testLog().log,
    secretRefusedSince: () => null,
    news: { summary: () => ({ ...harness.journal.counts(), central: 'online' }), announce: () => undefined },
    sales: {
      exists: () => true,
      publish(saleId) {
        announced.push(saleId)
        return undefined as never
      },
    },
    credit: () => {
      throw new Error('no sale of these was paid with miles')
    },
  })
  onTestFinished(queue.stop)
  return { ...harness, clock, queue, cardReads, audit, announced }
}

export const newSale = (here: Pick<QueueHarness, 'db'>): string =>
  openSale(here.db, `QUEUE${Date.now()}${(sales += 1)}`)

/** A sale's ISSUE, to its end. */
export async function issue(
  here: QueueHarness,
  collector: string,
  change: Parameters<LoyaltyHarness['issue']>[2] = {},
): Promise<Operation> {
  const { id } = here.issue(newSale(here), collector, change)
  return here.until(id, 'confirmed', 'accepted', 'rejected', 'dead', 'escalated')
}

/** A sale's ISSUE that the machine gave up. */
export async function escalatedIssue(here: QueueHarness, central: Central, collector = OTHER): Promise<Operation> {
  await central.faults({ path: ISSUANCE_PATHS.issue, times: 3, action: { kind: 'answer', status: 500, body: {} } })
  const escalated = await issue(here, collector)
  expect(escalated.state).toBe('escalated')
  return escalated
}

/** A redemption whose reversal the machine gave up: the program no longer knew its confirmation number. */
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
  here.transact((tx) => here.reversals.order(tx, redeemed))
  return here.until(redeemed.id, 'reversal-escalated', 'reversed')
}

/** Kind, who and about what, the newest entry first. */
export const audited = (here: Pick<QueueHarness, 'audit'>, most = 20): string[] =>
  here.audit.latest(most).map(({ kind, actorId, subject }) => `${kind} ${actorId} ${subject}`)
