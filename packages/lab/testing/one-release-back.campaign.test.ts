import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { formatRefusal } from '../../../contracts/core/refusal.ts'
import { localDateTimeAt } from '../../../backend/core/zone.ts'
import { systemClock } from '../../../backend/core/clock.ts'
import { temporaryFolder } from '../../../backend/core/http/testing.ts'
import { createAuditChain } from '../../../backend/core/integrity/hash-chain.ts'
import { examineCopy } from '../../../backend/core/outbox/integrity-check.ts'
import { restoreDatabase } from '../../../backend/operations/restore/restore.ts'
import { brokenDayEnd } from '../simulation/day-end-invariants.ts'
import { useCentral } from './central.ts'
import { ADDITIVE, withLane, nextRelease, TODAY, updateTo, type OpenedLane } from './next-release.ts'
import { checkRecords, playDay } from './store-day.ts'
import { openTerminalHarness, type TerminalHarness } from './terminal-harness.ts'

const central = useCentral()
const CUSTOMERS = { sku: '1021', cardId: 'fine' }
const today = (): string => localDateTimeAt(systemClock.now(), 'America/Toronto').toPlainDate().toString()

async function dayOn<Found>(folder: string, then: (here: TerminalHarness) => Promise<Found>) {
  const here = await openTerminalHarness(central, { folder, staffId: 'sam' })
  try {
    return { day: await playDay(here, CUSTOMERS), found: await then(here) }
  } finally {
    await here.close()
  }
}
const nothing = (): Promise<void> => Promise.resolve()

function writeUnknownKinds({ db, seal, transact }: OpenedLane): void {
  const trail = createAuditChain({ db, seal })
  const { seq, hash } = trail.tip()
  const entry = {
    seq: seq + 1,
    at: systemClock.now(),
    kind: 'made-up',
    actorId: 'sam',
    subject: 'x',
    detail: '{"new":1}',
  }
  transact((tx) => {
    tx.run(
      db.prepare(`INSERT INTO audit_entry (id, at, kind, actor_id, subject, detail, hash)
        VALUES (@seq, @at, @kind, @actorId, @subject, @detail, @hash)`),
      { ...entry, hash: trail.hashOf(hash, entry) },
    )
    tx.run(
      db.prepare("INSERT INTO setting (name, value, from_at, at, staff_id) VALUES ('made.up', '1', @at, @at, 'sam')"),
      { at: entry.at },
    )
    tx.run(
      db.prepare(`INSERT INTO print_job (id, kind, subject, copy, document, open_drawer, state, created_at)
        VALUES ('made up', 'pickup-slip', 'x', 0, '{"new": true}', 0, 'unknown', @at)`),
      { at: entry.at },
    )
  })
}

const BREAKS_PAYMENTS = `CREATE TRIGGER tender_has_wallet BEFORE INSERT ON tender WHEN NEW.wallet = 'none'
  BEGIN SELECT RAISE(ABORT, 'a payment names its wallet'); END;`

describe('this program, run as the previous release on a newer database', () => {
  test('works on the database of a compatible next release, which then reads all of the data', async () => {
    const folder = temporaryFolder()
    const first = await dayOn(folder, nothing)
    await withLane(folder, nextRelease(), writeUnknownKinds)
    const second = await dayOn(folder, (here) => checkRecords(here, today()))
    expect(second.found).toEqual({
      audit: null,
      backup: null,
      report: 'done',
      // The journal has two sales, a return and a cash movement of each of the two days.
      found: 8,
      supportSchema: TODAY + 1,
    })
    expect(second.day.z.number).toBe(first.day.z.number + 1)

    const read = await withLane(folder, nextRelease(), ({ db }) => ({
      days: brokenDayEnd(db),
      channels: db.prepare("SELECT count(*) FROM sale WHERE state = 'completed' AND channel IS NULL").pluck().get(),
      wallets: db.prepare('SELECT DISTINCT wallet FROM tender').pluck().all(),
      trail: db.prepare("SELECT count(*) FROM audit_entry WHERE kind = 'made-up'").pluck().get(),
    }))
    expect(read).toEqual({ days: [], channels: 2, wallets: ['none'], trail: 1 })
    const copy = join(temporaryFolder(), 'copy.db')
    copyFileSync(join(folder, 'terminal.db'), copy)
    const key = Buffer.from(readFileSync(join(folder, 'seal.key'), 'utf8'), 'base64')
    expect(examineCopy(copy, key)).toMatchObject({ problem: null, schema: TODAY + 1 })
  })

  test('creates the support file and restores a backup from the newer schema', async () => {
    const folder = temporaryFolder()
    await withLane(folder, nextRelease(), ({ db }) => {
      db.exec("INSERT INTO staff (id, name, role, locale) VALUES ('sam', 'Sam', 'manager', 'en-CA')")
    })
    const backup = join(temporaryFolder(), 'newer.db')
    copyFileSync(join(folder, 'terminal.db'), backup)
    const file = join(temporaryFolder(), 'support.json.gz')
    const program = join(import.meta.dirname, '../../../backend/operations/support/support-file.ts')
    const made = spawnSync(process.execPath, [...process.execArgv, program, '--data', folder, '--out', file], {
      encoding: 'utf8',
    })
    expect(made).toMatchObject({ status: 0, stderr: '' })
    expect(JSON.parse(gunzipSync(readFileSync(file)).toString())).toMatchObject({
      program: { schema: TODAY + 1, knownSchema: TODAY },
    })

    expect(restoreDatabase(folder, backup, null).map((notice) => formatRefusal(notice))).toContain(
      'This is epoch 2 of the lane: numbers of sales, returns, shifts and Z reports are not used again.',
    )
    await updateTo(folder, nextRelease())
    const here = await openTerminalHarness(central, { folder, staffId: 'sam' })
    expect((await here.ring('1021')).state).toBe('open')
  })

  test('fails on a migration that is declared readable but rejects the rows that this program writes', async () => {
    const folder = temporaryFolder()
    await updateTo(folder, nextRelease(`${ADDITIVE} ${BREAKS_PAYMENTS}`))
    await expect(dayOn(folder, nothing)).rejects.toThrow(/POST \/api\/sales\/\w+\/tenders: 500/)
  })
})
