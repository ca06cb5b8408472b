import type { Database } from '../db/open.ts'
import type { Tx } from '../db/transact.ts'
import type { Operation, OperationFacts } from './operation.ts'
import { operationDigests } from './operation-digest.ts'
import type { Seal } from './seal.ts'
import { isOpen } from './states.ts'

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
/** What of an operation its digest covers: the name in the program, and the column. */
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

/** Operations as their table holds them, each under its digest. */
export function createOperationRows(db: Database, seal: Pick<Seal, 'authenticator'>) {
  const insertOperation =
    db.prepare(`INSERT INTO operation (id, kind, type, sale_id, collector_hash, state, created_at, changed_at,
      after_operation_id, corrects_id, open, sends, first_sent_at, newest_entry, digest,
      ${FACT_COLUMNS.map(([, column]) => column).join(', ')})
    VALUES (@id, @kind, @type, @saleId, @collectorHash, @state, @createdAt, @changedAt, @afterOperationId, @correctsId,
    1, @sends, @firstSentAt, @newestEntry, @digest, ${FACT_COLUMNS.map(([fact]) => `@${fact}`).join(', ')})`)
  // Most transitions leave an operation open, or final: they do not name the column that the index of open ones goes
  // by, and so leave it alone.
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
