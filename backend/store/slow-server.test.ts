import { expect, test, vi } from 'vitest'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { laySlowWire } from '../../packages/lab/testing/slow-wire.ts'
import { useStore } from '../../packages/lab/testing/store.ts'
import { openTerminalHarness, type TerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const store = useStore('01')
/** Each way, in milliseconds: a question that is lost, and one that is answered in 220 ms. */
const LOST_MS = 450
const USUAL_MS = 110

const becomes = (lane: TerminalHarness, kind: string) =>
  vi.waitFor(async () => expect((await lane.call('GET', '/api/store')).body).toMatchObject({ kind }), {
    timeout: 60_000,
    interval: 20,
  })

test('a server that answers in 220 ms is used again after one answer that was too slow', async ({ skip }) => {
  const wire = await laySlowWire(store.place(skip))
  const lane = await openTerminalHarness(central, { store: wire.place, laneId: '01' })
  await becomes(lane, 'connected')
  wire.takes(LOST_MS)
  await vi.waitFor(
    async () => {
      await lane.call('GET', '/api/sales/held')
      expect((await lane.call('GET', '/api/store')).body).toMatchObject({ kind: 'slow' })
    },
    { timeout: 60_000 },
  )
  wire.takes(USUAL_MS)
  await becomes(lane, 'connected')
})
