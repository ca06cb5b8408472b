import type { Querying } from '../db/postgres.ts'

/** What lanes told of it is forgotten; what the store granted, refused, cancelled and released it did. */
const FORGET = [
  "UPDATE voucher_ledger SET state = 'granted' WHERE state = 'taken'",
  "DELETE FROM voucher_ledger WHERE direction = 'in'",
  'DELETE FROM voucher_at_lane',
  'DELETE FROM voucher_issue',
  'DELETE FROM voucher_counted',
  'DELETE FROM voucher_account',
] as const

/**
 * Empties the accounts, to be kept anew by what lanes have told. A draw is granted until it is told; an account that is
 * opened again begins without what was granted of it.
 */
export async function emptyVouchers(tx: Querying): Promise<null> {
  for (const statement of FORGET) await tx.query(statement)
  return null
}
