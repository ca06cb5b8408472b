import { randomBytes, randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { SupportFile, SupportPreview } from '../../../contracts/operations/support.ts'
import { systemClock } from '../../core/clock.ts'
import { openTestDatabase } from '../../core/http/testing.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { DETERGENT, buy } from '../../../packages/lab/testing/return-steps.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { SUPPORT_SQL } from './support.sql.ts'

const central = useCentral()
const openLane = (): Promise<TerminalHarness> => openTerminalHarness(central, { staffId: 'sam' })

const preview = async (here: TerminalHarness): Promise<SupportPreview> => {
  const { status, body } = await here.call('POST', '/api/support-file/previews', {})
  expect(status, JSON.stringify(body)).toBe(200)
  return SupportPreview.parse(body)
}

function log(here: TerminalHarness, line: object): void {
  mkdirSync(join(here.folder, 'logs'), { recursive: true })
  appendFileSync(join(here.folder, 'logs', 'backend.log'), `${JSON.stringify(line)}\n`)
}

function set(name: string, value: string): void {
  const before = process.env[name]
  process.env[name] = value
  onTestFinished(() => {
    if (before === undefined) delete process.env[name]
    else process.env[name] = before
  })
}

describe('a support file', () => {
  test.each([
    ['whose battery is empty', 0],
    ['that was set to the end of the century', Date.parse('2099-12-31T00:00:00Z')],
  ])('is made at a lane with a clock %s', async (_, now) => {
    const shown = { now: null as number | null }
    const clock = { ...systemClock, now: () => shown.now ?? systemClock.now() }
    const here = await openTerminalHarness(central, { staffId: 'sam', clock })
    await buy(here, [[DETERGENT, 1]], { card: 'fine', units: 2 })
    shown.now = now
    await here.call('POST', '/api/diagnostics/echo', {})
    const { file } = await preview(here)
    expect(file.room.clock).toBe('off-central')
    expect(Math.abs(file.room.aheadSeconds ?? 0)).toBeGreaterThan(900_000_000)
  })

  test('is exactly the previewed one, can be fetched once, and is recorded in the audit trail', async () => {
    const here = await openLane()
    await buy(here, [[DETERGENT, 1]], { card: 'fine', units: 2 })
    log(here, { level: 50, time: '2026-11-20T15:00:00.000Z', msg: 'a call failed', correlationId: randomUUID() })
    const shown = await preview(here)
    expect(shown.fileName).toMatch(/^support_TRAIN-001_lane-01_\d{4}-\d\d-\d\d\.json\.gz$/)
    expect(shown.file.program).toMatchObject({ store: 'TRAIN-001', lane: '01', mode: 'training', stopped: null })
    expect(shown.file.devices?.list.map(({ role }) => role)).toContain('printer')
    expect(shown.file.log.entries).toMatchObject([{ message: 'a call failed' }])

    const { body } = await here.call('POST', '/api/support-file/exports', { preview: shown.id })
    const path = `/api/support-file/exports/${String(body['number'])}`
    const saved = await here.file(path)
    expect(saved).toMatchObject({ status: 200, type: 'application/gzip' })
    expect(saved.disposition).toBe(`attachment; filename="${shown.fileName}"`)
    expect(SupportFile.parse(JSON.parse(gunzipSync(saved.bytes).toString()))).toEqual(shown.file)
    expect(saved.bytes.length).toBe(shown.bytes)
    expect((await here.file(path)).status).toBe(404)
    expect(here.read("SELECT actor_id AS by, detail FROM audit_entry WHERE kind = 'support-file'")).toEqual([
      { by: 'sam', detail: JSON.stringify({ bytes: shown.bytes }) },
    ])
  })

  test('lists the calls of a lane to the program with their trace ids', async () => {
    const here = await openLane()
    await buy(here, [[DETERGENT, 1]], { card: 'fine', units: 2 })
    await here.untilOperation('issue', 'confirmed')
    mkdirSync(join(here.folder, 'logs'), { recursive: true })
    writeFileSync(join(here.folder, 'logs', 'backend.log'), here.logLines())
    const { file } = await preview(here)
    const calls = file.log.entries.filter(({ message, trace }) => message === 'called the program' && trace)
    expect(calls.map(({ service }) => service)).toEqual(expect.arrayContaining(['cash', 'issuance']))
  })

  test('can be previewed only by managers, and saved only with the id of its preview', async () => {
    const here = await openTerminalHarness(central, { staffId: 'alex' })
    expect(await here.refused('POST', '/api/support-file/previews', {})).toBe('manager-required')
    const sam = await openLane()
    await preview(sam)
    expect(await sam.refused('POST', '/api/support-file/exports', { preview: randomUUID() })).toBe(
      'support-preview-gone',
    )
    expect(sam.read("SELECT count(*) AS n FROM audit_entry WHERE kind = 'support-file'")).toEqual([{ n: 0 }])
  })

  test('names each changed setting, and its value if that is not personal', async () => {
    const here = await openLane()
    const change = async (name: string, value: unknown): Promise<void> => {
      const { status } = await here.call('PUT', `/api/settings/${name}`, {
        seen: 0,
        to: { kind: 'value', value },
        from: null,
      })
      expect(status).toBe(200)
    }
    await change('receipt.header', ['Ask for Jean'])
    await change('limits.idleLockMs', 600_000)
    const { file } = await preview(here)
    expect(file.settings.changed).toEqual([
      { name: 'receipt.header', value: null },
      { name: 'limits.idleLockMs', value: 10 },
    ])
  })

  test('counts queued calls, and open operations by type', async () => {
    const here = await openTerminalHarness(central, { staffId: 'sam', issuanceUrl: 'http://127.0.0.1:9' })
    await buy(here, [[DETERGENT, 1]], { card: 'fine', units: 2 })
    await here.untilOperation('issue', 'queued', 'sent')
    const { file } = await preview(here)
    expect(file.queue).toMatchObject({ waiting: 1, operations: [{ type: 'issue', count: 1 }] })
  })
})

describe('making a support file', () => {
  const refusal = async (here: TerminalHarness) => {
    const { status, body } = await here.call('POST', '/api/support-file/previews', {})
    expect(status).toBe(409)
    return body
  }

  test('is refused when the store’s id contains the client secret', async () => {
    const here = await openLane()
    set('MILEPOST_CLIENT_SECRET', 'RAIN-0')
    expect(await refusal(here)).toMatchObject({
      code: 'support-file-secret',
      details: [{ path: '/section', message: 'program' }],
    })
  })

  test('is refused when the file would contain a key of the data folder as an id', async () => {
    const here = await openLane()
    const id = randomUUID()
    writeFileSync(join(here.folder, 'client.secret'), id, { mode: 0o600 })
    log(here, { level: 50, time: '2026-11-20T15:00:00.000Z', msg: 'a call failed', correlationId: id })
    expect(await refusal(here)).toMatchObject({ code: 'support-file-secret', details: [{ message: 'log' }] })
  })

  test('is refused when a trace id in the log is the client secret', async () => {
    const here = await openLane()
    const secret = randomBytes(16).toString('hex')
    set('MILEPOST_CLIENT_SECRET', secret)
    log(here, { level: 50, time: '2026-11-20T15:00:00.000Z', msg: 'a call failed', trace: secret })
    expect(await refusal(here)).toMatchObject({ code: 'support-file-secret', details: [{ message: 'log' }] })
  })

  test('is refused when data of the lane does not match its declaration', async () => {
    const here = await openLane()
    writeFileSync(
      join(here.folder, 'backups', 'last-restore.json'),
      JSON.stringify({
        at: 'Jean Tremblay',
        backup: 'b',
        outcome: 'refused',
        reason: null,
        by: null,
        epoch: null,
        entriesLost: null,
        newestEntryAt: null,
        seconds: null,
      }),
    )
    const problem = await refusal(here)
    expect(problem).toMatchObject({ code: 'support-file-shape', details: [{ message: 'backups' }] })
    expect(JSON.stringify(problem)).not.toContain('Jean')
  })

  test('succeeds if environment variables have texts of the program or values that belong in the file', async () => {
    const here = await openLane()
    set('NODE_ENV', 'production')
    set('STORE', 'TRAIN-001')
    set('TZ_OF_STORE', 'America/Toronto')
    set('SALT', randomBytes(32).toString('base64'))
    await preview(here)
    expect(readFileSync(join(here.folder, 'seal.key'), 'utf8').length).toBeGreaterThan(40)
  })
})

test('every query of the support file uses an index', async () => {
  const db = await openTestDatabase()
  for (const sql of [SUPPORT_SQL.open, SUPPORT_SQL.attention, SUPPORT_SQL.verified]) {
    const plan = db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all()
    expect(plan[0]?.detail).toMatch(/USING (COVERING )?INDEX (operation_open|operation_attention|audit_entry_kind)/)
  }
})
