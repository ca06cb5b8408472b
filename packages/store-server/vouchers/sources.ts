import { GIFT_CARD_SKU, MAX_GIFT_CARD_CENTS } from '../../../contracts/catalog/goods.ts'
import { OperationFact, ReturnFact, SaleFact, type VoucherEntryFact } from '../../../contracts/store/facts.ts'
import type { Querying } from '../db/postgres.ts'
import type { FactsOf } from '../lanes/projection.ts'
import { requireOwnId } from '../lanes/guard.ts'
import type { Caller } from '../lanes/caller.ts'

/**
 * Finds the first completed version of a sale, the first version of a return and the newest of an operation, without
 * quarantined ones, each with the voucher amounts already issued for it.
 */
const SOURCES = `SELECT DISTINCT ON (source) source, fact.kind, fact.body, (
    SELECT coalesce(json_agg(amount_cents), '[]') FROM voucher_issue AS issue
    WHERE issue.store = $1 AND issue.lane = $2 AND issue.source = wanted.source) AS issued
  FROM jsonb_to_recordset($3::jsonb) AS wanted (source text, kind text, subject text)
  JOIN fact_all AS fact ON fact.kind = wanted.kind AND fact.subject = wanted.subject
    AND fact.kind IN ('sale', 'return', 'operation')
  JOIN stream ON stream.name = fact.stream AND stream.store = $1 AND stream.lane = $2
  WHERE NOT EXISTS (SELECT 1 FROM fact_aside WHERE fact_aside.stream = fact.stream AND fact_aside.seq = fact.seq)
    AND (fact.kind <> 'sale' OR fact.body ->> 'state' = 'completed')
  ORDER BY source, CASE WHEN fact.kind = 'operation' THEN -epoch ELSE epoch END,
    CASE WHEN fact.kind = 'operation' THEN -seq ELSE seq END`

type Issuing = Pick<VoucherEntryFact, 'amountCents' | 'returnId' | 'operationId' | 'saleId'>
interface Source {
  readonly kind: 'sale' | 'return' | 'operation'
  readonly body: unknown
  readonly issued: number[]
}
interface SourceRow extends Source, Record<string, unknown> {
  readonly source: string
}

/**
 * Returns the source of a voucher: the sale that sold it, the return that credited it, or the redemption that it
 * replaces because its reversal window had passed.
 */
export function sourceOf({ returnId, operationId, saleId }: Issuing): string {
  if (operationId !== null) return `operation ${operationId}`
  return returnId === null ? `sale ${saleId}` : `return ${returnId}`
}

function sourceRowOf(entry: Issuing): { source: string; kind: Source['kind']; subject: string | null } {
  const { returnId, operationId, saleId } = entry
  const source = sourceOf(entry)
  if (returnId !== null) return { source, kind: 'return', subject: returnId }
  return operationId === null
    ? { source, kind: 'sale', subject: saleId }
    : { source, kind: 'operation', subject: operationId }
}

/**
 * Returns a check to call for each voucher entry in order: it uses up one amount that the entry's source sold or
 * credited, and throws if the source has no such amount left.
 */
export async function readSources(
  tx: Querying,
  entries: readonly Issuing[],
  { store, lane }: FactsOf,
): Promise<(entry: Issuing) => void> {
  const wanted = new Map(entries.map(sourceRowOf).map((one) => [one.source, one]))
  const { rows } =
    wanted.size === 0
      ? { rows: [] }
      : await tx.query<SourceRow>(SOURCES, [store, lane, JSON.stringify([...wanted.values()])])
  const sources = new Map<string, Source>(rows.map((row) => [row.source, row]))
  return (entry) => {
    const source = sources.get(sourceOf(entry))
    const { amountCents } = entry
    const left = source === undefined ? [] : amountsOf(source, entry, lane)
    for (const issued of source?.issued ?? []) left.splice(left.indexOf(issued), left.includes(issued) ? 1 : 0)
    if (source === undefined || !left.includes(amountCents))
      throw new Error(`lane ${lane} issued a voucher that no ${sourceOf(entry)} of it sold or credited`)
    source.issued.push(amountCents)
  }
}

const sumOf = (amounts: readonly number[]): number => amounts.reduce((sum, amount) => sum + amount, 0)

function amountsOf({ kind, body }: Source, { operationId, saleId }: Issuing, lane: string): number[] {
  if (kind === 'sale') {
    const sale = SaleFact.parse(body)
    requireOwnId(lane, sale.id)
    const sold = sale.lines.flatMap(({ sku, quantity, voided, unitPriceCents }) =>
      sku === GIFT_CARD_SKU && quantity === 1 && voided === 0 && unitPriceCents <= MAX_GIFT_CARD_CENTS
        ? [unitPriceCents]
        : [],
    )
    // Discounts do not apply to gift cards: a sale in which less was paid than its gift cards are worth sold none of
    // them.
    return sumOf(sale.tenders.map(({ amountCents }) => amountCents)) < sumOf(sold) ? [] : sold
  }
  if (kind === 'return') {
    const { id, refunds } = ReturnFact.parse(body)
    requireOwnId(lane, id)
    if (operationId !== null)
      return refunds.flatMap((refund) => (refund.operationId === operationId ? [refund.amountCents] : []))
    return [refunds.reduce((sum, refund) => sum + (refund.kind === 'store-credit' ? refund.amountCents : 0), 0)]
  }
  const operation = OperationFact.parse(body)
  const isOwed =
    operation.kind === 'redemption' && operation.state === 'reversal-expired' && operation.saleId === saleId
  return isOwed && operation.amountCents !== null ? [operation.amountCents] : []
}

/**
 * Finds replaced enrolments of this lane whose machine may still have voucher value. `until`: end of the lease; null
 * when unknown. A restored database has lost confirmed heartbeats and stops, so leases count from the restore. Finds
 * none while the lane has unread facts, which may change the value.
 */
const REPLACED = `SELECT device.code_id AS "codeId", lease.ended_at > known.since AS "isStopped",
    lease.ended_at AS "endedAt",
    CASE WHEN lease.until IS NOT NULL THEN greatest(lease.until,
      known.since + lease.lease_ms * interval '1 millisecond' + interval '10 minutes') END AS until
  FROM device CROSS JOIN database_identity AS known LEFT JOIN lane_lease AS lease USING (store, lane, code_id)
  WHERE store = $1 AND lane = $2 AND device.code_id <> $3 AND device.revoked_at IS NOT NULL
    AND lease.settled_at IS NULL AND NOT EXISTS (
      SELECT 1 FROM stream WHERE stream.store = $1 AND stream.lane = $2 AND unread_from IS NOT NULL)`
/** Waits until running pushes of the replaced lane end; later pushes are refused because its token is revoked. */
const LOCK_STREAMS = 'SELECT 1 FROM stream WHERE store = $1 AND lane = $2 ORDER BY name FOR UPDATE'
const LOCK_ACCOUNTS = `SELECT 1 FROM voucher_account AS account JOIN voucher_at_lane AS here USING (store, hash)
  WHERE store = $1 AND lane = $2 AND cents <> 0 ORDER BY hash FOR UPDATE OF account`
const NEWEST = `SELECT name FROM stream WHERE store = $1 AND lane = $2 ORDER BY created_at DESC, epoch DESC LIMIT 1`
const KINDS = "('voucher-entry', 'voucher-use', 'voucher-transfer')"
const RECEIVED_SINCE = `SELECT 1 FROM stream CROSS JOIN LATERAL
    (SELECT received_at FROM fact_all AS fact WHERE fact.stream = stream.name ORDER BY seq DESC LIMIT 1) AS last
  WHERE store = $1 AND lane = $2 AND stream.name <> (${NEWEST}) AND received_at > $3 LIMIT 1`
/**
 * Moves the value that does not come from the lane's newest stream: the replaced machine has it. A fact that an earlier
 * stream also contains counts as one of the earlier stream.
 */
const MOVE = `WITH newest AS (${NEWEST}),
  before AS (SELECT kind, subject, at FROM fact_all AS fact JOIN stream ON stream.name = fact.stream
    WHERE store = $1 AND lane = $2 AND kind IN ${KINDS} AND stream <> (SELECT name FROM newest)),
  own AS (SELECT body ->> 'codeHash' AS hash, sum((body ->> 'amountCents')::integer * CASE
      WHEN body ->> 'direction' = 'handed-over' OR body ->> 'kind' = 'redeemed' THEN -1 ELSE 1 END) AS cents
    FROM fact_all AS fact JOIN newest ON newest.name = fact.stream
    WHERE kind IN ${KINDS}
      AND NOT EXISTS (SELECT 1 FROM fact_aside WHERE fact_aside.stream = fact.stream AND fact_aside.seq = fact.seq)
      AND (kind, subject, at) NOT IN (SELECT kind, subject, at FROM before)
    GROUP BY 1),
  stranded AS (SELECT hash, here.cents - coalesce(own.cents, 0) AS cents FROM voucher_at_lane AS here
    LEFT JOIN own USING (hash) WHERE store = $1 AND lane = $2 AND here.cents > coalesce(own.cents, 0)),
  moved AS (UPDATE voucher_at_lane AS here SET cents = here.cents - stranded.cents FROM stranded
    WHERE here.store = $1 AND here.lane = $2 AND here.hash = stranded.hash RETURNING here.hash, stranded.cents)
  INSERT INTO voucher_ledger (store, id, hash, lane, direction, state, amount_cents, stranded_at, lease_until)
  SELECT $1, gen_random_uuid(), hash, $2, 'out', 'stranded', cents, now(), $3 FROM moved RETURNING id`
const CLOSE_LEASE = `INSERT INTO lane_lease (store, lane, code_id, settled_at) VALUES ($1, $2, $3, now())
  ON CONFLICT (store, lane, code_id) DO UPDATE SET settled_at = now()`
const RELEASE = `WITH released AS (UPDATE voucher_ledger SET state = 'released'
    WHERE store = $1 AND id = ANY ($2::uuid[]) AND state = 'stranded' RETURNING store, id, hash, amount_cents),
  noted AS (INSERT INTO voucher_release (store, id, by, why) SELECT store, id, $3, $4 FROM released),
  sums AS (SELECT hash, sum(amount_cents)::integer AS cents FROM released GROUP BY hash)
  UPDATE voucher_account AS account SET held_cents = held_cents + sums.cents FROM sums
  WHERE account.store = $1 AND account.hash = sums.hash`

interface Replaced extends Record<string, unknown> {
  readonly codeId: string
  readonly isStopped: boolean | null
  readonly endedAt: Date | null
  readonly until: Date | null
}

/**
 * Moves value to the store from the lane that the caller replaced: the old machine may still run offline and pay with
 * that value. The store gets the value at once if the old machine stopped normally after sending everything; otherwise
 * the value is stranded until the owner releases it (docs/models). The caller must have sent everything.
 */
export async function strandReplaced(tx: Querying, caller: Caller): Promise<void> {
  const { store, lane, codeId } = caller
  if (codeId === undefined) return
  if ((await tx.query(REPLACED, [store, lane, codeId])).count === 0) return
  await tx.query(LOCK_STREAMS, [store, lane])
  const { rows: replaced } = await tx.query<Replaced>(REPLACED, [store, lane, codeId])
  if (replaced.length === 0) return
  await tx.query(LOCK_ACCOUNTS, [store, lane])
  const { rows } = await tx.query<{ id: string }>(MOVE, [store, lane, endOf(replaced)])
  for (const one of replaced) await tx.query(CLOSE_LEASE, [store, lane, one.codeId])
  if (await hasStopped(tx, caller, replaced))
    await tx.query(RELEASE, [store, rows.map(({ id }) => id), 'store server', 'the lane had stopped normally'])
}

function endOf(replaced: readonly Replaced[]): Date | null {
  const ends = replaced.flatMap(({ until }) => (until === null ? [] : [until]))
  return ends.length < replaced.length ? null : new Date(Math.max(...ends.map((end) => end.getTime())))
}

/**
 * Returns whether the replaced lane stopped normally; false when facts arrived after its end, from a copy that
 * continued to run.
 */
async function hasStopped(tx: Querying, { store, lane }: Caller, replaced: readonly Replaced[]): Promise<boolean> {
  for (const { isStopped, endedAt } of replaced) {
    if (isStopped !== true) return false
    if ((await tx.query(RECEIVED_SINCE, [store, lane, endedAt])).count > 0) return false
  }
  return true
}

/**
 * Removes the rows that derive from lanes' facts; keeps the store's own decisions: grants, refusals, cancellations and
 * releases.
 */
const FORGET = [
  "UPDATE voucher_ledger SET state = 'granted' WHERE state = 'taken'",
  "DELETE FROM voucher_ledger WHERE direction = 'in'",
  'DELETE FROM voucher_at_lane',
  'DELETE FROM voucher_issue',
  'DELETE FROM voucher_counted',
  'DELETE FROM voucher_account',
] as const

/**
 * After a rebuild, subtracts the stranded value from the replaced lanes again, and adds the part that was released to
 * the store's balance.
 */
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
 * Empties the voucher accounts for a rebuild. Draws count as granted until they are reported; an account created again
 * starts without its granted amounts.
 */
export async function emptyVouchers(tx: Querying): Promise<() => Promise<void>> {
  for (const statement of FORGET) await tx.query(statement)
  return async () => {
    for (const statement of STRANDED) await tx.query(statement)
  }
}
