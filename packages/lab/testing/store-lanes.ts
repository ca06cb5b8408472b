import { expect, vi } from 'vitest'
import type { Central } from './central.ts'
import type { TestStore } from './store.ts'
import { openTerminalHarness, type TerminalHarness, type TerminalHarnessOptions } from './terminal-harness.ts'

/** A time limit longer than a held-back heartbeat plus the back-off of a lost connection. */
const LATEST = { timeout: 60_000, interval: 20 }

export const lanesOf = (central: Central, store: TestStore) => {
  const reached = (harness: TerminalHarness, kind = 'connected'): Promise<void> =>
    vi.waitFor(async () => expect((await harness.call('GET', '/api/store')).body).toMatchObject({ kind }), LATEST)
  return {
    reached,
    async open(
      skip: Parameters<TestStore['place']>[0],
      laneId: string,
      change: TerminalHarnessOptions = {},
    ): Promise<TerminalHarness> {
      const harness = await openTerminalHarness(central, { store: store.place(skip, laneId), laneId, ...change })
      await reached(harness)
      return harness
    },
    /** Resolves once the store server has all facts of this lane, so that other lanes may return goods of its sales. */
    async whenSynced(harness: TerminalHarness): Promise<void> {
      await vi.waitFor(async () => {
        const state = (await harness.call('GET', '/api/store')).body
        expect(state).toMatchObject({ kind: 'connected', untold: 0 })
        const [stream] = harness.read<{ name: string; confirmed: number }>(
          'SELECT name, told AS confirmed FROM store_stream ORDER BY epoch DESC LIMIT 1',
        )
        const { name, confirmed } = stream ?? {}
        const complete = `SELECT 1 FROM receipt_settled WHERE stream = '${name}' AND seq >= ${confirmed}`
        expect(await store.query(complete)).toHaveLength(1)
      }, LATEST)
    },
    /**
     * Repeats `ask` until it does not throw: on a busy machine the store server may respond later than a lane waits at
     * the checkout.
     */
    answered: <Answer>(ask: () => Promise<Answer>): Promise<Answer> => vi.waitFor(ask, LATEST),
    holds: (sql: string, rows: readonly object[]): Promise<void> =>
      vi.waitFor(async () => expect(await store.query(sql)).toMatchObject(rows), LATEST),
  }
}
