import { CASH_RESPONSE_CODES, type CashResponseCode } from '../../contracts/central/cash.ts'
import { asCash, type Heard } from './rehearsal.ts'

/** Code, status and words of an answer, for tests to compare with the row of the table (specification 3 §7.2). */
export const said = (heard: Heard): unknown[] => [asCash(heard).responseCode, heard.status, asCash(heard).message]
export const row = (code: CashResponseCode): unknown[] => [
  code,
  CASH_RESPONSE_CODES[code].status,
  CASH_RESPONSE_CODES[code].message,
]
