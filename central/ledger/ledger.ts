import type { Db } from '../db/open.ts'
import { checkLedger, type LedgerCheck } from './check.ts'

/** Collector accounts hold miles that a person owns; program accounts are the other side of every entry. */
export type CollectorAccount = 'cash' | 'dream'
export type ProgramAccount = 'opening' | 'issued' | 'redeemed'
/** The owner written for the program's own accounts. */
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
  /** When the miles move, epoch milliseconds. */
  readonly at: number
  /** When it was asked for; left out where that is the same moment. */
  readonly transactedAt?: number
  readonly collectorNumber: string
  readonly sponsorCode: string
  /** The partner's id of what caused it: traceId or checkoutTransactionId. */
  readonly reference: string | null
  readonly idempotencyKey: string | null
  /** The operation whose effect this one takes back. */
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
  /** What the operation moved on the collector's two accounts, in miles; negative left the account. */
  readonly cash: number
  readonly dream: number
}

export type Ledger = ReturnType<typeof createLedger>

/** The double-entry ledger. `post` must run inside a transaction. */
export function createLedger(db: Db) {
  const addAccount = db.prepare('INSERT INTO account (collector_number, name) VALUES (?, ?) ON CONFLICT DO NOTHING')
  const findAccount = db.prepare<[string, string], { id: number; balance: number }>(
    'SELECT id, balance FROM account WHERE collector_number = ? AND name = ?',
  )
  const addOperation = db.prepare(
    `INSERT INTO operation (kind, at, collector_number, sponsor_code, reference, idempotency_key, undoes,
      transacted_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const addPosting = db.prepare('INSERT INTO posting (operation_id, account_id, miles, balance) VALUES (?, ?, ?, ?)')
  const moveBalance = db.prepare<[number, number], { balance: number }>(
    'UPDATE account SET balance = balance + ? WHERE id = ? RETURNING balance',
  )
  const listEntries = db.prepare<[string], LedgerRow>(`
    SELECT o.id, o.kind, o.at, o.collector_number, o.sponsor_code, o.reference, o.idempotency_key, o.undoes,
           coalesce(sum(p.miles) FILTER (WHERE a.name = 'cash'), 0) AS cash,
           coalesce(sum(p.miles) FILTER (WHERE a.name = 'dream'), 0) AS dream
      FROM operation o
      JOIN posting p ON p.operation_id = o.id
      JOIN account a ON a.id = p.account_id AND a.collector_number = o.collector_number
     WHERE o.collector_number = ?
     GROUP BY o.id ORDER BY o.id`)

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
     * Writes one balanced entry: the collector's accounts move by the given miles and the counter account by their
     * opposite. Nothing is written when nothing moves. Returns the operation's id.
     */
    post(
      operation: Operation,
      moves: Readonly<Partial<Record<CollectorAccount, number>>>,
      counter: ProgramAccount,
    ): number {
      const id = Number(
        addOperation.run(
          operation.kind,
          operation.at,
          operation.collectorNumber,
          operation.sponsorCode,
          operation.reference,
          operation.idempotencyKey,
          operation.undoes ?? null,
          operation.transactedAt ?? operation.at,
        ).lastInsertRowid,
      )
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

    /** Miles on both accounts now; 0 where there is no account. */
    balances(collectorNumber: string): Record<CollectorAccount, number> {
      return {
        cash: findAccount.get(collectorNumber, 'cash')?.balance ?? 0,
        dream: findAccount.get(collectorNumber, 'dream')?.balance ?? 0,
      }
    },

    /** A collector's operations that moved miles, oldest first. */
    entries: (collectorNumber: string): LedgerEntry[] => listEntries.all(collectorNumber).map(toEntry),

    /** Proves at any moment that everything balances, without keeping requests waiting. */
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
