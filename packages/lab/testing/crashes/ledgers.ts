import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { CASH_PATHS } from '../../../../contracts/central/cash.ts'
import { ISSUANCE_PATHS } from '../../../../contracts/central/issuance.ts'
import { createLogger } from '../../../../backend/core/log.ts'
import { systemRng, systemClock } from '../../../../backend/core/clock.ts'
import { openHighWaterMark } from '../../../../backend/core/outbox/high-water.ts'
import { createSeal } from '../../../../backend/core/integrity/seal.ts'
import { describeForeignChanges } from '../../../../backend/core/outbox/integrity-check.ts'
import type { Operation } from '../../../../backend/core/outbox/operation.ts'
import { createOutbox } from '../../../../backend/core/outbox/outbox.ts'
import type { Central, CentralEntry } from '../../rig/central.ts'
import { OPENING } from './crash-store.ts'

/**
 * Maximum number of journal entries in one commit: a kill between a commit and its high-water mark leaves the mark
 * behind by these entries. The queue serves eight collectors at once.
 */
const ENTRIES_A_COMMIT = 8

/** The result of comparing journals with the loyalty service’s ledger once all operations are final. */
export interface Comparison {
  readonly wrong: readonly string[]
  readonly ends: readonly string[]
  readonly onTheList: readonly string[]
}

export interface JournalOperation extends Pick<
  Operation,
  'id' | 'type' | 'state' | 'saleId' | 'miles' | 'pendingMiles'
> {
  /** Idempotency key; null for RECORD, which has no key and moves no miles. */
  readonly key: string | null
  readonly reverseKey: string | null
}

const OPERATIONS = `SELECT operation.id, type, operation.state, sale_id AS saleId, miles, pending_miles AS pendingMiles,
    (SELECT idempotency_key FROM operation_call WHERE operation_id = operation.id AND purpose = type) AS key,
    (SELECT idempotency_key FROM operation_call WHERE operation_id = operation.id AND purpose = 'reverse') AS reverseKey
  FROM operation JOIN sale ON sale.id = sale_id WHERE sequence > ? ORDER BY operation.rowid`

/** A lane’s data folder. Only sales with a sequence number above `since` are compared. */
export interface Journaled {
  readonly data: string
  readonly since: number
}

/**
 * Compares the journals of some lanes with the loyalty service’s ledger of their collectors. Each effect at the service
 * belongs to exactly one operation whose final state includes that effect, and each such operation has its effect or is
 * in the exceptions queue. Chain and mark of each journal are intact; each completed sale is paid to the cent and
 * issued once.
 */
export async function compareLedgers(
  central: Central,
  collectorNumbers: readonly string[],
  lanes: readonly Journaled[],
): Promise<Comparison> {
  const wrong: string[] = []
  const ends: string[] = []
  const onTheList: string[] = []
  const books = new Map<string, CentralEntry[]>()
  for (const number of collectorNumbers) {
    const {
      entries,
      balances: { cash, dream },
    } = await central.account(number)
    for (const entry of entries.filter(({ operation }) => operation !== 'OPENING')) {
      const key = entry.idempotencyKey ?? `no key (${entry.operationId})`
      books.set(key, [...(books.get(key) ?? []), entry])
    }
    const moved = entries.reduce((sum, entry) => sum + entry.cash + entry.dream, 0)
    if (cash + dream !== moved)
      wrong.push(`${number} holds ${cash + dream} miles at the loyalty service, but its entries sum to ${moved}`)
    if (!entries.some(({ operation, cash: opening }) => operation === 'OPENING' && opening === OPENING.cash))
      wrong.push(`${number} has no opening balance`)
  }
  for (const lane of lanes) {
    const journal = readJournal(lane)
    wrong.push(...journal.wrong)
    for (const operation of journal.operations) {
      const listed = journal.attention.has(operation.id)
      if (listed) onTheList.push(`${operation.type} ${operation.state}`)
      ends.push(`${operation.type} ${operation.state}`)
      wrong.push(...disagreements(operation, listed, books))
    }
  }
  for (const [key, entries] of books)
    for (const { operation, cash, dream } of entries)
      wrong.push(`the loyalty service did ${operation} of ${cash + dream} miles under ${key}, but no journal has it`)
  wrong.push(...(await central.problems()).map((problem) => `at the loyalty service: ${problem}`))
  return { wrong, ends, onTheList }
}

/**
 * Returns calls of one collector that break the rules: no idempotency key, other bytes under the same key, or a third
 * REDEEM.
 */
export async function wrongSends(central: Central, collectorNumber: string): Promise<string[]> {
  const received = await Promise.all(
    [CASH_PATHS.redeem, CASH_PATHS.reverse, ISSUANCE_PATHS.issue, ISSUANCE_PATHS.return].map((path) =>
      central.requests(path),
    ),
  )
  const own = received.flat().filter(({ body }) => body['collectorNumber'] === collectorNumber)
  return [...Map.groupBy(own, ({ headers }) => headers['idempotency-key'] ?? '')].flatMap(([key, sends]) => {
    const path = sends[0]?.path ?? ''
    return [
      ...(key === '' ? [`${path} was sent without a key`] : []),
      ...(new Set(sends.map(({ sha256 }) => sha256)).size === 1
        ? []
        : [`${path} was sent with other bytes under ${key}`]),
      ...(path === CASH_PATHS.redeem && sends.length > 2
        ? [`${path} was sent ${sends.length} times under ${key}`]
        : []),
    ]
  })
}

/** Returns redemptions after a reversal that had no new INQUIRE before them, although the balance had changed. */
export async function redeemedWithoutInquire(central: Central, collectorNumber: string): Promise<string[]> {
  const cash: ReadonlySet<string> = new Set([CASH_PATHS.inquire, CASH_PATHS.redeem, CASH_PATHS.reverse])
  const own = (await central.requests()).filter(
    ({ path, body }) => cash.has(path) && body['collectorNumber'] === collectorNumber,
  )
  return own.flatMap(({ path, body }, index) => {
    if (
      path !== CASH_PATHS.redeem ||
      own.findIndex((call) => call.path === path && call.body['traceId'] === body['traceId']) < index
    )
      return []
    const newest = own
      .slice(0, index)
      .findLast((call) => call.path === CASH_PATHS.reverse || call.path === CASH_PATHS.inquire)
    return newest?.path === CASH_PATHS.reverse
      ? [`${String(body['traceId'])} was redeemed by an INQUIRE from before a reversal`]
      : []
  })
}

/**
 * Returns the differences of one operation. Removes the operation’s effects from the ledger entries, so that the
 * entries left over belong to no operation.
 */
export function disagreements(
  { id, type, state, miles, pendingMiles, key, reverseKey }: JournalOperation,
  listed: boolean,
  books: Map<string, CentralEntry[]>,
): string[] {
  if (key === null)
    return state === 'confirmed' || listed ? [] : [`${type} ${id} is ${state}, but not on the manager’s list`]
  const done = books.get(key) ?? []
  const reversed = reverseKey === null ? [] : (books.get(reverseKey) ?? [])
  books.delete(key)
  if (reverseKey !== null) books.delete(reverseKey)
  const effective = done
    .filter(({ operationId }) => !done.some(({ undoes }) => undoes === operationId))
    .filter(({ operation }) => operation !== 'CANCEL')
  const what = `${type} ${id} is ${state}`
  if (effective.length > 1) return [`${what}, but the loyalty service did it ${effective.length} times`]
  if (reversed.length > 1) return [`${what}, but the loyalty service reversed it ${reversed.length} times`]
  const net = sum(effective) + sum(reversed)
  switch (state) {
    case 'approved':
      return net === -(miles ?? 0) ? [] : [`${what} with ${miles} miles, but the loyalty service has ${-net}`]
    case 'declined':
    case 'reversed':
      return net === 0 ? [] : [`${what}, but the loyalty service has ${-net}`]
    case 'confirmed':
    case 'accepted':
      return earnedAgrees(net, miles ?? 0, pendingMiles ?? 0)
        ? []
        : [`${what} with ${miles} miles and ${pendingMiles ?? 0} pending, but the loyalty service issued ${net}`]
    case 'dead':
      return effective.length === 0 && listed
        ? []
        : [`${what}, and the loyalty service did it ${effective.length} times; ${listed ? 'on' : 'not on'} the list`]
    case 'rejected':
      return listed && earnedAgrees(net, miles ?? 0, pendingMiles ?? 0)
        ? []
        : [`${what} with ${miles} miles, ${listed ? 'on' : 'not on'} the list, and the loyalty service issued ${net}`]
    case 'escalated':
    case 'reversal-expired':
    case 'reversal-escalated':
      return listed ? [] : [`${what}, but not on the manager’s list`]
    default:
      return [`${what}, which is not final`]
  }
}

/**
 * Whether earned miles agree. `miles` are confirmed; pending miles have no ledger entry until the loyalty service
 * settles all or a portion of them.
 */
const earnedAgrees = (net: number, miles: number, pendingMiles: number): boolean =>
  Math.sign(pendingMiles) * (net - miles) >= 0 && Math.abs(net - miles) <= Math.abs(pendingMiles)

const sum = (entries: readonly CentralEntry[]): number =>
  entries.reduce((total, { cash, dream }) => total + cash + dream, 0)

/**
 * Reads a lane’s journal while the terminal runs, with the terminal’s own checks of chain, mark and exceptions queue.
 */
function readJournal({ data, since }: Journaled): {
  operations: JournalOperation[]
  attention: ReadonlySet<string>
  wrong: string[]
} {
  const db = new Database(join(data, 'terminal.db'), { readonly: true })
  // All reads use one snapshot, because the running terminal may commit between two of them.
  db.exec('BEGIN')
  const seal = createSeal(Buffer.from(readFileSync(join(data, 'seal.key'), 'utf8').trim(), 'base64'))
  const mark = openHighWaterMark(join(data, 'journal.mark'), systemClock, seal)
  try {
    const { journal, chain } = createOutbox({
      db,
      seal,
      mark,
      clock: systemClock,
      rng: systemRng,
      log: createLogger({ level: 'error', destination: process.stderr }),
      onStop: () => undefined,
      refusal: (reason) => new Error(reason),
    })
    const broken = chain.firstBrokenEntry()
    const missing = chain.entriesMissing()
    const changed = describeForeignChanges(db, seal)
    const newest =
      db.prepare<[], { seq: number }>('SELECT coalesce(max(seq), 0) AS seq FROM journal_entry').get()?.seq ?? 0
    const noted = mark.read()?.seq ?? 0
    return {
      operations: db.prepare<[number], JournalOperation>(OPERATIONS).all(since),
      attention: new Set(journal.attention(1_000_000).map(({ id }) => id)),
      wrong: [
        ...(broken === null ? [] : [`the chain breaks at entry ${broken}`]),
        ...(changed === null ? [] : [changed]),
        ...(missing ? [`${missing.expected} entries were recorded, but only ${missing.found} can be trusted`] : []),
        ...(noted <= newest && newest - noted <= ENTRIES_A_COMMIT
          ? []
          : [`the mark is at ${noted}, but the newest entry is ${newest}`]),
        ...saleErrors(db, since),
      ],
    }
  } finally {
    mark.close()
    db.close()
  }
}

/** Returns the sequence number of a lane’s newest sale; 0 if the lane has no sale. */
export function newestSale(data: string): number {
  const db = new Database(join(data, 'terminal.db'), { readonly: true })
  try {
    return (
      db.prepare<[], { sequence: number }>('SELECT coalesce(max(sequence), 0) AS sequence FROM sale').get()?.sequence ??
      0
    )
  } finally {
    db.close()
  }
}

function saleErrors(db: Database.Database, since: number): string[] {
  const rows = db
    .prepare<
      [number],
      {
        id: string
        state: string
        total: number
        tendered: number
        miles: number
        approved: number
        issued: number
        documents: number
        hasMember: number
        late: number
        credited: number
      }
    >(`SELECT id, state, member_last4 IS NOT NULL AS hasMember,
      (SELECT coalesce(sum(quantity * unit_price_cents), 0) FROM sale_line WHERE sale_id = sale.id
      AND voided = 0) AS total,
      (SELECT coalesce(sum(amount_cents), 0) FROM tender WHERE sale_id = sale.id) AS tendered,
      (SELECT coalesce(sum(amount_cents), 0) FROM tender WHERE sale_id = sale.id AND kind = 'miles') AS miles,
      (SELECT coalesce(sum(amount_cents), 0) FROM operation WHERE sale_id = sale.id AND state = 'approved') AS approved,
      (SELECT count(*) FROM operation WHERE sale_id = sale.id AND type = 'issue') AS issued,
      (SELECT count(*) FROM print_job WHERE sale_id = sale.id AND copy = 0 AND kind = 'sale') AS documents,
      (SELECT coalesce(sum(tender.amount_cents), 0) FROM tender JOIN operation ON operation.id = operation_id
      WHERE tender.sale_id = sale.id AND operation.state = 'reversal-expired' AND tender.amount_cents > 0) AS late,
      (SELECT coalesce(sum(amount_cents), 0) FROM voucher_entry WHERE sale_id = sale.id AND kind = 'issued'
      AND operation_id IS NOT NULL
        AND EXISTS (SELECT 1 FROM print_job WHERE voucher_id = voucher_entry.voucher_id)) AS credited
    FROM sale WHERE sequence > ?`)
    .all(since)
  return rows.flatMap(
    ({ id, state, total, tendered, miles, approved, issued, documents, hasMember, late, credited }) => {
      const completed = state === 'completed'
      return [
        ...(state === 'open' ? [`sale ${id} was left open`] : []),
        ...(tendered === (completed ? total : 0)
          ? []
          : [`sale ${id} is ${state} with ${tendered} cents paid of ${total}`]),
        ...(miles === approved ? [] : [`sale ${id} has ${miles} cents paid with miles, but ${approved} approved`]),
        ...(issued === (completed ? hasMember : 0) ? [] : [`sale ${id} is ${state} and has ${issued} issuances`]),
        ...(documents === (completed ? 1 : 0) ? [] : [`sale ${id} is ${state} and has ${documents} original receipts`]),
        ...(credited === late
          ? []
          : [`sale ${id} has ${late} cents of miles reversed too late, but ${credited} cents of printed store credit`]),
      ]
    },
  )
}
