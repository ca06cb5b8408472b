import { expect } from 'vitest'
import { BusinessDay } from '../../../contracts/loyalty/reconciliation.ts'
import { CASH_PATHS } from '../../../contracts/central/cash.ts'
import { reconciliationOf, type Reconciliation } from '../../../backend/loyalty/reconciliation/reconciliation.ts'
import { testClock } from '../../../backend/core/http/testing.ts'
import type { Operation } from '../../../backend/core/outbox/operation.ts'
import type { Central } from './central.ts'
import { openLoyaltyHarness, openSale, type LoyaltyHarness } from './loyalty-harness.ts'
import { laneContext } from './lane-context.ts'

type TestClock = ReturnType<typeof testClock>
let sales = 0

export interface ReconciliationHarness extends LoyaltyHarness {
  readonly clock: TestClock
  readonly reconciliation: Reconciliation
  readonly audits: () => readonly string[]
}

/** Today at 17:00 UTC, about noon in Toronto, so that a test may move the clock both ways within the day. */
export const noon = (): string => `${new Date().toISOString().slice(0, 10)}T17:00:00Z`

/** Opens the harness; the `folder` of an earlier harness simulates a restart. */
export async function openReconciliation(
  central: Central,
  { folder, clock = testClock(noon()) }: { folder?: string; clock?: TestClock } = {},
): Promise<ReconciliationHarness> {
  const harness = await openLoyaltyHarness({
    central,
    clock,
    limits: { cashTimeoutMs: 1_000 },
    ...(folder === undefined ? {} : { folder }),
  })
  const ctx = laneContext({ ...harness.ctx, staffName: (id) => id.toUpperCase() })
  return {
    ...harness,
    clock,
    audits: () =>
      ctx.audit
        .latest(50)
        .map(({ kind, actorId, subject, detail }) => `${kind} ${actorId} ${subject} ${String(detail['copy'])}`),
    reconciliation: reconciliationOf(ctx),
  }
}

export const newReconciledSale = (here: Pick<ReconciliationHarness, 'db'>): string =>
  openSale(here.db, `RECON${Date.now()}${(sales += 1)}`)

/** Redeems one unit of miles. `lost` drops the first response, so that the approval arrives on the retry. */
export async function redeem(
  here: ReconciliationHarness,
  central: Central,
  collector: string,
  lost: boolean,
): Promise<Operation> {
  const seen = (await central.requests(CASH_PATHS.redeem)).length
  if (lost) await central.faults({ path: CASH_PATHS.redeem, occurrence: 1, action: { kind: 'drop-after' } })
  const done = await here.redemptions.redeem(here.redemption(newReconciledSale(here), collector, 1))
  expect((await central.requests(CASH_PATHS.redeem)).length - seen).toBe(lost ? 2 : 1)
  expect(done.state).toBe('approved')
  return done
}

export const dayOf = ({ clock }: Pick<ReconciliationHarness, 'clock'>): BusinessDay =>
  BusinessDay.parse(new Date(clock.now()).toISOString().slice(0, 10))
