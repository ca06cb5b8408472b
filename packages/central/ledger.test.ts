import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openDatabase, type Db } from './db/database.ts'
import { seedProgram } from './seed/seed.ts'
import { type Ledger, checkLedger, createLedger } from './ledger.ts'

let folder: string
let db: Db
let ledger: Ledger
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'milepost-central-'))
  db = openDatabase(folder)
  ledger = createLedger(db)
  seedProgram(db, ledger, 7, Date.now())
})
afterEach(() => {
  db.close()
  rmSync(folder, { recursive: true, force: true })
})

const FINE = '80000000011'
const operation = {
  kind: 'POST',
  at: 0,
  collectorNumber: FINE,
  sponsorCode: 'NRTH',
  reference: null,
  idempotencyKey: null,
} as const
const postMany = (count: number): void =>
  db.transaction(() => {
    for (let number = 0; number < count; number += 1) ledger.post(operation, { cash: 1 }, 'issued')
  })()
const count = (): number =>
  db.prepare<[], { count: number }>('SELECT count(*) AS count FROM operation').get()?.count ?? 0
const redeemed = (): number =>
  db.prepare<[], { operation_id: number }>('SELECT operation_id FROM redemption').get()?.operation_id ?? 0
const takeBack = (): number =>
  ledger.post(
    { ...operation, kind: 'REVERSE', collectorNumber: '80000000178', undoes: redeemed() },
    { cash: 95 },
    'redeemed',
  )

it('the check of a long ledger reads one snapshot and does not delay requests', async () => {
  postMany(5_000)
  const before = count()
  let [turns, proven] = [0, false]
  const checked = checkLedger(db).finally(() => {
    proven = true
  })
  while (!proven) {
    turns += 1
    ledger.post(operation, { cash: 1 }, 'issued')
    await new Promise(setImmediate)
  }
  expect(await checked).toEqual({ ok: true, operations: before, problems: [] })
  expect(turns).toBeGreaterThan(5)
})
it('the ledger check reports a redemption whose state disagrees with its reversal', async () => {
  takeBack()
  expect((await checkLedger(db)).problems).toEqual([expect.stringMatching(/^redemption \d+ and its entries disagree$/)])
  db.exec("UPDATE redemption SET state = 'reversed'")
  expect(await checkLedger(db)).toMatchObject({ ok: true })
  db.exec('UPDATE redemption SET units = 2')
  expect((await checkLedger(db)).problems).toHaveLength(1)
})
it('the ledger check reports an operation that was reversed twice', async () => {
  takeBack()
  takeBack()
  db.exec("UPDATE redemption SET state = 'reversed'")
  expect((await checkLedger(db)).problems).toEqual([`operation ${redeemed()} was reversed more than once`])
})
it('the ledger check finds the reversal of an operation by an index', () => {
  const plan = db
    .prepare<[], { detail: string }>('EXPLAIN QUERY PLAN SELECT 1 FROM operation o WHERE o.undoes = 7')
    .all()
    .map(({ detail }) => detail)
  expect(plan).toEqual([expect.stringMatching(/USING (COVERING )?INDEX operation_by_undone/)])
})
it('the ledger check fails if the services stop during the check', async () => {
  postMany(3_000)
  const checked = checkLedger(db)
  db.close()
  await expect(checked).rejects.toThrow(/stopped/)
  db = openDatabase(folder)
})
