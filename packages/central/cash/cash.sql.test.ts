import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openDatabase } from '../db/database.ts'
import { STANDING } from './cash.sql.ts'

it('reads what stands redeemed by collector and moment', () => {
  const folder = mkdtempSync(join(tmpdir(), 'milepost-central-'))
  const db = openDatabase(folder)
  const plan = db
    .prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${STANDING}`)
    .all({ collectorNumber: '8', offerId: 'R', midnight: 1, dayAgo: 1, now: 2 })
  expect(plan.map(({ detail }) => detail)).toEqual([
    expect.stringContaining('redemption_by_moment (collector_number=? AND transacted_at>? AND transacted_at<?)'),
  ])
  db.close()
  rmSync(folder, { recursive: true, force: true })
})
