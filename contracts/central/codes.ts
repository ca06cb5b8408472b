import type { CashResponseCode } from './cash.ts'
import type { IssuanceErrorCode } from './issuance.ts'

/** Every code by which the services explain an answer: specification 3 §7.1 (three digits) and §7.2 (four). */
export type ResponseCode = CashResponseCode | IssuanceErrorCode
