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
  SELECT $1, hash, kind, last4, $2, issued_at, sealed, about FROM jsonb_to_recordset($3::jsonb)
    AS told (hash text, kind text, last4 text, issued_at bigint, sealed text, about text)
  ORDER BY hash ON CONFLICT (store, hash) DO NOTHING`
const LOCK = 'SELECT 1 FROM voucher_account WHERE store = $1 AND hash = ANY ($2) ORDER BY hash FOR UPDATE'
const COUNT = `INSERT INTO voucher_counted (store, lane, kind, subject, at)
  SELECT $1, $2, kind, subject, at FROM jsonb_to_recordset($3::jsonb) AS told (kind text, subject text, at bigint)
  ON CONFLICT DO NOTHING RETURNING kind, subject, at::text`
/** One that was sold twice has both amounts: each was paid for. */
const ADD = `UPDATE voucher_account AS account SET issues = account.issues + told.issues,
    issued_cents = issued_cents + issued, redeemed_cents = redeemed_cents + redeemed,
    given_back_cents = given_back_cents + given_back, held_cents = held_cents + held
  FROM jsonb_to_recordset($2::jsonb) AS told (hash text, issues integer, issued integer, redeemed integer,
    given_back integer, held integer)
  WHERE account.store = $1 AND account.hash = told.hash`
const AT_LANE = `INSERT INTO voucher_at_lane (store, hash, lane, cents)
  SELECT $1, hash, $2, here FROM jsonb_to_recordset($3::jsonb) AS told (hash text, here integer)
  ON CONFLICT (store, hash, lane) DO UPDATE SET cents = voucher_at_lane.cents + excluded.cents`
const ISSUED = `INSERT INTO voucher_issue (store, hash, lane, amount_cents, at, subject)
  SELECT $1, hash, $2, cents, at, subject FROM jsonb_to_recordset($3::jsonb)
    AS told (hash text, cents integer, at bigint, subject text)
  ON CONFLICT DO NOTHING`
const SOLD = 'DELETE FROM voucher_activation WHERE store = $1 AND hash = ANY ($2)'
const TRANSFERS = 'jsonb_to_recordset($3::jsonb) AS told (id uuid, hash text, cents integer)'
const HANDED_OVER = `INSERT INTO voucher_ledger (store, id, hash, lane, direction, state, amount_cents, at)
  SELECT $1, id, hash, $2, 'in', 'handed-over', cents, coalesce($4::timestamptz, now()) FROM ${TRANSFERS}`
const TAKEN = `UPDATE voucher_ledger AS ledger SET state = 'taken'
  FROM ${TRANSFERS} JOIN voucher_ledger AS was ON was.store = $1 AND was.id = told.id
  WHERE ledger.store = $1 AND ledger.id = told.id AND ledger.hash = told.hash AND ledger.lane = $2
    AND ledger.amount_cents = told.cents AND ledger.state IN ('granted', 'released')
  RETURNING ledger.id, was.state AS was`
/** Of a draw that a database has granted which is lost: the lane has committed it, so it is gone from here. */
const TAKEN_BEFORE = `INSERT INTO voucher_ledger (store, id, hash, lane, direction, state, amount_cents, at)
  SELECT $1, id, hash, $2, 'out', 'taken', cents, coalesce($4::timestamptz, now()) FROM ${TRANSFERS}
  ON CONFLICT (store, id) DO NOTHING`

interface Read<Of = Told> {
  readonly fact: Fact
  readonly told: Of
}
/** What the facts of one voucher come to. Cents, but for how often it was issued. */
interface Sums {
  readonly hash: string
  issues: number
  issued: number
  redeemed: number
  given_back: number
  held: number
  here: number
}

/**
 * Keeps the accounts of the vouchers by what the lanes tell of them: all facts of a push in one statement of each kind,
 * since the lane waits for it, and other lanes for its vouchers.
 */
export const VOUCHERS: Projection = {
  kinds: Object.keys(READS),
  anew: emptyVouchers,
  async apply(tx, facts, of) {
    const read = facts.flatMap((fact) => (isUnreadable(fact) ? [] : [{ fact, told: read1(fact) }]))
    // In one order, whichever lanes tell of the same vouchers at once.
    await tx.query(LOCK, [of.store, await open(tx, read, of)])
    const fresh = await newOf(tx, read, of)
    const transfers = fresh.flatMap(({ told }) => ('direction' in told ? [told] : []))
    await issue(tx, fresh, of)
    await handOver(tx, transfers, of)
    await add(tx, sumsOf(fresh, await take(tx, transfers, of)), of)
  },
}

const isUnreadable = ({ body }: Fact): boolean => typeof body['unreadable'] === 'string'

function read1({ kind, body }: Fact): Told {
  if (!isKind(kind)) throw new Error(`${kind} is no fact of a voucher`)
  return READS[kind].parse(body)
}

/** Answers the hashes of all vouchers that are told of. */
async function open(tx: Querying, read: readonly Read[], { store, lane }: FactsOf): Promise<string[]> {
  const accounts = new Map(read.map((one) => [one.told.codeHash, one]))
  await tx.query(OPEN, [store, lane, JSON.stringify([...accounts.values()].map(accountOf))])
  return [...accounts.keys()]
}

function accountOf({ fact: { kind, subject, sealed }, told }: Read) {
  if (sealed === null) throw new Error('a voucher is told with its code, sealed')
  const { codeHash: hash, voucherKind, last4, at } = told
  return { hash, kind: voucherKind, last4, issued_at: at, sealed, about: `${kind} ${subject}` }
}

/** Those that were not counted yet, each row of a lane once, in their order. */
async function newOf(tx: Querying, read: readonly Read[], { store, lane }: FactsOf): Promise<Read[]> {
  const keys = read.map(({ fact: { kind, subject, at } }) => ({ kind, subject, at }))
  const { rows } = await tx.query<{ kind: string; subject: string; at: string }>(COUNT, [
    store,
    lane,
    JSON.stringify(keys),
  ])
  const keyOf = (kind: string, subject: string, at: string): string => JSON.stringify([kind, subject, at])
  const counted = new Set(rows.map(({ kind, subject, at }) => keyOf(kind, subject, at)))
  return read.filter(({ fact: { kind, subject, at } }) => counted.delete(keyOf(kind, subject, String(at))))
}

async function issue(tx: Querying, fresh: readonly Read[], { store, lane }: FactsOf): Promise<void> {
  const issued = fresh.flatMap(({ fact: { at, subject }, told }) =>
    'direction' in told || told.kind !== 'issued'
      ? []
      : [{ hash: told.codeHash, cents: told.amountCents, at, subject }],
  )
  if (issued.length === 0) return
  await tx.query(ISSUED, [store, lane, JSON.stringify(issued)])
  await tx.query(SOLD, [store, issued.map(({ hash }) => hash)])
}

const rowsOf = (transfers: readonly VoucherTransferFact[]): string =>
  JSON.stringify(transfers.map(({ id, codeHash: hash, amountCents: cents }) => ({ id, hash, cents })))

async function handOver(tx: Querying, transfers: readonly VoucherTransferFact[], { store, lane, toldAt }: FactsOf) {
  const over = transfers.filter(({ direction }) => direction === 'handed-over')
  if (over.length > 0) await tx.query(HANDED_OVER, [store, lane, rowsOf(over), toldAt])
}

/** As the database writes it. */
const idOf = ({ id }: VoucherTransferFact): string => id.toLowerCase()

/**
 * Answers the draws that were not granted here, or released since: what they took was still held. Throws for an id of
 * something else.
 */
async function take(tx: Querying, transfers: readonly VoucherTransferFact[], { store, lane, toldAt }: FactsOf) {
  const draws = transfers.filter(({ direction }) => direction === 'drawn')
  if (draws.length === 0) return new Set<VoucherTransferFact>()
  const { rows } = await tx.query<{ id: string; was: string }>(TAKEN, [store, lane, rowsOf(draws)])
  const taken = new Map(rows.map(({ id, was }) => [id, was]))
  const wasHeld = new Set(draws.filter((draw) => taken.get(idOf(draw)) !== 'granted'))
  // An id is taken once.
  const before = draws.filter((draw) => !taken.delete(idOf(draw)))
  if (before.length > 0) {
    const { count } = await tx.query(TAKEN_BEFORE, [store, lane, rowsOf(before), toldAt])
    if (count < before.length) throw new Error('the lane took what was not granted to it')
  }
  return wasHeld
}

function sumsOf(fresh: readonly Read[], wasHeld: ReadonlySet<Told>): Sums[] {
  const all = new Map<string, Sums>()
  for (const { told } of fresh) {
    const { codeHash: hash } = told
    const sums = all.get(hash) ?? { hash, issues: 0, issued: 0, redeemed: 0, given_back: 0, held: 0, here: 0 }
    all.set(hash, sums)
    if ('direction' in told) move(sums, told, wasHeld.has(told))
    else pay(sums, told)
  }
  return [...all.values()]
}

function move(sums: Sums, { direction, amountCents }: VoucherTransferFact, wasHeld: boolean): void {
  if (direction === 'handed-over') sums.held += amountCents
  else if (wasHeld) sums.held -= amountCents
  sums.here += direction === 'drawn' ? amountCents : -amountCents
}

/** Issued, paid with, given back: what the lane has of it is another, and so is what it is worth. */
function pay(sums: Sums, { kind, amountCents }: VoucherEntryFact | VoucherUseFact): void {
  if (kind === 'issued') {
    sums.issued += amountCents
    sums.issues += 1
  } else if (kind === 'redeemed') sums.redeemed += amountCents
  else if (kind === 'given-back') sums.given_back += amountCents
  else throw new Error(`nobody knows what ${kind} does`)
  sums.here += kind === 'redeemed' ? -amountCents : amountCents
}

async function add(tx: Querying, sums: readonly Sums[], { store, lane }: FactsOf): Promise<void> {
  if (sums.length === 0) return
  const rows = JSON.stringify(sums)
  await tx.query(ADD, [store, rows])
  await tx.query(AT_LANE, [store, lane, rows])
}
