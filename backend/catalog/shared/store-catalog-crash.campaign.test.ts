import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { openTestDatabase, temporaryFolder } from '../../core/http/testing.ts'
import { cents } from '../../../contracts/core/money.ts'
import { catalogText, createMemoryFiles, itemOf, syncAll } from '../../../packages/lab/testing/catalog-lane.ts'
import { openLane } from './lanes.fixture.ts'

const PROGRAM = join(import.meta.dirname, '../../../packages/lab/testing/crashes/store-catalog.ts')
const BEGINS = ['A,PLU-1,Apple,Pomme,1.00,standard,x,', 'B,,Bread,Pain,2.00,standard,x,']
const ROWS = Array.from({ length: 12_000 }, (_, at) => `N${at},,Item ${at},Article ${at},1.00,standard,x,`)
const isWhole = process.env['MILEPOST_CAMPAIGN'] === '1'

async function run(...given: string[]): Promise<{ readonly ended: unknown; readonly output: string }> {
  const child = spawn(process.execPath, [PROGRAM, ...given], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [output, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return { ended: signal ?? code, output }
}

async function given(): Promise<{ readonly folder: string; readonly catalog: string }> {
  const folder = temporaryFolder()
  const files = createMemoryFiles()
  const [one, two] = [
    await openLane(1, { files, profileRows: BEGINS }),
    await openLane(2, { files, profileRows: BEGINS }),
  ]
  one.items.save({ how: 'change', item: { ...itemOf('A', { barcode: 'PLU-1' }), priceCents: cents(150) } }, 'sam')
  await one.import([...BEGINS, ...ROWS])
  one.setAhead(60_000)
  one.items.save({ how: 'add', item: itemOf('P1', { barcode: 'PLU-9' }) }, 'sam')
  two.setAhead(90_000)
  two.items.save({ how: 'add', item: itemOf('P2', { barcode: 'PLU-9' }) }, 'sam')
  two.planned.plan({ sku: 'A', priceCents: cents(900), from: '2026-12-01T00:00' }, 'sam')
  two.items.remove('B', 'sam')
  for (const fact of two.sentFacts()) one.take(fact)
  await syncAll([one])
  const hash = one.catalog.editions.byId(one.catalog.place().edition).sourceHash.toString('hex')
  const { parts } = one.catalog.editions.sourceSize(one.catalog.place().edition)
  mkdirSync(folder, { recursive: true })
  for (let number = 1; number <= parts; number += 1) {
    const chunk = await files.fetch(hash, number)
    if (chunk instanceof Buffer) writeFileSync(join(folder, `${hash}.${number}`), chunk)
  }
  writeFileSync(join(folder, 'begins.json'), JSON.stringify(BEGINS))
  writeFileSync(join(folder, 'facts.json'), JSON.stringify([...one.sentFacts(), ...two.sentFacts()]))
  expect(parts).toBeGreaterThan(2)
  return { folder, catalog: catalogText(one.catalog.pathOf(one.catalog.place().edition)) }
}

async function found(folder: string) {
  const db = await openTestDatabase(folder)
  const current = db.prepare<[], string>('SELECT current_id FROM catalog_in_use').pluck().get() ?? ''
  const trail = db
    .prepare(
      `SELECT kind, subject, count(*) FROM audit_entry WHERE kind GLOB 'catalog-*' GROUP BY kind, subject
        ORDER BY kind, subject`,
    )
    .raw()
    .all()
  const left = db
    .prepare('SELECT (SELECT count(*) FROM store_catalog_part), (SELECT count(*) FROM store_catalog_due)')
    .raw()
    .get()
  return { catalog: catalogText(join(folder, 'catalog', `${current}.db`)), trail, left }
}

test("after a kill during or after any transaction, the lane gets the store's catalog exactly once", async () => {
  const { folder: from, catalog } = await given()
  const whole = temporaryFolder()
  const { ended, output } = await run(whole, from)
  expect(ended).toBe(0)
  const commits = Number(output)
  expect(commits).toBeGreaterThan(10)
  const expected = await found(whole)
  expect(expected).toMatchObject({ catalog, left: [0, 0] })
  const every = isWhole ? 1 : Math.ceil(commits / 6)
  for (let at = 1; at <= commits; at += every)
    for (const when of ['committing', 'committed']) {
      const folder = temporaryFolder()
      expect((await run(folder, from, when, String(at))).ended, `${when} ${at}`).toBe('SIGKILL')
      expect((await run(folder, from)).ended, `after ${when} ${at}`).toBe(0)
      expect(await found(folder), `${when} ${at}`).toEqual(expected)
    }
}, 900_000)
