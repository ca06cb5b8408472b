import { EventEmitter } from 'node:events'
import { expect, test, vi } from 'vitest'
import { eventually } from '../../core/http/testing.ts'
import { type StoreLink, storeOf } from '../../store/store-link.ts'
import { type HoldsState, seenHoldsOf, startWatching } from './watch-holds.ts'
import { systemClock } from '../../core/clock.ts'
import { stopComponents } from '../../core/lifecycle.ts'
import { testContext } from '../../../packages/lab/testing/lane-context.ts'

function start(version: string | null) {
  const current = { version, isThere: true }
  const events: StoreLink['events'] = new EventEmitter()
  const state = () => ({ kind: 'connected' as const, since: 0, why: null, untold: 0, aside: 0 })
  const due = new Set<() => void>()
  const look = vi.fn<() => Promise<HoldsState>>(async () => ({ kind: current.isThere ? 'available' : 'unavailable' }))
  const clock = {
    ...systemClock,
    after(_ms: number, run: () => void) {
      due.add(run)
      return () => void due.delete(run)
    },
  }
  const link = { state, events, holdsVersion: () => current.version } as StoreLink
  const ctx = testContext({ clock })
  storeOf.provide(ctx, link)
  seenHoldsOf.provide(ctx, { all: () => [], ask: look, refresh: look })
  startWatching(ctx)
  const untilIdle = () => eventually(() => expect(due.size).toBe(1))
  return {
    stop: () => void stopComponents(ctx),
    look,
    untilIdle,
    due,
    async pass(): Promise<void> {
      await untilIdle()
      const all = [...due]
      due.clear()
      for (const run of all) run()
      await untilIdle()
    },
    become(next: Partial<typeof current>): void {
      Object.assign(current, next)
      events.emit('holds')
    },
  }
}

test('a lane requests the held sales once for each version that the store server reports', async () => {
  const { look, pass, become, untilIdle } = start('one')
  for (let times = 0; times < 5; times += 1) await pass()
  expect(look).toHaveBeenCalledTimes(1)
  become({ version: 'two' })
  await untilIdle()
  expect(look).toHaveBeenCalledTimes(2)
  await pass()
  expect(look).toHaveBeenCalledTimes(2)
})

test('a lane requests held sales again while the store server does not answer', async () => {
  const { look, pass, become } = start('one')
  await pass()
  become({ version: 'two', isThere: false })
  await pass()
  become({ isThere: true })
  await pass()
  await pass()
  expect(look).toHaveBeenCalledTimes(4)
})

test('a lane polls a store server of the previous release, which sends no version of its held sales', async () => {
  const { look, pass } = start(null)
  for (let times = 0; times < 3; times += 1) await pass()
  expect(look).toHaveBeenCalledTimes(4)
})

test('a stopped lane requests no held sales', async () => {
  const { look, stop, become, due, untilIdle } = start('one')
  await untilIdle()
  stop()
  become({ version: 'two' })
  expect(due.size).toBe(0)
  expect(look).toHaveBeenCalledTimes(1)
})
