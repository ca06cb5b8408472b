import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Setting } from '../../../contracts/staff/settings.ts'
import { Temporal } from 'temporal-polyfill/implementation'
import { testClock } from '../../core/http/testing.ts'
import { epochOf, localDateTimeAt } from '../../core/zone.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { trainingProfile } from '../../../packages/lab/testing/loyalty-harness.ts'
import { DETERGENT } from '../../../packages/lab/testing/return-steps.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { profileAt } from './effective-profile.ts'
import type { SettingRow } from './settings.sql.ts'

const central = useCentral()
const HST = [{ code: 'HST', percent: 15 }]

const named = async (harness: TerminalHarness, name: string): Promise<Setting> => {
  const { settings } = (await harness.call('GET', '/api/settings')).body as unknown as { settings: Setting[] }
  const setting = settings.find((one) => one.name === name)
  if (!setting) throw new Error(`unknown setting ${name}`)
  return setting
}
const change = async (harness: TerminalHarness, name: string, to: object, from: object | null = null) =>
  harness.call('PUT', `/api/settings/${name}`, { seen: (await named(harness, name)).newest, to, from })
const value = (of: unknown) => ({ kind: 'value', value: of })

describe('a setting', () => {
  test('applies at once and after a restart until it is reset, and the audit trail records its change', async () => {
    const harness = await openTerminalHarness(central, { staffId: 'sam' })
    expect((await change(harness, 'receipt.header', value(['Open late']))).status).toBe(200)
    expect(await named(harness, 'receipt.header')).toMatchObject({
      profile: [],
      value: ['Open late'],
      differs: true,
      change: { by: 'Sam Okafor' },
    })
    await harness.close()
    const again = await openTerminalHarness(central, { staffId: 'sam', folder: harness.folder })
    const sale = await again.ring(DETERGENT)
    await again.call('POST', `/api/sales/${sale.id}/tenders`, {
      version: sale.version,
      kind: 'cash',
      tenderedCents: 10_000,
    })
    expect(JSON.stringify((await again.call('GET', `/api/sales/${sale.id}/receipt`)).body)).toContain('Open late')
    await change(again, 'receipt.header', { kind: 'profile' })
    expect(await named(again, 'receipt.header')).toMatchObject({ value: [], differs: false })
    const entries = again.read<{ detail: string }>(
      "SELECT detail FROM audit_entry WHERE kind = 'setting-changed' ORDER BY id",
    )
    expect(entries.map(({ detail }) => JSON.parse(detail) as object)).toEqual([
      { setting: 'receipt.header', before: '[]', after: '["Open late"]' },
      { setting: 'receipt.header', before: '["Open late"]', after: '[]', asProfile: true },
    ])
  })

  test('has its new value on the next document and page, without a restart', async () => {
    const harness = await openTerminalHarness(central, { staffId: 'sam' })
    const payIn = () =>
      harness.call('POST', '/api/shifts/current/movements', { kind: 'paid-in', amountCents: 500, reason: 'change' })
    const papers = () => JSON.stringify(harness.read<{ document: string }>('SELECT * FROM print_job'))
    await harness.call('POST', '/api/shifts', { float: { by: 'sum', cents: 10_000 } })
    await harness.call('GET', '/api/diagnostics/connection')
    await payIn()
    expect(papers()).not.toContain('Open late')
    await change(harness, 'receipt.header', value(['Open late']))
    await change(harness, 'limits.echoIntervalMs', value(120_000))
    await payIn()
    expect(papers()).toContain('Open late')
    const { body } = await harness.call('GET', '/api/diagnostics/connection')
    expect(body).toMatchObject({ intervalMs: 120_000 })
  })

  test('is refused by the profile’s schema if its value is invalid, with a message at the invalid field', async () => {
    const harness = await openTerminalHarness(central, { staffId: 'sam' })
    const refusal = async (name: string, to: object, from: object | null = null) =>
      (await change(harness, name, to, from)).body
    expect(await refusal('taxes', value([{ code: 'HST', percent: 'x' }]))).toMatchObject({
      code: 'setting-invalid',
      details: [{ path: '/0/percent', message: 'Expected: a number.' }],
    })
    expect(await refusal('taxes', value([...HST, ...HST]))).toMatchObject({
      code: 'setting-invalid',
      details: [{ path: '/1/code' }],
    })
    expect(await refusal('limits.pinDigits', value(3))).toMatchObject({ details: [{ path: '/' }] })
    expect(await refusal('taxes', value(HST), { day: '2020-01-01', time: '00:00' })).toMatchObject({
      code: 'setting-past',
    })
    // If no one may close drawers, the store could never make a Z report again, so this value is refused.
    const never = { cashier: 'never', supervisor: 'never', manager: 'never', approvers: ['manager'] }
    expect(await refusal('approvals.actions.drawer-close', value(never))).toMatchObject({
      code: 'setting-invalid',
      details: [{ path: '/manager', message: 'Expected: one of alone, with-approval.' }],
    })
    for (const [name, outside, bound] of [
      ['limits.idleLockMs', 600, 'at least 1'],
      ['limits.signedInMs', 60_000, 'at least 1'],
      ['limits.echoIntervalMs', 1, 'at least 5'],
      ['limits.echoIntervalMs', 2 ** 31, 'at most 86400'],
      ['connection.noticeAfterMs', 2 ** 31, 'at most 86400'],
    ] as const)
      expect(await refusal(name, value(outside))).toMatchObject({
        code: 'setting-invalid',
        details: [{ path: '/', message: `Expected: ${bound}.` }],
      })
    expect(harness.read('SELECT id FROM setting')).toEqual([])
    const { newest } = await named(harness, 'taxes')
    await change(harness, 'taxes', value(HST))
    expect(
      await harness.refused('PUT', '/api/settings/taxes', { seen: newest, to: { kind: 'profile' }, from: null }),
    ).toBe('setting-stale')
  })

  test('is shown to managers only, and changed by managers only', async () => {
    const harness = await openTerminalHarness(central)
    expect(await harness.refused('GET', '/api/settings')).toBe('manager-required')
    const request = { seen: 0, to: value(HST), from: null }
    expect(await harness.refused('PUT', '/api/settings/taxes', request)).toBe('manager-required')
    expect(harness.read('SELECT id FROM setting')).toEqual([])
  })

  test('is undone by a further change, and a planned change is undone by cancelling it', async () => {
    const harness = await openTerminalHarness(central, { staffId: 'sam' })
    const undo = async (id: number) =>
      harness.call('POST', '/api/settings/taxes/undo', { seen: (await named(harness, 'taxes')).newest, id })
    await change(harness, 'taxes', value(HST))
    await change(harness, 'taxes', value([{ code: 'HST', percent: 14 }]), { day: '2099-01-01', time: '00:00' })
    const planned = await named(harness, 'taxes')
    expect(planned).toMatchObject({ value: HST, planned: [{ value: [{ percent: 14 }] }] })
    await undo(planned.planned[0]?.id ?? 0)
    expect(await named(harness, 'taxes')).toMatchObject({ value: HST, planned: [] })
    await undo(planned.change?.id ?? 0)
    expect(await named(harness, 'taxes')).toMatchObject({ value: null, differs: false })
    expect(harness.read('SELECT id FROM setting'), 'the history is retained').toHaveLength(4)
  })

  test('is not affected by a cancelled planned change, even if it was changed after the cancellation', async () => {
    const harness = await openTerminalHarness(central, { staffId: 'sam' })
    const fourteen = value([{ code: 'HST', percent: 14 }])
    await change(harness, 'taxes', fourteen, { day: '2099-01-01', time: '00:00' })
    const { planned, newest } = await named(harness, 'taxes')
    await harness.call('POST', '/api/settings/taxes/undo', { seen: newest, id: planned[0]?.id })
    await change(harness, 'taxes', value(HST))
    await change(harness, 'taxes', fourteen)
    expect(await named(harness, 'taxes')).toMatchObject({ value: [{ percent: 14 }], planned: [] })
    const { change: inForce } = await named(harness, 'taxes')
    const undone = { seen: inForce?.id, id: inForce?.id }
    await harness.call('POST', '/api/settings/taxes/undo', undone)
    expect(await named(harness, 'taxes'), 'the value before it').toMatchObject({ value: HST, planned: [] })
    const audited = harness.read("SELECT detail FROM audit_entry WHERE kind = 'setting-changed' ORDER BY id LIMIT 2")
    expect(audited).toMatchObject([{}, { detail: expect.stringContaining('"asProfile":true') as string }])
  })

  test('keeps its value when a manager undoes a change that another change has already replaced', async () => {
    const clock = testClock('2026-11-01T15:00:00Z')
    const harness = await openTerminalHarness(central, { staffId: 'sam', clock })
    await change(harness, 'receipt.link', value('https://store.example/1'))
    const { change: first } = await named(harness, 'receipt.link')
    await change(harness, 'receipt.link', value('https://store.example/2'))
    const { newest } = await named(harness, 'receipt.link')
    const refused = await harness.refused('POST', '/api/settings/receipt.link/undo', { seen: newest, id: first?.id })
    expect(refused).toBe('setting-stale')
    expect(await named(harness, 'receipt.link')).toMatchObject({ value: 'https://store.example/2' })
  })

  test('without a planned time stays in effect until the next change, even if the clock is set', async () => {
    const hour = 3_600_000
    const clock = testClock('2026-11-01T15:00:00Z')
    const harness = await openTerminalHarness(central, { staffId: 'sam', clock })
    const percent = async () => (await named(harness, 'approvals.discountAbovePercent')).value
    const set = (to: number, from: object | null = null) =>
      change(harness, 'approvals.discountAbovePercent', value(to), from)
    // This change is made while the clock is an hour ahead.
    await set(50)
    clock.set(-hour)
    expect(await percent()).toBe(50)
    expect((await named(harness, 'approvals.discountAbovePercent')).planned).toEqual([])
    await set(5)
    expect(await percent()).toBe(5)
    clock.set(2 * hour)
    expect(await percent(), 'the time at which 50 was set has come').toBe(5)
    // A planned change takes effect at its time, in spite of an earlier immediate change.
    await set(20, { day: '2026-11-01', time: '15:00' })
    await set(7)
    expect(await percent()).toBe(7)
    clock.set(24 * hour)
    expect(await percent()).toBe(20)
    await set(8)
    clock.set(-2 * hour)
    expect(await percent()).toBe(8)
  })

  test('is exported if it differs from the profile, and the exported file contains no formula', async () => {
    const harness = await openTerminalHarness(central, { staffId: 'sam' })
    await change(harness, 'receipt.link', value('https://store.example/'))
    await change(harness, 'receipt.header', value(['=1+1']))
    const file = async (format: string): Promise<string> =>
      ((await harness.call('POST', '/api/settings/exports', { format })).body as unknown as { text: string }).text
    const lines = (await file('csv')).split('\r\n')
    expect(lines[0]).toBe('\uFEFFsetting,profile,lane,since,by,planned')
    expect(lines.slice(1, -1).map((line) => line.split(',')[0])).toEqual(['receipt.header', 'receipt.link'])
    expect(lines[1]).toContain('"[""=1+1""]"')
    expect(JSON.parse(await file('json'))).toMatchObject({
      lane: '01',
      settings: [{ name: 'receipt.header', value: ['=1+1'] }, { name: 'receipt.link' }],
    })
    expect(harness.read("SELECT id FROM audit_entry WHERE kind = 'settings-export'")).toHaveLength(2)
  })
})

describe('a tax rate that changes at midnight', () => {
  test('applies to a sale that is open at midnight, and still after a restart', async () => {
    // It is 23:59 in Toronto, before the night in which the clocks go back.
    const clock = testClock('2026-11-01T03:59:00Z')
    const harness = await openTerminalHarness(central, { staffId: 'sam', clock })
    await change(harness, 'taxes', value(HST), { day: '2026-11-01', time: '00:00' })
    const before = await harness.ring(DETERGENT)
    expect(before.totals.totalCents).toBe(2259)
    clock.advance(60_000)
    const sale = await harness.current()
    expect(sale?.totals).toMatchObject({ totalCents: 2299, taxes: [{ code: 'HST', amountCents: 300 }] })
    await harness.close()
    clock.advance(8 * 3_600_000)
    const again = await openTerminalHarness(central, { staffId: 'sam', clock, folder: harness.folder })
    const paid = (
      await again.call('POST', `/api/sales/${before.id}/tenders`, {
        version: sale?.version,
        kind: 'cash',
        tenderedCents: 5_000,
      })
    ).body.sale
    expect(paid).toMatchObject({ state: 'completed', totals: { totalCents: 2299 } })
    await change(again, 'taxes', { kind: 'profile' })
    expect(
      (await again.call('GET', `/api/sales/${before.id}`)).body.sale.totals,
      'it keeps the taxes of its close',
    ).toMatchObject({ totalCents: 2299 })
  })

  test('takes effect when the store’s clock shows midnight, on every day of the year', () => {
    const base = trainingProfile()
    const zones = ['America/Toronto', 'America/St_Johns', 'America/Regina', 'America/Vancouver']
    const day = fc.integer({ min: 0, max: 729 }).map((days) => Temporal.PlainDate.from('2026-01-01').add({ days }))
    const turning = ['2026-03-08', '2026-11-01', '2027-03-14', '2027-11-07'].map((text) =>
      Temporal.PlainDate.from(text),
    )
    fc.assert(
      fc.property(
        fc.oneof(day, fc.constantFrom(...turning), fc.constantFrom(...turning.map((one) => one.add({ days: 1 })))),
        fc.constantFrom(...zones),
        fc.integer({ min: 0, max: 3 * 3_600_000 }),
        (date, timeZone, off) => {
          const midnight = epochOf(date.toPlainDateTime(), timeZone)
          expect(localDateTimeAt(midnight, timeZone).toString()).toBe(`${date.toString()}T00:00:00`)
          const row: SettingRow = {
            id: 1,
            name: 'taxes',
            value: JSON.stringify(HST),
            fromAt: midnight,
            at: 0,
            staffId: 'sam',
          }
          const rateAt = (instant: number) => profileAt(base, [row], instant).taxes?.[0]?.percent
          expect(rateAt(midnight - 1 - off)).toBeUndefined()
          expect(rateAt(midnight + off)).toBe(15)
        },
      ),
      { numRuns: 60 },
    )
  })
})
