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

/** What was taken away from lanes that were replaced, and what of that the store holds again. */
const STRANDED = [
  `UPDATE voucher_at_lane AS here SET cents = here.cents - stranded.cents
    FROM (SELECT store, lane, hash, sum(amount_cents)::integer AS cents FROM voucher_ledger
      WHERE stranded_at IS NOT NULL GROUP BY store, lane, hash) AS stranded
    WHERE here.store = stranded.store AND here.lane = stranded.lane AND here.hash = stranded.hash`,
  `UPDATE voucher_account AS account SET held_cents = held_cents + released.cents
    FROM (SELECT store, hash, sum(amount_cents)::integer AS cents FROM voucher_ledger
      WHERE stranded_at IS NOT NULL AND state = 'released' GROUP BY store, hash) AS released
    WHERE account.store = released.store AND account.hash = released.hash`,
] as const

/**
 * Empties the accounts, to be kept anew by what lanes have told. A draw is granted until it is told; an account that is
 * opened again begins without what was granted of it.
 */
export async function emptyVouchers(tx: Querying): Promise<() => Promise<void>> {
  for (const statement of FORGET) await tx.query(statement)
  return async () => {
    for (const statement of STRANDED) await tx.query(statement)
  }
}
