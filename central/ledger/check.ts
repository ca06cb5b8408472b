import Database from 'better-sqlite3'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Db } from '../db/open.ts'

export interface LedgerCheck {
  readonly ok: boolean
  readonly operations: number
  readonly problems: readonly string[]
}

/** Rows that are proven between two turns of the event loop: few enough that no request notices. */
const BLOCK = 1_000

interface Page<Row> {
  readonly all: (after: number, limit: number) => Row[]
}

/**
 * Proves that every operation balances, that every balance, now and after each posting, is the sum of the postings, and
 * that every redemption agrees with its entries. The proof reads one snapshot on a connection of its own, block by
 * block: its cost grows with the ledger and no faster, requests are served meanwhile, and what they write is not looked
 * at. Rejects when the services stop before it ends.
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

/** Gives every row to `look`, in the order of its key, and lets others go first after every block. */
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
    if (!services.open) throw new Error('the services stopped before the ledger was proven')
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
          problems.push(`operation ${id} tells a balance of ${balance} on account ${account}, which held ${sum}`)
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
      if (balance !== sum) problems.push(`account ${id} keeps ${balance} but its postings sum to ${sum}`)
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
      if (times > 1) problems.push(`operation ${undoes} was taken back more than once`)
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
