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
const GRANTED = `SELECT store, hash, sum(amount_cents)::integer AS cents FROM voucher_ledger WHERE state = 'granted'
  GROUP BY store, hash`
const TAKE_OFF = `UPDATE voucher_account AS account SET held_cents = held_cents - granted.cents
  FROM jsonb_to_recordset($1::jsonb) AS granted (store text, hash text, cents integer)
  WHERE account.store = granted.store AND account.hash = granted.hash`

/**
 * Empties the accounts, to be kept anew by what lanes have told. A draw is granted until it is told; each that was
 * granted has been taken off what is held, whichever came of it.
 */
export async function emptyVouchers(tx: Querying): Promise<() => Promise<void>> {
  for (const statement of FORGET) await tx.query(statement)
  const { rows } = await tx.query(GRANTED)
  return async () => {
    await tx.query(TAKE_OFF, [JSON.stringify(rows)])
  }
}
