import { VoucherEntryFact, VoucherTransferFact, VoucherUseFact } from '../../contracts/store/facts.ts'
import type { Fact } from '../../contracts/store/protocol.ts'
import type { Querying } from '../db/postgres.ts'
import type { FactsOf, Projection } from '../lanes/projection.ts'
import { emptyVouchers } from './anew.ts'

type Told = VoucherEntryFact | VoucherUseFact | VoucherTransferFact

const READS = {
  'voucher-entry': VoucherEntryFact,
  'voucher-use': VoucherUseFact,
  'voucher-transfer': VoucherTransferFact,
} as const
type Kind = keyof typeof READS
const isKind = (kind: string): kind is Kind => Object.hasOwn(READS, kind)

const OPEN = `INSERT INTO voucher_account (store, hash, kind, last4, issued_by, issued_at, sealed, about)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (store, hash) DO NOTHING`
const LOCK = 'SELECT 1 FROM voucher_account WHERE store = $1 AND hash = ANY ($2) ORDER BY hash FOR UPDATE'
const COUNT = `INSERT INTO voucher_counted (store, lane, kind, subject, at) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT DO NOTHING`
const AT_LANE = `INSERT INTO voucher_at_lane (store, hash, lane, cents) VALUES ($1, $2, $3, $4)
  ON CONFLICT (store, hash, lane) DO UPDATE SET cents = voucher_at_lane.cents + excluded.cents`
const TOLD = `UPDATE voucher_account SET issued_cents = issued_cents + $3, redeemed_cents = redeemed_cents + $4,
  given_back_cents = given_back_cents + $5 WHERE store = $1 AND hash = $2`
const ISSUED = `INSERT INTO voucher_issue (store, hash, lane, amount_cents, at, subject)
  VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`
/** One that was sold twice has both amounts: each was paid for. */
const ONCE_MORE = 'UPDATE voucher_account SET issues = issues + 1 WHERE store = $1 AND hash = $2'
const SOLD = 'DELETE FROM voucher_activation WHERE store = $1 AND hash = $2'
const HANDED_OVER = `INSERT INTO voucher_ledger (store, id, hash, lane, direction, state, amount_cents, at)
  VALUES ($1, $2, $3, $4, 'in', 'handed-over', $5, coalesce($6::timestamptz, now()))`
const HOLD = 'UPDATE voucher_account SET held_cents = held_cents + $3 WHERE store = $1 AND hash = $2'
const TAKEN = `UPDATE voucher_ledger SET state = 'taken' WHERE store = $1 AND id = $2 AND hash = $3 AND lane = $4
  AND amount_cents = $5 AND state IN ('granted', 'released')
  RETURNING (SELECT state FROM voucher_ledger AS was WHERE was.store = $1 AND was.id = $2) AS was`
/** Of a draw that a database has granted which is lost: the lane has committed it, so it is gone from here. */
const TAKEN_BEFORE = `INSERT INTO voucher_ledger (store, id, hash, lane, direction, state, amount_cents, at)
  VALUES ($1, $2, $3, $4, 'out', 'taken', $5, coalesce($6::timestamptz, now())) ON CONFLICT (store, id) DO NOTHING`

/** Keeps the accounts of the vouchers by what the lanes tell of them. */
export const VOUCHERS: Projection = {
  kinds: Object.keys(READS),
  anew: emptyVouchers,
  async apply(tx, facts, of) {
    const read = facts.flatMap((fact) => (isUnreadable(fact) ? [] : [{ fact, told: read1(fact) }]))
    const accounts = new Map(read.map((one) => [one.told.codeHash, one]))
    const hashes = [...accounts.keys()].toSorted()
    for (const hash of hashes) await open(tx, accounts.get(hash), of)
    // In one order, whichever lanes tell of the same vouchers at once.
    await tx.query(LOCK, [of.store, hashes])
    for (const { fact, told } of read) if (await isNew(tx, fact, of)) await move(tx, fact, told, of)
  },
}

const isUnreadable = ({ body }: Fact): boolean => typeof body['unreadable'] === 'string'

function read1({ kind, body }: Fact): Told {
  if (!isKind(kind)) throw new Error(`${kind} is no fact of a voucher`)
  return READS[kind].parse(body)
}

async function isNew(tx: Querying, { kind, subject, at }: Fact, { store, lane }: FactsOf): Promise<boolean> {
  return (await tx.query(COUNT, [store, lane, kind, subject, at])).count === 1
}

async function open(tx: Querying, one: { fact: Fact; told: Told } | undefined, { store, lane }: FactsOf) {
  if (one === undefined) return
  const { fact, told } = one
  if (fact.sealed === null) throw new Error('a voucher is told with its code, sealed')
  const about = `${fact.kind} ${fact.subject}`
  const account = [store, told.codeHash, told.voucherKind, told.last4, lane, told.at, fact.sealed, about]
  await tx.query(OPEN, account)
}

async function move(tx: Querying, fact: Fact, told: Told, of: FactsOf): Promise<void> {
  if ('direction' in told) return await transfer(tx, told, of)
  await pay(tx, told, of)
  if (told.kind === 'issued') await issue(tx, fact, told, of)
}

async function issue(tx: Querying, fact: Fact, told: VoucherEntryFact | VoucherUseFact, { store, lane }: FactsOf) {
  const { codeHash, amountCents } = told
  await tx.query(ISSUED, [store, codeHash, lane, amountCents, fact.at, fact.subject])
  await tx.query(ONCE_MORE, [store, codeHash])
  await tx.query(SOLD, [store, codeHash])
}

/** Issued, paid with, given back: what the lane has of it is another, and so is what it is worth. */
async function pay(tx: Querying, told: VoucherEntryFact | VoucherUseFact, { store, lane }: FactsOf): Promise<void> {
  const { codeHash, kind, amountCents } = told
  if (!['issued', 'redeemed', 'given-back'].includes(kind)) throw new Error(`nobody knows what ${kind} does`)
  const of = (what: string): number => (kind === what ? amountCents : 0)
  await tx.query(TOLD, [store, codeHash, of('issued'), of('redeemed'), of('given-back')])
  await tx.query(AT_LANE, [store, codeHash, lane, kind === 'redeemed' ? -amountCents : amountCents])
}

async function transfer(tx: Querying, told: VoucherTransferFact, { store, lane, toldAt }: FactsOf): Promise<void> {
  const { id, codeHash, direction, amountCents } = told
  const one = [store, id, codeHash, lane, amountCents]
  if (direction === 'handed-over') {
    await tx.query(HANDED_OVER, [...one, toldAt])
    await tx.query(AT_LANE, [store, codeHash, lane, -amountCents])
    await tx.query(HOLD, [store, codeHash, amountCents])
    return
  }
  if (!(await take(tx, one, toldAt))) await tx.query(HOLD, [store, codeHash, -amountCents])
  await tx.query(AT_LANE, [store, codeHash, lane, amountCents])
}

/** Whether it was granted here, and so is not held any more. Throws for an id of something else. */
async function take(tx: Querying, one: readonly unknown[], toldAt: string | undefined): Promise<boolean> {
  const { rows } = await tx.query<{ was: string }>(TAKEN, one)
  const [taken] = rows
  if (taken !== undefined) return taken.was === 'granted'
  if ((await tx.query(TAKEN_BEFORE, [...one, toldAt])).count === 0)
    throw new Error('the lane took what was not granted to it')
  return false
}
