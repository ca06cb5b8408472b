import { expect, test, vi } from 'vitest'
import { HeldSales } from '../../contracts/sales/held-sales.ts'
import type { Problem } from '../../contracts/core/errors.ts'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { APPLES, buy } from '../../packages/lab/testing/return-steps.ts'
import { lanesOf } from '../../packages/lab/testing/store-lanes.ts'
import { sellToStore } from '../../packages/lab/testing/store-vouchers.ts'
import { useStore } from '../../packages/lab/testing/store.ts'
import type { TerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'
import { present } from '../../packages/lab/testing/vouchers.ts'

const central = useCentral()
const store = useStore('01', '02')
const { open, whenSynced, answered } = lanesOf(central, store)
const LOST = 'e'.repeat(32)

const list = async (lane: TerminalHarness) => HeldSales.parse((await lane.call('GET', '/api/sales/held')).body)

const done = (ask: () => ReturnType<TerminalHarness['call']>) =>
  answered(async () => {
    const { status, body } = await ask()
    expect(status, JSON.stringify(body)).toBe(200)
    return body
  })

async function awaits14(code: string, ask: () => ReturnType<TerminalHarness['call']>): Promise<void> {
  const problem = await answered(async (): Promise<Problem> => {
    const { body } = await ask()
    expect(body).toMatchObject({ code })
    return body
  })
  expect(problem.messages['en-CA']).toMatch(/^The store data was restored\. First start lane 14, or .*\./)
  expect(problem.messages['fr-CA']).toMatch(
    /^Les données du magasin ont été restaurées\. Démarrez d’abord la caisse 14, ou .*\./,
  )
  expect(problem.messages['en-CA']).toContain('If a lane is lost for good, ')
  expect(problem.messages['fr-CA']).toContain('Si une caisse est perdue pour de bon, ')
  for (const text of Object.values(problem.messages)) {
    expect(text).toMatch(/owner|propriétaire/)
    expect(text, 'no shell command').not.toMatch(/npm|--/)
  }
}

test('after a restore of the store data, refusals of returns, vouchers and held sales name the awaited lane', async ({
  skip,
}) => {
  const one = await open(skip, '01', { staffId: 'sam' })
  const two = await open(skip, '02', { staffId: 'sam' })
  const sale = await buy(one, [[APPLES, 1]], { cash: true })
  const code = await sellToStore(store, one, 2_500)
  await whenSynced(one)
  const { id, version } = await one.ring(APPLES)
  expect((await one.call('POST', `/api/sales/${id}/hold`, { version, name: 'Blue coat' })).status).toBe(200)
  const resume = () => two.call('POST', `/api/sales/${id}/resume`, { version: 0 })
  const returnable = () => two.call('GET', `/api/sales/${sale.id}/returnable`)
  const lostSale = () => two.call('GET', '/api/sales/N101140000001K7QZ/returnable')
  const reprint = () => two.call('POST', `/api/sales/${sale.id}/reprint`, {})
  const pay = () => two.call('POST', '/api/vouchers/present', { code })
  await vi.waitFor(async () => expect((await list(two)).sales).toMatchObject([{ id, where: 'store' }]), 60_000)

  // As in a restored store whose lane 14 is switched off.
  await store.query("INSERT INTO lane (store, lane, version) SELECT store, '14', '1.0.0' FROM stream LIMIT 1")
  await store.query(
    `INSERT INTO stream (name, store, lane, epoch) SELECT '${LOST}', store, '14', 1 FROM stream LIMIT 1`,
  )
  await store.query(`INSERT INTO stream_awaited (store, stream) SELECT store, name FROM stream WHERE name = '${LOST}'`)
  expect(await answered(async () => shown(await list(two)))).toEqual({
    where: 'awaited',
    awaits: 'First start lane 14',
  })
  await awaits14('held-sale-lanes-awaited', resume)
  await awaits14('return-lanes-awaited', returnable)
  await awaits14('return-lanes-awaited', lostSale)
  await awaits14('voucher-lanes-awaited', pay)
  await done(reprint)
  expect((await two.call('GET', '/api/store/lanes')).body).toMatchObject({ vouchers: { awaited: [{ lane: '14' }] } })

  await store.query("UPDATE stream_awaited SET ended_at = now(), given_up_by = 'Sam', why = 'burnt'")
  expect(await answered(async () => shown(await list(two)))).toEqual({ where: 'store', awaits: null })
  expect(await answered(() => present(two, code))).toMatchObject({ balanceCents: 2_500 })
  await done(returnable)
  expect(await answered(async () => (await lostSale()).body)).toMatchObject({ code: 'not-found' })
  expect(await done(resume)).toMatchObject({ sale: { state: 'open', lines: [{ sku: APPLES }] } })
})

function shown({ sales: [sale], awaits }: HeldSales) {
  expect(sale?.where).not.toBe('away')
  return { where: sale?.where, awaits: awaits?.['en-CA'].match(/First start lane \d+/)?.[0] ?? null }
}
