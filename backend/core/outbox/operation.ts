import {
  type MilesKind,
  type MilesState,
  type MilesType,
  type OfferStateState,
  type OperationKind,
  type OperationState,
  type OperationType,
  isOpen,
} from './states.ts'
import type { Database } from '../db/database.ts'
import type { CommitWatch, Tx } from '../db/transact.ts'
import type { Seal } from '../integrity/seal.ts'
import { type Value, encoded } from '../integrity/digests.ts'

export interface OperationFacts {
  readonly nextAttemptAt: number | null
  /** Number of answers with status 500. Only these count towards the maximum attempts of an issuance. */
  readonly failures: number
  /**
   * Number of answers with status 400 without a code (specification 3 §4.2 rule 5). Above a limit a person must decide.
   */
  readonly refusals: number
  readonly approvedOnAttempt: number | null
  readonly units: number | null
  readonly amountCents: number | null
  /** Confirmed miles of an answered issuance; null when the answer does not state them. */
  readonly miles: number | null
  readonly pendingMiles: number | null
  readonly rejectedMiles: number | null
  readonly confirmationNumber: string | null
  readonly transDateTime: string | null
  readonly transactionId: string | null
  readonly responseCode: string | null
  readonly outcome: string | null
  readonly detail: string | null
}
export type Facts = Partial<OperationFacts>

export interface Operation extends OperationFacts {
  readonly id: string
  readonly kind: OperationKind
  readonly type: OperationType
  readonly saleId: string
  /** Keyed hash of the collector number in hex: calls with the same value share a queue and a lock. */
  readonly collector: string
  readonly state: OperationState
  readonly createdAt: number
  readonly changedAt: number
  readonly sends: number
  readonly firstSentAt: number | null
  readonly newestEntry: number
  readonly afterOperationId: string | null
  readonly correctsId: string | null
}

export type MilesOperation = Operation & {
  readonly kind: MilesKind
  readonly type: MilesType
  readonly state: MilesState
}
export type OfferStateOperation = Operation & { readonly kind: 'offer-state'; readonly state: OfferStateState }
export const movesMiles = (operation: Operation): operation is MilesOperation => operation.kind !== 'offer-state'

export const NO_FACTS: OperationFacts = {
  nextAttemptAt: null,
  failures: 0,
  refusals: 0,
  approvedOnAttempt: null,
  units: null,
  amountCents: null,
  miles: null,
  pendingMiles: null,
  rejectedMiles: null,
  confirmationNumber: null,
  transDateTime: null,
  transactionId: null,
  responseCode: null,
  outcome: null,
  detail: null,
}

const FACTS = {
  nextAttemptAt: 'next_attempt_at',
  failures: 'failures',
  refusals: 'refusals',
  approvedOnAttempt: 'approved_on_attempt',
  units: 'units',
  amountCents: 'amount_cents',
  miles: 'miles',
  pendingMiles: 'pending_miles',
  rejectedMiles: 'rejected_miles',
  confirmationNumber: 'confirmation_number',
  transDateTime: 'trans_date_time',
  transactionId: 'transaction_id',
  responseCode: 'response_code',
  outcome: 'outcome',
  detail: 'detail',
} as const satisfies Record<keyof OperationFacts, string>
const FACT_COLUMNS = Object.entries(FACTS)
/** Fields of an operation that its digest covers, with their columns. */
export const DIGESTED = {
  id: 'id',
  kind: 'kind',
  type: 'type',
  saleId: 'sale_id',
  collector: 'collector_hash',
  state: 'state',
  createdAt: 'created_at',
  changedAt: 'changed_at',
  sends: 'sends',
  firstSentAt: 'first_sent_at',
  newestEntry: 'newest_entry',
  afterOperationId: 'after_operation_id',
  correctsId: 'corrects_id',
  ...FACTS,
} as const satisfies Record<keyof Operation, string>

export const SELECT_OPERATION = `SELECT id, kind, type, sale_id AS saleId, lower(hex(collector_hash)) AS collector,
  state, created_at AS createdAt, changed_at AS changedAt,
  after_operation_id AS afterOperationId, corrects_id AS correctsId,
  ${FACT_COLUMNS.map(([fact, column]) => `${column} AS ${fact}`).join(', ')},
  sends, first_sent_at AS firstSentAt, newest_entry AS newestEntry FROM operation`
const CHANGING =
  'state = @state, changed_at = @changedAt, sends = @sends, first_sent_at = @firstSentAt, newest_entry = ' +
  `@newestEntry, digest = @digest, ${FACT_COLUMNS.map(([fact, column]) => `${column} = @${fact}`).join(', ')}`

export function createOperationRows(db: Database, seal: Pick<Seal, 'authenticator'>) {
  const insertOperation =
    db.prepare(`INSERT INTO operation (id, kind, type, sale_id, collector_hash, state, created_at, changed_at,
      after_operation_id, corrects_id, open, sends, first_sent_at, newest_entry, digest,
      ${FACT_COLUMNS.map(([, column]) => column).join(', ')})
    VALUES (@id, @kind, @type, @saleId, @collectorHash, @state, @createdAt, @changedAt, @afterOperationId, @correctsId,
    1, @sends, @firstSentAt, @newestEntry, @digest, ${FACT_COLUMNS.map(([fact]) => `@${fact}`).join(', ')})`)
  // Without `open`, which most transitions do not change, so that the index of open operations is not touched.
  const updateOperation = db.prepare(`UPDATE operation SET ${CHANGING} WHERE id = @id`)
  const openOrClose = db.prepare(`UPDATE operation SET ${CHANGING}, open = @open WHERE id = @id`)
  const selectOne = db.prepare<[string], Operation>(`${SELECT_OPERATION} WHERE id = ?`)
  const digestOf = operationDigests(seal, DIGESTED)

  return {
    insert(tx: Tx, operation: Operation): void {
      const collectorHash = Buffer.from(operation.collector, 'hex')
      tx.run(insertOperation, { ...operation, collectorHash, digest: digestOf(operation) })
    },
    update(tx: Tx, before: Operation, changed: Operation): void {
      const row = { ...changed, digest: digestOf(changed) }
      if (isOpen(changed.state) === isOpen(before.state)) tx.run(updateOperation, row)
      else tx.run(openOrClose, { ...row, open: isOpen(changed.state) ? 1 : 0 })
    },
    get: (id: string): Operation | undefined => selectOne.get(id),
  }
}

export type Fields = Readonly<Record<string, string>>

/**
 * Keyed digest of an operation, stored in its row. It covers the number of the newest journal entry, so that neither a
 * changed row nor an older version of it is valid. Null values are omitted, so that a new column changes no digest.
 */
export function operationDigests<Name extends string>(
  seal: Pick<Seal, 'authenticator'>,
  columns: Readonly<Record<Name, string>>,
) {
  const authenticate = seal.authenticator('digest of operations')
  const fields = Object.entries<string>(columns).toSorted(([, one], [, other]) => (one < other ? -1 : 1)) as [
    Name,
    string,
  ][]
  return (operation: Readonly<Record<Name, Value>>): Buffer => {
    const values: Value[] = []
    for (const [name, column] of fields) if (operation[name] !== null) values.push(column, operation[name])
    return authenticate(encoded('operation', values))
  }
}

type Row = Record<string, Value> & { digest: Buffer; rowid: number }

interface Digested {
  readonly id: string
  readonly rowid: number
  readonly stored: Buffer
  readonly computed: Buffer
}

/** Returns the operations whose newest entry is after `since`, with the expected digest. */
export function* digestsOfOperations(
  db: Database,
  seal: Pick<Seal, 'authenticator'>,
  columns: Fields,
  since = 0,
): Generator<Digested> {
  const { select, digested } = readingOf(db, seal, columns)
  for (const row of db.prepare<[number], Row>(`${select} WHERE newest_entry > ?`).iterate(since)) yield digested(row)
}

/**
 * Yields all operations with the expected digest, page by page: only one page is in memory, and rows may be written
 * between two pages.
 */
export function* pagesOfDigests(
  db: Database,
  seal: Pick<Seal, 'authenticator'>,
  columns: Fields,
  rows: number,
): Generator<Digested[]> {
  const { select, digested } = readingOf(db, seal, columns)
  const page = db.prepare<[number, number], Row>(`${select} WHERE rowid > ? ORDER BY rowid LIMIT ?`)
  for (let found = page.all(0, rows); found.length > 0; found = page.all(found.at(-1)?.rowid ?? 0, rows))
    yield found.map(digested)
}

function readingOf(db: Database, seal: Pick<Seal, 'authenticator'>, columns: Fields) {
  const there = new Set(db.prepare<[], string>("SELECT name FROM pragma_table_info('operation')").pluck().all())
  // A database of the previous release may lack the newest columns, which are then read as null.
  const known = Object.fromEntries(Object.entries(columns).filter(([, column]) => there.has(column)))
  const digestOf = operationDigests(seal, known)
  const selected = Object.entries(known).map(
    ([name, column]) => `${column === 'collector_hash' ? 'lower(hex(collector_hash))' : column} AS ${name}`,
  )
  return {
    select: `SELECT rowid, digest, ${selected.join(', ')} FROM operation`,
    digested: (row: Row): Digested => ({
      id: String(row['id']),
      rowid: row.rowid,
      stored: row.digest,
      computed: digestOf(row),
    }),
  }
}

/**
 * Called at every step at which a crash may happen. Production has no observer; a test ends the process at a chosen
 * step, and the simulation crashes there.
 */
export interface StepObserver extends CommitWatch {
  /** Called inside an open transaction after a transition was written, e.g. `redeem intent→approved`. */
  wrote?(transition: string): void
}
