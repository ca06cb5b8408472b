import type { Check } from './check.ts'
import { cashInquireChecks } from './checks/cash-inquire.ts'
import { cashRedeemChecks } from './checks/cash-redeem.ts'

/** Every check, in the order of the specifications' most used parts: a tester reads the first failures first. */
export const CHECKS: readonly Check[] = [...cashInquireChecks, ...cashRedeemChecks]
