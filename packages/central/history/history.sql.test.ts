import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openDatabase, type Db } from '../db/database.ts'
import { createLedger, type Ledger } from '../ledger.ts'
import { createHistoryRepository, MOVEMENTS } from './history.sql.ts'

let folder: string
let db: Db
let ledger: Ledger
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'milepost-central-'))
  db = openDatabase(folder)
  ledger = createLedger(db)
})
afterEach(() => {
  db.close()
  rmSync(folder, { recursive: true, force: true })
})

const [MINE, THEIRS] = ['80000000011', '80000000022']
const post = (
  collectorNumber: string,
  at: number,
  cash: number,
  more: { dream?: number; sponsorCode?: string; transactedAt?: number } = {},
): number =>
  ledger.post(
    { kind: 'POST', at, collectorNumber, sponsorCode: 'NRTH', reference: null, idempotencyKey: null, ...more },
    { cash, dream: more.dream ?? 0 },
    'issued',
  )

it('the history query reads a time range of one collector, with the balance after each operation', () => {
  post(MINE, 100, 7, { dream: 5 })
  post(THEIRS, 200, 1_000)
  post(MINE, 200, 3)
  post(MINE, 400, 2, { sponsorCode: 'RIVR', transactedAt: 300 })
  post(MINE, 500, 0, { dream: 9 })
  const history = createHistoryRepository(db)
  const movements = (from: number, to: number, sponsorList?: string[]) =>
    history
      .movementsOf(MINE, { from, to, ...(sponsorList ? { sponsorList } : {}) })
      .map(({ transactedAt, postedAt, cash, balance }) => [transactedAt, postedAt, cash, balance])
  expect(movements(200, 300)).toEqual([
    [200, 200, 3, 15],
    [300, 400, 2, 17],
  ])
  expect(movements(0, 199)).toEqual([[100, 100, 7, 12]])
  expect(movements(0, 900, ['RIVR', 'OLDE'])).toEqual([[300, 400, 2, 17]])
  expect(movements(301, 900)).toEqual([[500, 500, 0, 26]])
  expect(movements(600, 900)).toEqual([])
})
it('the history query finds operations by an index of their time, and scans no table of operations or postings', () => {
  const plan = db
    .prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${MOVEMENTS}`)
    .all({ collectorNumber: MINE, from: 0, to: 1, sponsors: null, cash: 1, dream: 2 })
    .map(({ detail }) => detail)
  expect(plan).toContainEqual(
    expect.stringContaining('operation_by_moment (collector_number=? AND transacted_at>? AND transacted_at<?)'),
  )
  expect(plan.filter((detail) => detail.startsWith('SEARCH p')).toSorted()).toEqual([
    'SEARCH p USING INDEX posting_by_account (account_id=? AND operation_id<?)',
    'SEARCH p USING INDEX posting_by_account (account_id=? AND operation_id<?)',
    'SEARCH p USING PRIMARY KEY (operation_id=? AND account_id=?)',
    'SEARCH p USING PRIMARY KEY (operation_id=? AND account_id=?)',
  ])
  expect(plan.filter((detail) => /^SCAN (o|p)\b/.test(detail))).toEqual([])
})
