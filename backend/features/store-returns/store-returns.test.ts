import { expect, test, vi } from 'vitest'
import { useCentral } from '../../testing/central.ts'
import { APPLES, buy, DETERGENT, formsOf, giveBack, quoteOf, shown } from '../../testing/returning.ts'
import { useStore } from '../../testing/store.ts'
import { openTerminalHarness, type TerminalHarness } from '../../testing/terminal-harness.ts'

const central = useCentral()
const store = useStore('01', '02')

const told = (harness: TerminalHarness): Promise<void> =>
  vi.waitFor(
    async () => expect((await harness.call('GET', '/api/store')).body).toMatchObject({ kind: 'connected', untold: 0 }),
    { timeout: 15_000 },
  )
/** Resolves once other lanes may take goods of this lane's sales back. */
const settled = async (harness: TerminalHarness): Promise<void> => {
  await told(harness)
  const [{ told: number, name } = { told: 0, name: '' }] = harness.read<{ told: number; name: string }>(
    'SELECT told, name FROM store_stream ORDER BY epoch DESC LIMIT 1',
  )
  await vi.waitFor(
    async () =>
      expect(
        await store.query(`SELECT seq FROM receipt_settled WHERE stream = '${name}' AND seq >= ${number}`),
      ).toHaveLength(1),
    { timeout: 15_000 },
  )
}

test('a sale of lane 01 comes back whole at lane 02', async ({ skip }) => {
  const one = await openTerminalHarness(central, { store: store.place(skip, '01'), laneId: '01' })
  const two = await openTerminalHarness(central, { store: store.place(skip, '02'), laneId: '02' })
  const sale = await buy(
    one,
    [
      [DETERGENT, 2],
      [APPLES, 1],
    ],
    { cash: true },
  )
  await settled(one)
  await told(two)
  const returned = await giveBack(two, sale, [1, 1])
  expect(formsOf(returned)).toEqual([['cash', 2259, 1]])
  const quote = await quoteOf(one, sale, [{ number: 1, quantity: 1 }])
  expect(shown(quote)).toEqual([{ kind: 'cash', paidBy: 'cash', amountCents: 2259 }])
})
