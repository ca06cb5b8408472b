import { expect, test, vi } from 'vitest'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { useStore } from '../../packages/lab/testing/store.ts'
import { openTerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const store = useStore('01')

test('a store in production refuses a lane in training mode with the reason, and exchanges nothing with it', async ({
  skip,
}) => {
  const place = store.place(skip)
  await store.query("INSERT INTO store_mode (store, mode, lane) VALUES ('TRAIN-001', 'production', '02')")
  const harness = await openTerminalHarness(central, { store: place, laneId: '01', staffId: 'sam' })
  const { id, version } = await harness.ring('1001')
  const paid = await harness.call('POST', `/api/sales/${id}/tenders`, { kind: 'cash', version, tenderedCents: 700 })
  expect(paid.status).toBe(200)
  const state = async () => (await harness.call('GET', '/api/store')).body
  await vi.waitFor(async () => expect(await state()).toMatchObject({ kind: 'refused', why: 'mode' }), {
    timeout: 60_000,
  })
  expect(await harness.refused('GET', '/api/store/lanes')).toBe('store-pages-refused')
  expect(await store.query('SELECT lane, refused FROM lane')).toEqual([{ lane: '01', refused: 'mode' }])
  expect(await store.query('SELECT 1 FROM stream')).toEqual([])
})
