import type { CashResponseCode } from './cash.ts'
import type { IssuanceErrorCode } from './issuance.ts'

/** Every code by which the services explain an answer: specification 3 §7.1 (three digits) and §7.2 (four). */
export type ResponseCode = CashResponseCode | IssuanceErrorCode

/** Codes of the issuance service that come with 202: taken, and not done (specification 3 §7.1). */
export const NOTICE_CODES = [
  '202',
  '203',
  '204',
  '205',
  '207',
  '208',
  '225',
  '230',
  '000',
] as const satisfies readonly IssuanceErrorCode[]
export type NoticeCode = (typeof NOTICE_CODES)[number]
export const isNoticeCode = (code: string): code is NoticeCode => NOTICE_CODES.some((one) => one === code)
