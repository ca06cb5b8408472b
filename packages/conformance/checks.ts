import type { Check } from './check.ts'
import { cashDayChecks } from './checks/cash-day.ts'
import { cashInquireChecks } from './checks/cash-inquire.ts'
import { cashRedeemChecks } from './checks/cash-redeem.ts'
import { headerChecks } from './checks/headers.ts'
import { historyRecordChecks } from './checks/history-records.ts'
import { historyChecks } from './checks/history.ts'
import { idempotencyChecks } from './checks/idempotency.ts'
import { badInputChecks, identityChecks } from './checks/identity.ts'
import { issuanceMilesChecks } from './checks/issuance-miles.ts'
import { issuanceShapeChecks } from './checks/issuance-shape.ts'
import { offerStateFindChecks } from './checks/offer-state-find.ts'
import { offerStateChecks } from './checks/offer-state.ts'
import { offersListChecks } from './checks/offers-list.ts'
import { offersOneChecks } from './checks/offers-one.ts'
import { offersOrderChecks } from './checks/offers-order.ts'

export const CHECKS: readonly Check[] = [
  ...identityChecks,
  ...cashInquireChecks,
  ...cashRedeemChecks,
  ...cashDayChecks,
  ...issuanceShapeChecks,
  ...issuanceMilesChecks,
  ...idempotencyChecks,
  ...offersListChecks,
  ...offersOneChecks,
  ...offersOrderChecks,
  ...offerStateChecks,
  ...offerStateFindChecks,
  ...historyChecks,
  ...historyRecordChecks,
  ...headerChecks,
  ...badInputChecks,
]
