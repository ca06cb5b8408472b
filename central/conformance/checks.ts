import type { Check } from './check.ts'
import { cashInquireChecks } from './checks/cash-inquire.ts'
import { cashRedeemChecks } from './checks/cash-redeem.ts'
import { idempotencyChecks } from './checks/idempotency.ts'
import { issuanceMilesChecks } from './checks/issuance-miles.ts'
import { issuanceShapeChecks } from './checks/issuance-shape.ts'

/** Every check, the calls that move miles first. */
export const CHECKS: readonly Check[] = [...cashInquireChecks, ...cashRedeemChecks, ...issuanceShapeChecks, ...issuanceMilesChecks, ...idempotencyChecks]
