import { describe, expect, test } from 'vitest'
import type { AuditPage, AuditVerification } from '../../contracts/staff/audit.ts'
import type { ZReport } from '../../contracts/day/day-end.ts'
import { kindsOf } from '../../contracts/staff/audit-kinds.ts'
import { openSchema } from '../core/db/schema.fixture.ts'
import { temporaryFolder, testClock } from '../core/http/testing.ts'
import { openTrail } from '../../packages/lab/testing/audit-trail.ts'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'
import { parseCsv } from '../catalog/editions/csv.ts'
import { exportPieces } from './audit.ts'
import { AUDIT_LISTS, createAuditRepository, KINDS_OF_PERSON, type EntryFilter } from './audit.sql.ts'

const central = useCentral()

const page = async (lane: TerminalHarness, query: Readonly<Record<string, string>> = {}): Promise<AuditPage> => {
  const { status, body } = await lane.call('GET', `/api/audit?${new URLSearchParams(query).toString()}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body as unknown as AuditPage
}
const kinds = ({ entries }: AuditPage): string[] => entries.map(({ kind }) => kind)

async function lane(options: Parameters<typeof openTerminalHarness>[1] = {}): Promise<TerminalHarness> {
  return openTerminalHarness(central, { staffId: 'sam', ...options })
}

describe('the list of the audit trail', () => {
  test('has the entries of a start and a sign-in, newest first, with the name of each person', async () => {
    const here = await lane()
    const { entries, next, people } = await page(here)
    expect(entries.map(({ number }) => number)).toEqual(entries.map((_, index) => entries.length - index))
    expect(entries[0]).toMatchObject({ kind: 'sign-in', actor: 'sam', subject: null, detail: {} })
    expect(kinds({ entries, next, people })).toEqual(
      expect.arrayContaining(['catalog-imported', 'profile-changed', 'staff-added']),
    )
    expect(next).toBeNull()
    expect(people).toEqual(expect.arrayContaining([{ id: 'sam', name: expect.any(String) as string }]))
  })

  test('is returned to a manager only', async () => {
    const here = await lane({ staffId: 'alex' })
    for (const path of ['/api/audit', '/api/audit/verification', '/api/audit/exports/1'])
      expect(await here.refused('GET', path)).toBe('manager-required')
    expect(await here.refused('POST', '/api/audit/verification')).toBe('manager-required')
    expect(await here.refused('POST', '/api/audit/exports', { format: 'csv', filter: {} })).toBe('manager-required')
  })

  test('is returned in pages without gaps and repetitions, also with a filter', async () => {
    const here = await lane()
    for (let volume = 0; volume < 9; volume += 1) await here.call('PUT', '/api/sounds', { volume })
    const filters: Record<string, string>[] = [
      {},
      { group: 'settings' },
      { person: 'sam' },
      { person: 'sam', group: 'settings' },
    ]
    for (const filter of filters) {
      const whole = (await page(here, { ...filter, limit: '100' })).entries
      const found: AuditPage['entries'] = []
      let after: string | null = ''
      while (after !== null) {
        const { entries, next }: AuditPage = await page(here, { ...filter, limit: '4', ...(after ? { after } : {}) })
        expect(entries.length).toBeLessThanOrEqual(4)
        found.push(...entries)
        after = next
      }
      expect(found, JSON.stringify(filter)).toEqual(whole)
      expect(found.length).toBeGreaterThan(8)
    }
  })

  test('is filtered by person, group, time and receipt', async () => {
    const here = await lane({ approvals: { actions: { 'line-void': { cashier: 'with-approval' } } } })
    const sale = await here.ring('1001', 2)
    await here.call('POST', `/api/sales/${sale.id}/lines/1/void`, { version: sale.version })
    await here.call('POST', '/api/sign-in', { staffId: 'alex', pin: '0000' })
    expect(kinds(await page(here, { group: 'approvals' }))).toEqual(['override'])
    expect(kinds(await page(here, { subject: sale.id }))).toEqual(['line-voided', 'override'])
    // No one was signed in when the wrong PIN was entered for Alex, so the entry is about Alex.
    expect(kinds(await page(here, { person: 'alex' }))).toContain('pin-wrong')
    expect(kinds(await page(here, { person: 'alex', group: 'sign-ins' }))).toEqual(['pin-wrong'])
    const [newest] = (await page(here)).entries
    expect(newest).toBeDefined()
    expect((await page(here, { to: newest?.at ?? '' })).entries.every(({ at }) => at < (newest?.at ?? ''))).toBe(true)
    expect(kinds(await page(here, { from: newest?.at ?? '', person: 'alex' }))).toEqual(['pin-wrong'])
    expect((await here.call('GET', '/api/audit?group=nothing')).status).toBe(400)
  })
})

describe('the entries of the audit trail', () => {
  test('contain for an approval its approver, the person who asked, the action and what it covered', async () => {
    const here = await lane({ staffId: 'alex', approvals: { actions: { 'line-void': { cashier: 'with-approval' } } } })
    const sale = await here.ring('1001', 2)
    const path = `/api/sales/${sale.id}/lines/1/void`
    const asked = await here.call('POST', path, { version: sale.version })
    const { covers } = (asked.body as { approval: { covers: string } }).approval
    const approval = { staffId: 'sam', pin: '9999', covers }
    expect((await here.call('POST', path, { version: sale.version, approval })).status).toBe(200)
    expect(here.read("SELECT actor_id, subject, detail FROM audit_entry WHERE kind = 'approval-given'")).toEqual([
      {
        actor_id: 'sam',
        subject: sale.id,
        detail: expect.stringMatching(
          /^\{"action":"line-void","askedBy":"alex","items":"0 × [^"]+","beforeCents":\d+,"afterCents":0\}$/,
        ) as string,
      },
    ])
  })

  test('contain the value of a setting before and after a change; an unchanged value adds no entry', async () => {
    const here = await lane()
    await here.call('PUT', '/api/sounds', { volume: 3 })
    await here.call('PUT', '/api/sounds', { volume: 3 })
    await here.call('PUT', '/api/staff/me/locale', { locale: 'fr-CA' })
    const { entries } = await page(here, { group: 'settings', person: 'sam' })
    expect(entries.filter(({ kind }) => kind === 'setting-changed').map(({ detail }) => detail)).toEqual([
      { setting: 'language', before: 'en-CA', after: 'fr-CA' },
      { setting: 'volume', before: 6, after: 3 },
    ])
  })

  test('contain after a start the sections of a profile that changed; the same profile adds no entry', async () => {
    const folder = temporaryFolder()
    const first = await lane({ folder })
    await first.close()
    const again = await lane({ folder })
    await again.close()
    const other = await lane({ folder, limits: { backupKeepDays: 77 } })
    const { entries } = await page(other)
    expect(entries.filter(({ kind }) => kind === 'profile-changed').map(({ detail }) => detail['changed'])).toEqual([
      'limits',
      null,
    ])
    expect(entries.filter(({ kind }) => kind === 'catalog-imported')).toHaveLength(1)
  })

  test('include one for each start with a changed profile, even if the clock was ahead at a start before', async () => {
    const folder = temporaryFolder()
    const startAt = async (now: string, backupKeepDays: number): Promise<string[]> => {
      const here = await lane({ folder, clock: testClock(now), limits: { backupKeepDays } })
      const all = here.read<{ kind: string }>("SELECT kind FROM audit_entry WHERE kind = 'profile-changed'")
      await here.close()
      return all.map(({ kind }) => kind)
    }
    expect(await startAt('2031-01-01T15:00:00Z', 77)).toHaveLength(1)
    expect(await startAt('2026-11-20T15:00:00Z', 14)).toHaveLength(2)
    expect(await startAt('2026-11-20T16:00:00Z', 14)).toHaveLength(2)
  })

  test('contain the backup made when the program stops, and this entry causes no further backup', async () => {
    const folder = temporaryFolder()
    await (await lane({ folder, backsUpAtClose: true })).close()
    const next = await lane({ folder })
    const backups = (await page(next, { group: 'data' })).entries.filter(({ kind }) => kind === 'backup-made')
    expect(backups).toMatchObject([{ subject: expect.stringMatching(/^closing-.*\.db$/) as string }])
    expect(backups[0]?.detail['bytes']).toBeGreaterThan(0)
  })

  test('are covered by a Z report, which states the number and hash of the entry for that Z', async () => {
    const here = await lane()
    const float = { by: 'sum', cents: 0 }
    const { id } = (await here.call('POST', '/api/shifts', { float })).body['shift'] as { id: number }
    await here.call('POST', `/api/shifts/${id}/counts`, {
      count: { cash: float, cardSlipsCents: null, chequesCents: null },
    })
    await here.call('POST', `/api/shifts/${id}/close`, { reason: null, leftCents: 0 })
    const { audit } = (await here.call('POST', '/api/z-reports')).body['report'] as ZReport
    const [closed] = here.read<{ id: number; hash: Buffer }>(
      "SELECT id, hash FROM audit_entry WHERE kind = 'day-closed'",
    )
    expect(audit).toEqual({ seq: closed?.id, hash: closed?.hash.toString('hex') })
  })
})

describe('an export of the audit trail', () => {
  async function exported(here: TerminalHarness, format: 'csv' | 'json', filter: object = {}) {
    const made = (await here.call('POST', '/api/audit/exports', { format, filter })).body as unknown as {
      number: number
      fileName: string
    }
    const file = await here.file(`/api/audit/exports/${made.number}`)
    return { ...made, ...file, text: file.bytes.toString() }
  }

  test('is recorded in the audit trail with its format and filter, and can be fetched once', async () => {
    const here = await lane()
    const { number, fileName, status, type } = await exported(here, 'csv', { group: 'settings' })
    expect([status, type]).toEqual([200, 'text/csv; charset=utf-8'])
    expect(fileName).toMatch(/^audit_TRAIN-001_lane-01_\d{4}-\d\d-\d\d_\d+\.csv$/)
    expect((await page(here, { group: 'data' })).entries[0]).toMatchObject({
      number,
      kind: 'audit-export',
      actor: 'sam',
      detail: { format: 'csv', group: 'settings' },
    })
    expect(await here.refused('GET', `/api/audit/exports/${number}`)).toBe('not-found')
  })

  test('contains exactly the filtered list, as CSV and as JSON', async () => {
    const here = await lane()
    for (const volume of [1, 2, 3]) await here.call('PUT', '/api/sounds', { volume })
    const { entries } = await page(here, { group: 'settings', limit: '100' })
    const csv = await exported(here, 'csv', { group: 'settings' })
    const records = [...parseCsv([csv.text.slice(1)])].map(({ fields }) => fields)
    expect(records[0]).toEqual(['number', 'time', 'kind', 'person', 'name', 'subject', 'details'])
    expect(records.slice(1).map(([number]) => Number(number))).toEqual(entries.map(({ number }) => number))
    const json = JSON.parse((await exported(here, 'json', { group: 'settings' })).text) as {
      lane: string
      entries: object[]
    }
    expect(json).toMatchObject({ lane: '01', filter: { group: 'settings' }, entries })
  })

  test('has all of a thousand entries, in five pieces', async () => {
    const entries = Array.from({ length: 1_000 }, (_, index) => ({
      number: index + 1,
      at: '2026-11-21T14:00:00.000Z',
      kind: 'sign-in',
      actor: 'sam',
      subject: null,
      detail: {},
    }))
    const facts = { store: 'S', lane: '01', exportedAt: '2026-11-21T15:00:00.000Z', filter: {} }
    for (const format of ['csv', 'json'] as const) {
      const pieces: string[] = []
      for await (const piece of exportPieces(format, facts, entries, () => 'Sam')) pieces.push(piece)
      expect(pieces).toHaveLength(5)
      const text = pieces.join('')
      const found =
        format === 'csv'
          ? [...parseCsv([text.slice(1)])].slice(1).map(({ fields }) => Number(fields[0]))
          : (JSON.parse(text) as { entries: { number: number }[] }).entries.map(({ number }) => number)
      expect(found).toEqual(entries.map(({ number }) => number))
    }
  })

  test('contains no formula, and a text with separators stays a single value of the details', async () => {
    const here = await lane()
    await here.call('POST', '/api/shifts', { float: { by: 'sum', cents: 10_000 } })
    const reasons = ['=HYPERLINK("http://x")', 'Milk; amountCents=1;=1+1']
    for (const reason of reasons)
      await here.call('POST', '/api/shifts/current/movements', { kind: 'paid-out', amountCents: 100, reason })
    const { text } = await exported(here, 'csv', { group: 'drawer' })
    const records = [...parseCsv([text.slice(1)])].map(({ fields }) => fields)
    for (const fields of records) for (const field of fields) expect(field).not.toMatch(/^\s*[=+\-@]/)
    for (const cell of text.split(';')) expect(cell).not.toMatch(/^\s*[=+\-@]/)
    const details = records
      .filter(([, , kind]) => kind === 'cash-paid-out')
      .map((fields) => JSON.parse(fields[6] ?? '') as { amountCents: number; reason: string })
    expect(new Set(details.map(({ reason }) => reason))).toEqual(new Set(reasons))
    expect(details.map(({ amountCents }) => amountCents)).toEqual([-100, -100])
  })
})

describe('verifying the audit trail', () => {
  test('runs in the background, reports the result and the number of entries, and adds an audit entry', async () => {
    const here = await lane()
    expect((await here.call('GET', '/api/audit/verification')).body).toMatchObject({ state: 'never', verdict: null })
    const begun = (await here.call('POST', '/api/audit/verification')).body as unknown as AuditVerification
    expect(begun).toMatchObject({ state: 'running', read: 0 })
    const done = await verified(here)
    expect(done.verdict).toMatchObject({ entries: begun.total, broken: null })
    expect((await page(here, { group: 'data' })).entries[0]).toMatchObject({
      kind: 'audit-verified',
      actor: 'sam',
      detail: { entries: begun.total },
    })
  })

  async function verified(here: TerminalHarness): Promise<AuditVerification> {
    for (;;) {
      const { body } = await here.call('GET', '/api/audit/verification')
      if (body['state'] === 'done') return body as unknown as AuditVerification
    }
  }
})

test('every list of audit entries is read by an index in its order, without sorting', async () => {
  const schema = await openSchema()
  const plan = (sql: string): string => schema.plan(sql.replaceAll(/@\w+/g, '1'))
  expect(plan(AUDIT_LISTS.all)).toBe('SEARCH audit_entry USING INDEX audit_entry_at (at>? AND at<?)')
  expect(plan(AUDIT_LISTS.ofKind)).toBe('SEARCH audit_entry USING INDEX audit_entry_kind (kind=? AND at>? AND at<?)')
  expect(plan(AUDIT_LISTS.ofPerson)).toBe(
    'SEARCH audit_entry USING INDEX audit_entry_actor (actor_id=? AND kind=? AND at>? AND at<?)',
  )
  expect(plan(AUDIT_LISTS.ofSubject)).toContain('USING INDEX audit_entry_subject (subject=? AND at>? AND at<?)')
  for (const list of Object.values(AUDIT_LISTS)) expect(plan(list)).not.toContain('TEMP B-TREE')
  expect(plan(KINDS_OF_PERSON)).not.toContain('SCAN audit_entry')
})

test('lists of audit entries are merged newest first, each entry once, for any number of rows at a time', async () => {
  const clock = testClock()
  const trail = await openTrail(temporaryFolder(), clock)
  trail.fill(40)
  trail.transact((tx) => {
    // The entry is both by Alex and about Alex, so it is in both lists.
    trail.audit.record(tx, { kind: 'pin-changed', actorId: 'alex', subject: 'alex' })
  })
  const repository = createAuditRepository(trail.db)
  const filter: EntryFilter = {
    from: 0,
    before: { at: Number.MAX_SAFE_INTEGER, number: Number.MAX_SAFE_INTEGER },
    upTo: Number.MAX_SAFE_INTEGER,
    person: null,
    kinds: null,
    subject: null,
  }
  const numbers = (more: Partial<EntryFilter>, rowsAtOnce: number): number[] =>
    [...repository.entries({ ...filter, ...more }, rowsAtOnce)].map(({ number }) => number)
  const ofSales = trail.db
    .prepare<[string], number>(
      'SELECT id FROM audit_entry WHERE kind IN (SELECT value FROM json_each(?)) ORDER BY id DESC',
    )
    .pluck()
  for (const rowsAtOnce of [1, 3, 100]) {
    expect(numbers({}, rowsAtOnce)).toEqual(Array.from({ length: 41 }, (_, index) => 41 - index))
    const alex = numbers({ person: 'alex' }, rowsAtOnce)
    expect(alex).toEqual([...new Set(alex)].toSorted((one, other) => other - one))
    expect(alex[0]).toBe(41)
    const sales = numbers({ kinds: kindsOf('sales') }, rowsAtOnce)
    expect(sales).toEqual(ofSales.all(JSON.stringify(kindsOf('sales'))))
    expect(sales.length, 'of lists that are merged').toBeGreaterThan(10)
    expect(numbers({ upTo: 10 }, rowsAtOnce)).toHaveLength(10)
  }
  trail.end()
})
