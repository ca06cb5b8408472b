import type { Db } from './db/database.ts'
import Database from 'better-sqlite3'
import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Accounts of the ledger. Collector accounts hold a person's miles; program accounts are the counterpart of every
 * entry.
 */
export type CollectorAccount = 'cash' | 'dream'
export type ProgramAccount = 'opening' | 'issued' | 'redeemed'
const PROGRAM = ''

export interface Operation {
  readonly kind:
    | 'OPENING'
    | 'REDEEM'
    | 'REVERSE'
    | 'CANCEL'
    | 'ISSUE'
    | 'RETURN'
    | 'POST'
    | 'POST/EVENT'
    | 'PARTNER-REVERSE'
    | 'REVERSE/EVENT'
  /** Posting time, in epoch milliseconds. */
  readonly at: number
  readonly transactedAt?: number
  readonly collectorNumber: string
  readonly sponsorCode: string
  /** The partner's id of the transaction: traceId, checkoutTransactionId or clientTransactionId. */
  readonly reference: string | null
  readonly idempotencyKey: string | null
  readonly undoes?: number
}

export interface LedgerEntry {
  readonly operationId: number
  readonly operation: string
  readonly at: string
  readonly collectorNumber: string
  readonly sponsorCode: string
  readonly reference: string | null
  readonly idempotencyKey: string | null
  readonly undoes: number | null
  readonly cash: number
  readonly dream: number
}

const ENTRIES = `
  SELECT o.id, o.kind, o.at, o.collector_number, o.sponsor_code, o.reference, o.idempotency_key, o.undoes,
         coalesce(sum(p.miles) FILTER (WHERE a.name = 'cash'), 0) AS cash,
         coalesce(sum(p.miles) FILTER (WHERE a.name = 'dream'), 0) AS dream
    FROM operation o
    JOIN posting p ON p.operation_id = o.id
    JOIN account a ON a.id = p.account_id AND a.collector_number = o.collector_number
   WHERE o.collector_number = ?
   GROUP BY o.id ORDER BY o.id`

export type Ledger = ReturnType<typeof createLedger>

/** Creates the double-entry ledger. `post` must run in a transaction. */
export function createLedger(db: Db) {
  const addAccount = db.prepare('INSERT INTO account (collector_number, name) VALUES (?, ?) ON CONFLICT DO NOTHING')
  const findAccount = db.prepare<[string, string], { id: number; balance: number }>(
    'SELECT id, balance FROM account WHERE collector_number = ? AND name = ?',
  )
  const addOperation = db.prepare<[object]>(
    `INSERT INTO operation (kind, at, collector_number, sponsor_code, reference, idempotency_key, undoes, transacted_at)
      VALUES (@kind, @at, @collectorNumber, @sponsorCode, @reference, @idempotencyKey, @undoes, @transactedAt)`,
  )
  const addPosting = db.prepare('INSERT INTO posting (operation_id, account_id, miles, balance) VALUES (?, ?, ?, ?)')
  const moveBalance = db.prepare<[number, number], { balance: number }>(
    'UPDATE account SET balance = balance + ? WHERE id = ? RETURNING balance',
  )
  const listEntries = db.prepare<[string], LedgerRow>(ENTRIES)

  const accountOf = (owner: string, name: string): number => {
    const found = findAccount.get(owner, name)
    if (found) return found.id
    addAccount.run(owner, name)
    const made = findAccount.get(owner, name)
    if (!made) throw new Error(`account ${name} could not be opened`)
    return made.id
  }

  const move = (operationId: number, account: number, miles: number): void => {
    const moved = moveBalance.get(miles, account)
    if (!moved) throw new Error(`there is no account ${account}`)
    addPosting.run(operationId, account, miles, moved.balance)
  }

  return {
    /**
     * Records an operation with balanced postings: the collector’s accounts move by `moves`, the counter account by the
     * opposite amount. An account that does not move gets no posting. Returns the id of the operation.
     */
    post(
      operation: Operation,
      moves: Readonly<Partial<Record<CollectorAccount, number>>>,
      counter: ProgramAccount,
    ): number {
      const { lastInsertRowid } = addOperation.run({ undoes: null, transactedAt: operation.at, ...operation })
      const id = Number(lastInsertRowid)
      let moved = 0
      for (const name of ['cash', 'dream'] as const) {
        const miles = moves[name] ?? 0
        if (miles === 0) continue
        move(id, accountOf(operation.collectorNumber, name), miles)
        moved += miles
      }
      if (moved !== 0) move(id, accountOf(PROGRAM, counter), -moved)
      return id
    },

    balances(collectorNumber: string): Record<CollectorAccount, number> {
      return {
        cash: findAccount.get(collectorNumber, 'cash')?.balance ?? 0,
        dream: findAccount.get(collectorNumber, 'dream')?.balance ?? 0,
      }
    },

    entries: (collectorNumber: string): LedgerEntry[] => listEntries.all(collectorNumber).map(toEntry),

    check: (): Promise<LedgerCheck> => checkLedger(db),
  }
}

interface LedgerRow {
  id: number
  kind: string
  at: number
  collector_number: string
  sponsor_code: string
  reference: string | null
  idempotency_key: string | null
  undoes: number | null
  cash: number
  dream: number
}

const toEntry = (row: LedgerRow): LedgerEntry => ({
  operationId: row.id,
  operation: row.kind,
  at: new Date(row.at).toISOString(),
  collectorNumber: row.collector_number,
  sponsorCode: row.sponsor_code,
  reference: row.reference,
  idempotencyKey: row.idempotency_key,
  undoes: row.undoes,
  cash: row.cash,
  dream: row.dream,
})

export interface LedgerCheck {
  readonly ok: boolean
  readonly operations: number
  readonly problems: readonly string[]
}

/** Rows that the ledger check reads per event-loop tick: few enough not to delay requests. */
const BLOCK = 1_000

interface Page<Row> {
  readonly all: (after: number, limit: number) => Row[]
}

/**
 * Checks that operations balance, that balances are the sums of their postings, and that the state of each redemption
 * matches its operations. Reads one snapshot block by block on its own connection while requests are served. Rejects
 * when the services stop first.
 */
export async function checkLedger(db: Db): Promise<LedgerCheck> {
  const snapshot = new Database(db.name, { readonly: true })
  const problems: string[] = []
  try {
    snapshot.exec('BEGIN')
    const operations = await provePostings(db, snapshot, problems)
    await proveRedemptions(db, snapshot, problems)
    return { ok: problems.length === 0, operations, problems }
  } finally {
    snapshot.close()
  }
}

async function eachRow<Row>(
  services: Db,
  page: Page<Row>,
  keyOf: (row: Row) => number,
  look: (row: Row) => void,
): Promise<void> {
  for (let after = Number.MIN_SAFE_INTEGER; ;) {
    const rows = page.all(after, BLOCK)
    for (const row of rows) look(row)
    const last = rows.at(-1)
    if (last === undefined) return
    after = keyOf(last)
    await nextTurn()
    if (!services.open) throw new Error('the services stopped before the ledger check finished')
  }
}

interface OperationRow {
  id: number
  out: number | null
  moves: string
}
interface RedemptionRow {
  id: number
  operation_id: number
  miles: number
  state: string
  moved: number | null
  undone: number
}

async function provePostings(services: Db, db: Db, problems: string[]): Promise<number> {
  let operations = 0
  const sums = new Map<number, number>()
  const page = db.prepare<[number, number], OperationRow>(`
    SELECT o.id, sum(p.miles) AS out,
    json_group_array(json_array(p.account_id, p.miles, p.balance)) FILTER (WHERE p.account_id IS NOT NULL) AS moves
      FROM (SELECT id FROM operation WHERE id > ? ORDER BY id LIMIT ?) o LEFT JOIN posting p ON p.operation_id = o.id
     GROUP BY o.id ORDER BY o.id`)
  await eachRow(
    services,
    page,
    ({ id }) => id,
    ({ id, out, moves }) => {
      operations += 1
      if (out !== null && out !== 0) problems.push(`operation ${id} is out of balance by ${out}`)
      for (const [account, miles, balance] of JSON.parse(moves) as [number, number, number][]) {
        const sum = (sums.get(account) ?? 0) + miles
        sums.set(account, sum)
        if (balance !== sum)
          problems.push(
            `operation ${id} records a balance of ${balance} on account ${account}; the postings add up to ${sum}`,
          )
      }
    },
  )
  const accounts = db.prepare<[number, number], { id: number; balance: number }>(
    'SELECT id, balance FROM account WHERE id > ? ORDER BY id LIMIT ?',
  )
  await eachRow(
    services,
    accounts,
    ({ id }) => id,
    ({ id, balance }) => {
      const sum = sums.get(id) ?? 0
      if (balance !== sum) problems.push(`account ${id} has a balance of ${balance} but its postings add up to ${sum}`)
    },
  )
  return operations
}

async function proveRedemptions(services: Db, db: Db, problems: string[]): Promise<void> {
  const undone = db.prepare<[number, number], { undoes: number; times: number }>(
    'SELECT undoes, count(*) AS times FROM operation WHERE undoes > ? GROUP BY undoes ORDER BY undoes LIMIT ?',
  )
  await eachRow(
    services,
    undone,
    ({ undoes }) => undoes,
    ({ undoes, times }) => {
      if (times > 1) problems.push(`operation ${undoes} was reversed more than once`)
    },
  )
  const page = db.prepare<[number, number], RedemptionRow>(`
    SELECT r.id, r.operation_id, r.units * r.unit_miles AS miles, r.state,
           (SELECT p.miles FROM posting p JOIN account a ON a.id = p.account_id
             WHERE p.operation_id = r.operation_id AND a.collector_number = r.collector_number
             AND a.name = 'cash') AS moved,
           EXISTS (SELECT 1 FROM operation o WHERE o.undoes = r.operation_id) AS undone
      FROM redemption r WHERE r.id > ? ORDER BY r.id LIMIT ?`)
  await eachRow(
    services,
    page,
    ({ id }) => id,
    ({ id, miles, state, moved, undone: takenBack }) => {
      if (moved !== -miles || (state !== 'applied') !== (takenBack === 1))
        problems.push(`redemption ${id} and its entries disagree`)
    },
  )
}
