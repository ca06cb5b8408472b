import { expect, test } from 'vitest'
import { ZReport } from '../../../contracts/day/day-end.ts'
import { CurrentShift } from '../../../contracts/day/shifts.ts'
import { OFFER_PATHS } from '../../../contracts/central/offers.ts'
import { SaleId } from '../../../contracts/core/ids.ts'
import { systemClock } from '../../core/clock.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openJournalHarness, openSale } from '../../../packages/lab/testing/loyalty-harness.ts'
import { signInByPhone } from '../../../packages/lab/testing/phone.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { createReportRepository } from '../../day/reports/reports.sql.ts'
import { backUp, countOf, preview } from '../../operations/backups/backups.fixture.ts'

const central = useCentral()
const OFFER = 'c0ffee00-0000-4000-8000-000000000002'

test('a pending offer change is neither in the exceptions queue nor among the calls lost by a restore', async () => {
  const harness = await openTerminalHarness(central, { staffId: 'sam', restart: () => undefined })
  const backup = await backUp(harness)
  await harness.ring('1021')
  const { id } = await harness.swipe('fine')
  await signInByPhone(harness, id, '80000000011')
  await central.faults({ path: `${OFFER_PATHS.list}/${OFFER}/states`, times: 99, action: { kind: 'outage' } })
  const changes = [{ offerId: OFFER, change: 'save' }]
  expect((await harness.call('POST', `/api/sales/${id}/offer-states`, { changes })).status).toBe(200)
  await harness.untilOperation('offer-state', 'queued', 'sent')
  expect((await harness.call('GET', '/api/queue/summary')).body).toMatchObject({ waiting: 0, sending: 0, attention: 0 })
  const queue = JSON.stringify((await harness.call('GET', '/api/queue')).body)
  expect(queue).not.toContain(id)
  expect(countOf(await preview(harness, backup))).toEqual({ unfinished: 1 })
})

test('a Z report does not count the pending offer change of a held sale as unsent or undecided', async () => {
  const harness = await openTerminalHarness(central, { staffId: 'sam' })
  await harness.call('POST', '/api/shifts', { float: { by: 'sum', cents: 10_000 } })
  await harness.ring('1021')
  const { id } = await harness.swipe('poor')
  await signInByPhone(harness, id, '80000000055')
  await central.faults({ path: `${OFFER_PATHS.list}/${OFFER}/states`, times: 99, action: { kind: 'outage' } })
  const changes = [{ offerId: OFFER, change: 'save' }]
  expect((await harness.call('POST', `/api/sales/${id}/offer-states`, { changes })).status).toBe(200)
  await harness.untilOperation('offer-state', 'queued')
  const version = (await harness.current())?.version
  expect((await harness.call('POST', `/api/sales/${id}/hold`, { version })).status).toBe(200)
  await central.clearFaults()
  const { shift } = CurrentShift.parse((await harness.call('GET', '/api/shifts/current')).body)
  const count = { cash: { by: 'sum', cents: 10_000 }, cardSlipsCents: null, chequesCents: null }
  await harness.call('POST', `/api/shifts/${shift?.id}/counts`, { count })
  await harness.call('POST', `/api/shifts/${shift?.id}/close`, { reason: 'as counted', leftCents: 0 })
  const closed = await harness.call('POST', '/api/z-reports')
  expect(ZReport.parse(closed.body['report'])).toMatchObject({ totals: { miles: { unsent: 0, undecided: 0 } } })
  expect(harness.operations().map(({ type, state }) => [type, state])).toEqual([['offer-state', 'queued']])
})

test('a report does not count a pending offer change as unsent or undecided', async () => {
  const { db, journal, transact } = await openJournalHarness({ clock: systemClock })
  const saleId = SaleId.parse('N1010100000001K7QZ')
  openSale(db, saleId)
  transact((tx) => {
    journal.open(tx, {
      kind: 'offer-state',
      type: 'offer-state',
      saleId,
      collectorHash: Buffer.alloc(32, 1),
      state: 'queued',
      sending: false,
      call: {
        purpose: 'offer-state',
        path: `${OFFER_PATHS.list}/${OFFER}/states`,
        idempotencyKey: null,
        traceId: '00000000-0000-4000-8000-000000000009',
        dateTime: '2026-11-20T15:00:00.000Z',
        request: Buffer.from('{"states":[{"name":"SAVE","value":"SAVED"}]}'),
      },
      facts: {},
    })
  })
  db.prepare("INSERT INTO shift (id, lane, opened_at, opened_by, float_cents) VALUES (1, ?, 0, 'alex', 0)").run(saleId)
  db.prepare(`UPDATE sale SET state = 'cancelled', closed_at = 2, shift_id = 1, taxes = '[]'
    WHERE id = ?`).run(saleId)
  const { calls } = createReportRepository(db)
  const none = { miles: 0, unsent: 0, undecided: 0 }
  expect(calls({ lane: saleId, from: 0, before: 3 })).toEqual([none, none])
})
