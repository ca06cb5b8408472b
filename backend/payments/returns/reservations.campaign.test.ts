import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../core/http/testing.ts'
import { startCable } from '../../../packages/lab/testing/cable.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { APPLES, buy, DETERGENT, returnPieces, quoteOf } from '../../../packages/lab/testing/return-steps.ts'
import { reservationStates, commandOf, ONE, returnsOf } from '../../../packages/lab/testing/store-reservations.ts'
import { lanesOf } from '../../../packages/lab/testing/store-lanes.ts'
import { useStore } from '../../../packages/lab/testing/store.ts'
import type { TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const store = useStore('03', '04', '05', '06', '07', '08', '09', '10', '11', '12', '13', '14')
const { open, whenSynced, holds, answered } = lanesOf(central, store)

test('a lane that stopped without an answer to its reservation of a return releases it at its next start', async ({
  skip,
}) => {
  const one = await open(skip, '03')
  const two = await open(skip, '04')
  const sale = await buy(one, [[APPLES, 1]], { cash: true })
  await whenSynced(one)
  const command = commandOf(sale, await answered(() => quoteOf(two, sale, ONE)))
  store.freeze()
  expect(await two.refused('POST', '/api/returns', command)).toBe('return-store-away')
  await two.close()
  store.thaw()
  const again = await open(skip, '04', { folder: two.folder })
  await holds(returnsOf(sale), [{ state: 'released' }])
  expect(again.read('SELECT id FROM sale_return')).toEqual([])
  expect((await answered(() => returnPieces(again, sale, [1, 1]))).totals.totalCents).toBe(699)
})

test('a lane that was killed after requesting a reservation for a return, before any answer, refunds nothing', async ({
  skip,
}) => {
  const one = await open(skip, '13')
  const two = await open(skip, '14')
  const sale = await buy(one, [[APPLES, 1]], { cash: true })
  await whenSynced(one)
  const command = commandOf(sale, await answered(() => quoteOf(two, sale, ONE)))
  store.freeze()
  const refused = two.refused('POST', '/api/returns', command)
  await vi.waitFor(() => expect(reservationStates(two)).toEqual(['asked']), { interval: 1 })
  const folder = temporaryFolder()
  for (const file of readdirSync(two.folder).filter((name) => !name.startsWith('paper')))
    cpSync(join(two.folder, file), join(folder, file), { recursive: true })
  await refused
  await two.close()
  store.thaw()
  const again = await open(skip, '14', { folder })
  await holds(returnsOf(sale), [{ state: 'released' }])
  await vi.waitFor(() => expect(reservationStates(again)).toEqual(['released']))
  expect(again.read('SELECT id FROM sale_return')).toEqual([])
  expect((await answered(() => returnPieces(one, sale, [1, 1]))).totals.totalCents).toBe(699)
})

test('a return committed as the store server goes offline is sent later and remains reserved until then', async ({
  skip,
}) => {
  const one = await open(skip, '05')
  const two = await open(skip, '06')
  const sale = await buy(one, [[APPLES, 1]], { cash: true })
  await whenSynced(one)
  await answered(() => returnPieces(two, sale, [1, 1]))
  await store.killPostgres()
  await two.close()
  await store.restartPostgres()
  await answered(async () =>
    expect(await one.refused('POST', '/api/returns/quote', { saleId: sale.id, lines: ONE })).toBe(
      'return-exceeds-sold',
    ),
  )
  await open(skip, '06', { folder: two.folder })
  await holds(`${returnsOf(sale)} DESC LIMIT 1`, [{ state: 'returned' }])
})

test(
  'two lanes that return the same goods at once, two hundred times, return them once each time',
  { timeout: 600_000 },
  async ({ skip }) => {
    const one = await open(skip, '07')
    const two = await open(skip, '08')
    for (let times = 1; times <= 200; times += 1) {
      const sale = await buy(one, [[APPLES, 1]], { cash: true })
      await whenSynced(one)
      await answered(async () => {
        const [here, there] = [await quoteOf(one, sale, ONE), await quoteOf(two, sale, ONE)]
        const answers = await Promise.all([
          one.call('POST', '/api/returns', commandOf(sale, here)),
          two.call('POST', '/api/returns', commandOf(sale, there)),
        ])
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      })
      expect(
        [...reservationStates(one), ...reservationStates(two)].filter((state) => state === 'committed'),
      ).toHaveLength(times)
    }
    const paid = one.read<{ cents: number }>('SELECT sum(amount_cents) AS cents FROM tender')[0]?.cents ?? 0
    const back = [
      ...one.read<{ cents: number }>('SELECT total_cents AS cents FROM sale_return'),
      ...two.read<{ cents: number }>('SELECT total_cents AS cents FROM sale_return'),
    ]
    expect(back.reduce((sum, { cents }) => sum + cents, 0)).toBe(paid)
  },
)

test('the lane of a return takes back miles of another lane’s sale once they are confirmed', async ({ skip }) => {
  const one = await open(skip, '09')
  const two = await open(skip, '10')
  const cable = await startCable(central.url)
  await one.close()
  const offline = await open(skip, '09', { folder: one.folder, issuanceUrl: cable.url })
  const before = await central.balances('80000000011')
  await cable.unplug()
  const sale = await buy(offline, [[DETERGENT, 1]], { card: 'fine' })
  await whenSynced(offline)
  const quote = await answered(() => quoteOf(two, sale, ONE))
  expect(quote.milesTaken).toEqual({ certainty: 'later' })
  await answered(() => returnPieces(two, sale, [1, 1]))
  expect(two.operations(), 'nothing is named that is not there yet').toEqual([])
  await cable.plug()
  await two.untilOperation('return', 'confirmed')
  expect(await central.balances('80000000011')).toEqual(before)
})

test('the limit of returns without approval counts the returns of a sale, or of a person, at all lanes', async ({
  skip,
}) => {
  const actions = { return: { cashier: 'with-approval' }, 'return-unrecorded': { cashier: 'alone' } } as const
  const approvals = { returnFromDollars: 40, actions }
  const one = await open(skip, '11', { approvals })
  const two = await open(skip, '12', { approvals })
  const sale = await buy(one, [[DETERGENT, 2]], { cash: true })
  await whenSynced(one)
  expect((await answered(() => quoteOf(one, sale, ONE))).needsApproval).toBe(false)
  await answered(() => returnPieces(two, sale, [1, 1]))
  expect((await answered(() => quoteOf(one, sale, ONE))).needsApproval).toBe(true)
  const unrecorded = (lane: TerminalHarness) =>
    lane.call('POST', '/api/returns/without-record', { items: [{ sku: DETERGENT, quantity: 1 }], reason: 'No receipt' })
  expect((await unrecorded(two)).status).toBe(200)
  await whenSynced(two)
  await answered(() => quoteOf(one, sale, ONE))
  expect((await unrecorded(one)).body.code).toBe('approval-required')
})
