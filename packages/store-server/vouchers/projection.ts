import { VoucherKind } from '../../../contracts/payments/vouchers.ts'
import { VoucherEntryFact, VoucherTransferFact, VoucherUseFact } from '../../../contracts/store/facts.ts'
import type { Fact } from '../../../contracts/store/protocol.ts'
import type { Querying } from '../db/postgres.ts'
import type { FactsOf, Projection, WaitingFact } from '../lanes/projection.ts'
import { emptyVouchers, readSources, sourceOf } from './sources.ts'
import type { ActivateCard, ActivatedCard } from '../../../contracts/store/vouchers.ts'
import type { Caller } from '../lanes/caller.ts'

type VoucherFact = VoucherEntryFact | VoucherUseFact | VoucherTransferFact

const READS = {
  'voucher-entry': VoucherEntryFact,
  'voucher-use': VoucherUseFact,
  'voucher-transfer': VoucherTransferFact,
} as const
type Kind = keyof typeof READS
const isKind = (kind: string): kind is Kind => Object.hasOwn(READS, kind)

/**
 * Opens the account of a voucher, with the negative sum of its granted draws: in a rebuild, the draws exist before the
 * fact that issued the value is read.
 */
const OPEN = `INSERT INTO voucher_account (store, hash, kind, last4, issued_by, issued_at, sealed, about, held_cents)
  SELECT $1, hash, kind, last4, $2, issued_at, sealed, about, -coalesce((SELECT sum(amount_cents)
      FROM voucher_ledger AS ledger
      WHERE ledger.store = $1 AND ledger.hash = sent.hash AND ledger.state = 'granted'), 0)
    FROM jsonb_to_recordset($3::jsonb)
      AS sent (hash text, kind text, last4 text, issued_at bigint, sealed text, about text)
  ORDER BY hash ON CONFLICT (store, hash) DO NOTHING`
const LOCK = 'SELECT 1 FROM voucher_account WHERE store = $1 AND hash = ANY ($2) ORDER BY hash FOR UPDATE'
const COUNT = `INSERT INTO voucher_counted (store, lane, kind, subject, at)
  SELECT $1, $2, kind, subject, at FROM jsonb_to_recordset($3::jsonb) AS sent (kind text, subject text, at bigint)
  ON CONFLICT DO NOTHING RETURNING kind, subject, at::text`
const BALANCES = `SELECT account.hash, held_cents AS held, coalesce(cents, 0) AS here, coalesce(paid_cents, 0) AS paid
  FROM voucher_account AS account
  LEFT JOIN voucher_at_lane AS at_lane
    ON at_lane.store = account.store AND at_lane.hash = account.hash AND at_lane.lane = $2
  WHERE account.store = $1 AND account.hash = ANY ($3)`
/** Adds the changes of one push to the accounts. A card that was sold twice has both amounts: both were paid for. */
const ADD = `UPDATE voucher_account AS account SET issues = account.issues + sent.issues,
    issued_cents = issued_cents + issued, redeemed_cents = redeemed_cents + redeemed,
    given_back_cents = given_back_cents + given_back, held_cents = held_cents + held
  FROM jsonb_to_recordset($2::jsonb) AS sent (hash text, issues integer, issued integer, redeemed integer,
    given_back integer, held integer)
  WHERE account.store = $1 AND account.hash = sent.hash`
const AT_LANE = `INSERT INTO voucher_at_lane (store, hash, lane, cents, paid_cents)
  SELECT $1, hash, $2, here, redeemed - given_back FROM jsonb_to_recordset($3::jsonb)
    AS sent (hash text, here integer, redeemed integer, given_back integer)
  ON CONFLICT (store, hash, lane) DO UPDATE SET cents = voucher_at_lane.cents + excluded.cents,
    paid_cents = voucher_at_lane.paid_cents + excluded.paid_cents`
const ISSUED = `INSERT INTO voucher_issue (store, hash, lane, amount_cents, at, subject, source)
  SELECT $1, hash, $2, cents, at, subject, source FROM jsonb_to_recordset($3::jsonb)
    AS sent (hash text, cents integer, at bigint, subject text, source text)`
const SOLD = 'DELETE FROM voucher_activation WHERE store = $1 AND hash = ANY ($2)'
const TRANSFERS = 'jsonb_to_recordset($3::jsonb) AS sent (id uuid, hash text, cents integer)'
const HANDED_OVER = `INSERT INTO voucher_ledger (store, id, hash, lane, direction, state, amount_cents, at)
  SELECT $1, id, hash, $2, 'in', 'handed-over', cents, coalesce($4::timestamptz, now()) FROM ${TRANSFERS}`
const TAKEN = `UPDATE voucher_ledger AS ledger SET state = 'taken'
  FROM ${TRANSFERS} JOIN voucher_ledger AS was ON was.store = $1 AND was.id = sent.id
  WHERE ledger.store = $1 AND ledger.id = sent.id AND ledger.hash = sent.hash AND ledger.lane = $2
    AND ledger.amount_cents = sent.cents AND ledger.state IN ('granted', 'released')
  RETURNING ledger.id, was.state AS was`
/**
 * Records a draw that a lost database granted: the lane committed it, so the store's balance is reduced too. Applies
 * only if the lane sent the fact within seven days before or after the creation or restore of this database, or while
 * the store waited for the lane; so not to draws that were quarantined long before.
 */
const TAKEN_BEFORE = `WITH sent_at AS (SELECT coalesce($4::timestamptz, now()) AS at)
  INSERT INTO voucher_ledger (store, id, hash, lane, direction, state, amount_cents, at)
  SELECT $1, id, hash, $2, 'out', 'taken', cents, sent_at.at FROM ${TRANSFERS}, sent_at
  WHERE EXISTS (SELECT 1 FROM database_identity
    WHERE sent_at.at BETWEEN since - interval '7 days' AND since + interval '7 days')
    OR EXISTS (SELECT 1 FROM stream_awaited AS awaited WHERE awaited.store = $1 AND awaited.stream = $5
      AND sent_at.at BETWEEN since AND coalesce(ended_at, 'infinity'))
  ON CONFLICT (store, id) DO NOTHING`
/**
 * Finds up to 200 quarantined facts of these vouchers; during a rebuild, only those that the rebuild has already read.
 */
const WAITING = `SELECT stream.store, stream.lane, fact.stream, fact.seq, kind, subject, fact.at, body, sealed,
    received_at::text AS "receivedAt"
  FROM fact_all AS fact JOIN fact_aside AS quarantined USING (stream, seq) JOIN stream ON stream.name = fact.stream
  WHERE kind IN ('voucher-entry', 'voucher-use', 'voucher-transfer') AND body ->> 'codeHash' = ANY ($2)
    AND stream.store = $1 AND settled_at IS NULL AND received_at <= coalesce($3::timestamptz, 'infinity')
  ORDER BY received_at, stream, seq LIMIT 200`

interface Read<Of = VoucherFact> {
  readonly fact: Fact
  readonly content: Of
}
/** Changes of one voucher's amounts by facts, in cents; `issues` is the number of times that value was issued. */
interface Moved {
  readonly issues: number
  readonly issued: number
  readonly redeemed: number
  readonly given_back: number
  readonly held: number
  readonly here: number
}
interface Sums extends Moved {
  readonly hash: string
}

/**
 * Derives the voucher accounts from facts. Uses one statement per kind for all facts of a push: its lane waits for the
 * push, and other lanes wait for its vouchers.
 */
export const VOUCHERS: Projection = {
  kinds: Object.keys(READS),
  beforeRebuild: emptyVouchers,
  async apply(tx, facts, of) {
    const read = facts.map((fact) => ({ fact, content: read1(fact) }))
    // Accounts are locked always in the same order, so that concurrent pushes do not deadlock.
    await tx.query(LOCK, [of.store, await open(tx, read, of)])
    const fresh = await newOf(tx, read, of)
    const transfers = fresh.flatMap(({ content }) => ('direction' in content ? [content] : []))
    const granted = await take(tx, transfers, of)
    await requireCovered(tx, fresh, granted, of)
    await issue(tx, fresh, of)
    await transferToStore(tx, transfers, of)
    await add(tx, sumsOf(fresh, granted), of)
  },
  async waiting(tx, facts, of) {
    const hashes = new Set(facts.flatMap(({ body: { codeHash } }) => (typeof codeHash === 'string' ? [codeHash] : [])))
    // Lock these vouchers: a concurrent push of another lane may apply the facts that a quarantined fact waits for.
    await tx.query(LOCK, [of.store, [...hashes]])
    const { rows } = await tx.query<WaitingRow>(WAITING, [of.store, [...hashes], of.receivedAt])
    return rows.map(({ store, lane, stream, receivedAt, at, ...fact }): WaitingFact => ({
      fact: { ...fact, at: Number(at) },
      of: { store, lane, stream, receivedAt },
    }))
  },
}
interface WaitingRow extends Omit<Fact, 'at'>, FactsOf, Record<string, unknown> {
  readonly at: string
  readonly receivedAt: string
}

function read1({ kind, body }: Fact): VoucherFact {
  if (!isKind(kind)) throw new Error(`${kind} is not a voucher fact`)
  return READS[kind].parse(body)
}

async function open(tx: Querying, read: readonly Read[], { store, lane }: FactsOf): Promise<string[]> {
  const accounts = new Map(read.map((one) => [one.content.codeHash, one]))
  await tx.query(OPEN, [store, lane, JSON.stringify([...accounts.values()].map(accountOf))])
  return [...accounts.keys()]
}

function accountOf({ fact: { kind, subject, sealed }, content }: Read) {
  if (sealed === null) throw new Error('a voucher needs its sealed code')
  const { codeHash: hash, voucherKind, last4, at } = content
  return { hash, kind: VoucherKind.parse(voucherKind), last4, issued_at: at, sealed, about: `${kind} ${subject}` }
}

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
  const issued = fresh.flatMap(({ fact: { at, subject }, content }) =>
    isIssue(content)
      ? [{ hash: content.codeHash, cents: content.amountCents, at, subject, source: sourceOf(content) }]
      : [],
  )
  if (issued.length === 0) return
  await tx.query(ISSUED, [store, lane, JSON.stringify(issued)])
  await tx.query(SOLD, [store, issued.map(({ hash }) => hash)])
}

const rowsOf = (transfers: readonly VoucherTransferFact[]): string =>
  JSON.stringify(transfers.map(({ id, codeHash: hash, amountCents: cents }) => ({ id, hash, cents })))

async function transferToStore(
  tx: Querying,
  transfers: readonly VoucherTransferFact[],
  { store, lane, receivedAt }: FactsOf,
) {
  const over = transfers.filter(({ direction }) => direction === 'handed-over')
  if (over.length > 0) await tx.query(HANDED_OVER, [store, lane, rowsOf(over), receivedAt])
}

const idOf = ({ id }: VoucherTransferFact): string => id.toLowerCase()

/**
 * State of a draw before its lane reports that it received the value. `lost`: the draw is not known here, so a lost
 * database may have granted it.
 */
type Granted = 'granted' | 'released' | 'lost'
type Grants = ReadonlyMap<VoucherFact, Granted>

/**
 * Records that the lane received the value of draws (`taken`). Throws for the id of a draw on another voucher, and for
 * a draw never granted to this lane.
 */
async function take(
  tx: Querying,
  transfers: readonly VoucherTransferFact[],
  { store, lane, stream, receivedAt }: FactsOf,
): Promise<Grants> {
  const draws = transfers.filter(({ direction }) => direction === 'drawn')
  if (draws.length === 0) return new Map()
  const { rows } = await tx.query<{ id: string; was: 'granted' | 'released' }>(TAKEN, [store, lane, rowsOf(draws)])
  const taken = new Map(rows.map(({ id, was }) => [id, was]))
  const grants = new Map<VoucherFact, Granted>(draws.map((draw) => [draw, taken.get(idOf(draw)) ?? 'lost']))
  const before = draws.filter((draw) => !taken.delete(idOf(draw)))
  if (before.length > 0) {
    const { count } = await tx.query(TAKEN_BEFORE, [store, lane, rowsOf(before), receivedAt, stream])
    if (count < before.length) throw new Error('the draw was not granted to this lane')
  }
  return grants
}

interface Balances {
  readonly hash: string
  held: number
  here: number
  paid: number
}
interface Takes {
  here: boolean
  paid: boolean
  held: boolean
  /** Cents of draws that the owner released before the lane reported that it had received them. */
  released: number
}

/**
 * Throws when the facts together exceed a balance of the lane, of the payments given back, or of the store; or when
 * they issue value without a sale, return or redemption of the lane.
 */
async function requireCovered(tx: Querying, fresh: readonly Read[], grants: Grants, of: FactsOf): Promise<void> {
  if (fresh.length === 0) return
  const hashes = [...new Set(fresh.map(({ content }) => content.codeHash))]
  const { rows } = await tx.query<Balances & Record<string, unknown>>(BALANCES, [of.store, of.lane, hashes])
  const balances = new Map<string, Balances>(rows.map((row) => [row.hash, row]))
  const requireSource = await readSources(tx, issuesOf(fresh), of)
  const takes = new Map<Balances, Takes>()
  for (const { content } of fresh) {
    const balance = balances.get(content.codeHash)
    if (balance === undefined) throw new Error('a voucher has no account')
    if (isIssue(content)) requireSource(content)
    const taking = takes.get(balance) ?? { here: false, paid: false, held: false, released: 0 }
    takes.set(balance, taking)
    move(balance, taking, movedBy(content, grants), grants.get(content) === 'released')
  }
  for (const [balance, taking] of takes) {
    if (taking.here && balance.here < 0) throw new Error('more than the balance at the lane')
    if (taking.paid && balance.paid < 0) throw new Error('more is given back than was paid')
    if (taking.held && balance.held + taking.released < 0) throw new Error('more than the store holds')
  }
}

function move(
  balance: Balances,
  taking: Takes,
  { held, here, redeemed, given_back }: Moved,
  wasReleased: boolean,
): void {
  balance.held += held
  balance.here += here
  balance.paid += redeemed - given_back
  taking.here ||= here < 0
  taking.paid ||= given_back > 0
  if (wasReleased) taking.released -= held
  else taking.held ||= held < 0
}

function isIssue(content: VoucherFact): content is VoucherEntryFact {
  return 'returnId' in content && content.kind === 'issued'
}
const issuesOf = (read: readonly Read[]): VoucherEntryFact[] =>
  read.flatMap(({ content }) => (isIssue(content) ? [content] : []))

function movedBy(content: VoucherFact, grants: Grants): Moved {
  const { amountCents: cents } = content
  const nothing = { issues: 0, issued: 0, redeemed: 0, given_back: 0, held: 0, here: 0 }
  if ('direction' in content) {
    if (content.direction === 'handed-over') return { ...nothing, held: cents, here: -cents }
    return { ...nothing, held: grants.get(content) === 'granted' ? 0 : -cents, here: cents }
  }
  switch (content.kind) {
    case 'issued':
      return { ...nothing, issues: 1, issued: cents, here: cents }
    case 'redeemed':
      return { ...nothing, redeemed: cents, here: -cents }
    case 'given-back':
      return { ...nothing, given_back: cents, here: cents }
    default:
      throw new Error(`${content.kind} is not a voucher transaction`)
  }
}

function sumsOf(fresh: readonly Read[], grants: Grants): Sums[] {
  const all = new Map<string, Sums>()
  for (const { content } of fresh) {
    const { codeHash: hash } = content
    const before = all.get(hash)
    const moved = movedBy(content, grants)
    all.set(hash, {
      hash,
      issues: (before?.issues ?? 0) + moved.issues,
      issued: (before?.issued ?? 0) + moved.issued,
      redeemed: (before?.redeemed ?? 0) + moved.redeemed,
      given_back: (before?.given_back ?? 0) + moved.given_back,
      held: (before?.held ?? 0) + moved.held,
      here: (before?.here ?? 0) + moved.here,
    })
  }
  return [...all.values()]
}

async function add(tx: Querying, sums: readonly Sums[], { store, lane }: FactsOf): Promise<void> {
  if (sums.length === 0) return
  const rows = JSON.stringify(sums)
  await tx.query(ADD, [store, rows])
  await tx.query(AT_LANE, [store, lane, rows])
}

/** A lane that activates a gift card must sell or release it within this time; then another lane may activate it. */
const SELLING = "interval '30 minutes'"
/** Reserves a gift card for a sale, atomically: of concurrent lanes, only one gets a row. */
const ACTIVATE = `INSERT INTO voucher_activation AS selling (store, hash, lane, asked_at) SELECT $1, $2, $3, $4
  WHERE NOT EXISTS (SELECT 1 FROM voucher_account WHERE store = $1 AND hash = $2)
  ON CONFLICT (store, hash) DO UPDATE SET lane = excluded.lane, at = now(), asked_at = excluded.asked_at
  WHERE selling.lane = excluded.lane OR selling.at < now() - ${SELLING} RETURNING lane`
const IS_ACTIVE = 'SELECT 1 FROM voucher_account WHERE store = $1 AND hash = $2'
/** Releases a gift card that a lane activated for a sale; keeps an activation that the same lane made later. */
const RELEASE_CARD = `DELETE FROM voucher_activation WHERE store = $1 AND hash = $2 AND lane = $3
  AND (asked_at <= $4 OR asked_at IS NULL OR $4::bigint IS NULL)`

type Card = Pick<ActivateCard, 'hash'> & { readonly askedAt?: number | null | undefined }

export async function activateCard(
  db: Querying,
  { store, lane }: Caller,
  { hash, askedAt = null }: Card,
): Promise<ActivatedCard['kind']> {
  if ((await db.query(ACTIVATE, [store, hash, lane, askedAt])).count > 0) return 'yours'
  return (await db.query(IS_ACTIVE, [store, hash])).count > 0 ? 'active' : 'elsewhere'
}

export async function releaseCard(
  db: Querying,
  { store, lane }: Caller,
  { hash, askedAt = null }: Card,
): Promise<void> {
  await db.query(RELEASE_CARD, [store, hash, lane, askedAt])
}
