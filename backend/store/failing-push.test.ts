import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { useStore } from '../../packages/lab/testing/store.ts'
import { openTerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const store = useStore('01')
const WAIT = { timeout: 60_000, interval: 100 }

test('a lane stays connected while all its pushes fail, and sends all facts once they succeed', async ({ skip }) => {
  const harness = await openTerminalHarness(central, { store: store.place(skip), laneId: '01' })
  const state = async () => (await harness.call('GET', '/api/store')).body
  await vi.waitFor(async () => expect(await state()).toMatchObject({ kind: 'connected', untold: 0 }), WAIT)
  await store.query('ALTER TABLE fact ADD CONSTRAINT full_disk CHECK (false) NOT VALID')
  const from = harness.events().length
  const { id, version } = await harness.ring('1001')
  const paid = await harness.call('POST', `/api/sales/${id}/tenders`, { kind: 'cash', version, tenderedCents: 700 })
  expect(paid.status).toBe(200)
  await pause(1_500)
  const kinds = harness
    .events()
    .slice(from)
    .flatMap((event) => (event.type === 'store-changed' ? [event.store.kind] : []))
  expect(kinds.filter((kind) => kind !== 'connected')).toEqual([])
  const failed = store.log().filter(({ level }) => Number(level) >= 50).length
  expect(failed, 'and tries again less and less').toBeGreaterThan(0)
  expect(failed).toBeLessThan(12)
  await store.query('ALTER TABLE fact DROP CONSTRAINT full_disk')
  await vi.waitFor(async () => expect(await state()).toMatchObject({ kind: 'connected', untold: 0 }), WAIT)
})
