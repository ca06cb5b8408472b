import { expect, test } from 'vitest'
import { testClock } from '../core/http/testing.ts'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { saleActions } from '../../packages/lab/testing/sale-actions.ts'
import { openTerminalHarness, type TerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const HEAD = 'sku,barcode,name_en,name_fr,price,tax_category,department,category,minimum_age'
const CATALOG = `${HEAD}
2001,0628451101000,Cider,Cidre,10.00,standard,drinks,,19
2002,0628451104407,Apples,Pommes,2.00,zero-rated,produce,,
2003,,Lottery ticket,Billet de loterie,5.00,zero-rated,tickets,,
`
const ageChecks = { departments: [{ id: 'tickets', minimumAge: 18 }] }
const clock = () => testClock('2026-11-24T15:00:00Z')
const lane = (more: object = {}): Promise<TerminalHarness> =>
  openTerminalHarness(central, { catalog: CATALOG, clock: clock(), ageChecks, ...more })

const answer = async (harness: TerminalHarness, minimumAge: number, given: object) =>
  (
    await harness.call('POST', `/api/sales/${(await saleActions(harness).now()).id}/age-check`, {
      minimumAge,
      answer: given,
    })
  ).body
const born = (date: string) => ({ kind: 'date-of-birth', date })
const pay = async (harness: TerminalHarness) => {
  const { id, version } = await saleActions(harness).now()
  return (await harness.call('POST', `/api/sales/${id}/tenders`, { version, kind: 'cash', tenderedCents: 10_000 })).body
}

test('a sale needs one check of the highest age, and items scanned in the meantime are rung', async () => {
  const harness = await lane()
  expect((await harness.ring('2003')).ageCheck).toMatchObject({
    minimumAge: 18,
    bornBy: '2008-11-24',
    clearlyOver: false,
    items: [{ 'en-CA': 'Lottery ticket' }],
  })
  await harness.ring('2001')
  await harness.call('POST', '/api/training/scan', { code: '0628451104407' })
  const sale = await harness.until((now) => now.lines.length === 3)
  expect(sale.ageCheck).toMatchObject({ minimumAge: 19, bornBy: '2007-11-24' })
  expect(await pay(harness)).toMatchObject({ code: 'age-check-open' })
  expect(await answer(harness, 18, born('1990-04-27')), 'the higher age is asked for now').toMatchObject({
    sale: { ageCheck: { minimumAge: 19 } },
  })
  expect(await answer(harness, 19, born('2007-11-24'))).toMatchObject({ sale: { ageCheck: null } })
  expect((await harness.ring('2001')).ageCheck, 'once a sale').toBeNull()
  expect(await pay(harness)).toMatchObject({ sale: { state: 'completed' } })
  const records =
    JSON.stringify(harness.read('SELECT * FROM audit_entry')) + JSON.stringify(harness.read('SELECT * FROM sale'))
  expect(records).toContain('age-checked')
  expect(records, 'no date of birth is stored').not.toMatch(/2007-11-24|1990-04-27/)
})

test('a failed age check voids only the restricted items, and undoing the void requires the check again', async () => {
  const harness = await lane()
  await harness.ring('2002')
  await harness.ring('2001')
  expect(await answer(harness, 19, born('2007-11-25'))).toMatchObject({
    sale: { ageCheck: null, lines: [{ voided: false }, { sku: '2001', voided: true }] },
  })
  expect(harness.read("SELECT detail FROM audit_entry WHERE kind = 'age-refused'")).toEqual([
    { detail: '{"age":19,"by":"date-of-birth","line":"2"}' },
  ])
  expect(await saleActions(harness).undo()).toMatchObject({ sale: { ageCheck: { minimumAge: 19 } } })
  expect(await answer(harness, 19, { kind: 'refused' })).toMatchObject({ sale: { ageCheck: null } })
  expect(await pay(harness)).toMatchObject({ sale: { state: 'completed', totals: { totalCents: 200 } } })
})

test('the answer “clearly over” is refused where the store does not allow it, and so is an invalid date', async () => {
  const strict = await lane()
  await strict.ring('2001')
  expect(await answer(strict, 19, { kind: 'clearly-over' })).toMatchObject({ code: 'not-permitted' })
  for (const date of ['2026-11-25', '1890-01-01', '1990-02-30'])
    expect(await answer(strict, 19, born(date)), date).toMatchObject({ code: 'birth-date-invalid' })
  expect(await answer(strict, 18, born('1990-04-27'))).toMatchObject({ code: 'age-not-asked' })
  const { folder } = strict
  await strict.close()
  const again = await lane({ folder, ageChecks: { ...ageChecks, clearlyOver: true } })
  expect((await saleActions(again).now()).ageCheck, 'a restart asks again').toMatchObject({
    minimumAge: 19,
    clearlyOver: true,
  })
  expect(await answer(again, 19, { kind: 'clearly-over' })).toMatchObject({ sale: { ageCheck: null } })
})
