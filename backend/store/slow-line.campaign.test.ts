import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { openTerminalHarness, type TerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { startDelayingProxy } from '../../packages/lab/testing/delaying-proxy.ts'
import { useStore } from '../../packages/lab/testing/store.ts'

const central = useCentral()
const store = useStore('01')
/** Delay in ms in each direction, so that a request takes three times as long as the checkout waits. */
const SLOW_MS = 450
/** Wait in ms that is longer than a held heartbeat and its answer on the slow line. */
const WATCHED_MS = 4_000

const becomes = (harness: TerminalHarness, kind: string) =>
  vi.waitFor(async () => expect((await harness.call('GET', '/api/store')).body).toMatchObject({ kind, untold: 0 }), {
    timeout: 60_000,
    interval: 20,
  })

test('the checkout skips the store server on a line that stays slow, and uses it again when the line is fast', async ({
  skip,
}) => {
  const wire = await startDelayingProxy(store.place(skip, '01'))
  const lane = await openTerminalHarness(central, { store: wire.place, laneId: '01' })
  await becomes(lane, 'connected')
  const before = lane.events().length
  wire.setDelay(SLOW_MS)
  // A heartbeat that was sent on the fast line is answered on the slow one.
  for (const until = performance.now() + WATCHED_MS; performance.now() < until; await pause(50))
    await lane.call('GET', '/api/sales/held')
  const changes = lane.events().slice(before)
  expect(changes.flatMap((event) => (event.type === 'store-changed' ? [event.store.kind] : []))).toEqual(['slow'])
  wire.setDelay(0)
  await becomes(lane, 'connected')
})
