import { expect, test, vi } from 'vitest'
import { openTerminalHarness } from '../testing/terminal-harness.ts'
import { useCentral } from '../testing/central.ts'
import { useStore } from '../testing/store.ts'

const central = useCentral()
const store = useStore('01')
const APPLES = '1001' // 6.99, no tax
const LATER = { timeout: 15_000, interval: 50 }

test('a sale on hold with such a name is shared', async ({ skip }) => {
  const lane = await openTerminalHarness(central, { store: store.place(skip, '01'), laneId: '01' })
  await vi.waitFor(
    async () => expect((await lane.call('GET', '/api/store')).body).toMatchObject({ kind: 'connected' }),
    LATER,
  )
  const { id, version } = await lane.ring(APPLES)
  expect((await lane.call('POST', `/api/sales/${id}/hold`, { version, name: 'A\u0000nna' })).status).toBe(200)
  await vi.waitFor(
    async () =>
      expect(await store.query('SELECT name, state FROM held_sale')).toEqual([
        { name: 'A\ufffdnna', state: 'waiting' },
      ]),
    LATER,
  )
})
