import { expect, test, vi } from 'vitest'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { startDelayingProxy } from '../../packages/lab/testing/delaying-proxy.ts'
import { useStore } from '../../packages/lab/testing/store.ts'
import { openTerminalHarness, type TerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const store = useStore('01')
/** Delays in ms in each direction: LOST_MS makes a request exceed its time, USUAL_MS lets it be answered in 220 ms. */
const LOST_MS = 450
const USUAL_MS = 110

const becomes = (lane: TerminalHarness, kind: string) =>
  vi.waitFor(async () => expect((await lane.call('GET', '/api/store')).body).toMatchObject({ kind }), {
    timeout: 60_000,
    interval: 20,
  })

test('a store server that answers in 220 ms is used again after one late answer made the lane skip it', async ({
  skip,
}) => {
  const wire = await startDelayingProxy(store.place(skip))
  const lane = await openTerminalHarness(central, { store: wire.place, laneId: '01' })
  await becomes(lane, 'connected')
  wire.setDelay(LOST_MS)
  await vi.waitFor(
    async () => {
      await lane.call('GET', '/api/sales/held')
      expect((await lane.call('GET', '/api/store')).body).toMatchObject({ kind: 'slow' })
    },
    { timeout: 60_000 },
  )
  wire.setDelay(USUAL_MS)
  await becomes(lane, 'connected')
})
