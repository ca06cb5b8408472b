import { CASH_RESPONSE_CODES, type CashResponseCode } from '../../contracts/central/cash.ts'
import { asCash, type Received } from './rehearsal.fixture.ts'

/** Code, status and words of an answer, for tests to compare with the row of the table (specification 3 §7.2). */
export const said = (received: Received): unknown[] => [
  asCash(received).responseCode,
  received.status,
  asCash(received).message,
]
export const row = (code: CashResponseCode): unknown[] => [
  code,
  CASH_RESPONSE_CODES[code].status,
  CASH_RESPONSE_CODES[code].message,
]
