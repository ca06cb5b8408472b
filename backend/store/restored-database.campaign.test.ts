import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { openTerminalHarness, type TerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { useStore } from '../../packages/lab/testing/store.ts'

const central = useCentral()
const store = useStore('01', '02', '03')
const APPLES = '1001'
const WAIT = { timeout: 30_000, interval: 200 }

const pushed = (harness: TerminalHarness) =>
  vi.waitFor(
    async () =>
      expect((await harness.call('GET', '/api/store')).body).toMatchObject({ kind: 'connected', untold: 0, aside: 0 }),
    WAIT,
  )
async function sell(harness: TerminalHarness): Promise<string> {
  const { id, version } = await harness.ring(APPLES)
  const paid = await harness.call('POST', `/api/sales/${id}/tenders`, { kind: 'cash', version, tenderedCents: 700 })
  expect(paid.status).toBe(200)
  return id
}
const Facts = z.array(z.object({ lane: z.string(), seq: z.int(), kind: z.string(), subject: z.string() }))
const facts = async () =>
  Facts.parse(
    await store.query(
      'SELECT lane, seq, kind, subject FROM fact JOIN stream ON name = stream ORDER BY lane, epoch, seq',
    ),
  )
const salesOf = async (lane: string) =>
  (await facts()).filter((fact) => fact.lane === lane && fact.kind === 'sale').map(({ subject }) => subject)

/**
 * The store server's database is dumped (pg_dump), a day of sales follows, and it is restored (pg_restore). Lanes send
 * the lost facts again under the same numbers, whether they stayed connected, were off, or joined after the backup.
 */
test('after a restore of the store database, lanes send all facts since its backup again', async ({ skip }) => {
  const open = (lane: string) => openTerminalHarness(central, { store: store.place(skip, lane), laneId: lane })
  const [first, second] = await Promise.all([open('01'), open('02')])
  const sold = { '01': [await sell(first), await sell(first)], '02': [await sell(second)], '03': [] as string[] }
  await Promise.all([pushed(first), pushed(second)])
  await store.backUp()

  sold['01'].push(await sell(first), await sell(first))
  const late = await open('03')
  sold['03'].push(await sell(late))
  await Promise.all([pushed(first), pushed(late)])
  const before = await facts()
  await first.close()

  await store.restoreBackup()
  sold['02'].push(await sell(second))
  const again = await openTerminalHarness(central, {
    store: store.place(skip, '01'),
    laneId: '01',
    folder: first.folder,
  })
  sold['01'].push(await sell(again))
  await vi.waitFor(async () => {
    for (const lane of ['01', '02', '03'] as const) expect(await salesOf(lane)).toEqual(sold[lane])
  }, WAIT)
  await Promise.all([pushed(again), pushed(second), pushed(late)])
  // The same facts have the same numbers, so that no lane reads one twice.
  const now = await facts()
  expect(now).toEqual(expect.arrayContaining(before))
  expect(new Set(now.map(({ lane, seq }) => `${lane} ${seq}`)).size).toBe(now.length)
})
