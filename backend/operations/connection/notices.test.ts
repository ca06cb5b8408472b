import { expect, test } from 'vitest'
import type { CentralState } from '../../../contracts/operations/diagnostics.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { centralNoticesOf } from './connection.ts'
import { createCentralStatus } from '../../core/central/central-status.ts'
import { systemClock } from '../../core/clock.ts'
import { stopComponents } from '../../core/lifecycle.ts'
import { testContext, provideCentral } from '../../../packages/lab/testing/lane-context.ts'
import { trainingStore } from '../../../packages/lab/testing/load/store.ts'

function opened(sound = true) {
  const published: TerminalEvent[] = []
  let waiting: { ms: number; work: () => void } | null = null
  let change: (state: CentralState) => void = () => undefined
  const { profile } = trainingStore()
  const ctx = testContext({
    profile: { ...profile, connection: { ...profile.connection, noticeAfterMs: 60_000, sound } },
    clock: {
      ...systemClock,
      now: () => Date.parse('2026-11-20T15:00:00Z'),
      after(ms, work) {
        waiting = { ms, work }
        return () => {
          waiting = null
        }
      },
    },
    publish: (event) => {
      published.push(event)
    },
  })
  const central = createCentralStatus()
  provideCentral(ctx, {
    central: Object.assign(central, {
      onChange: (listener: typeof change) => {
        change = listener
      },
    }),
  })
  centralNoticesOf(ctx)
  return {
    published,
    stop: () => stopComponents(ctx),
    turn: (state: CentralState) => change(state),
    waits: () => waiting?.ms ?? null,
    pass: () => {
      const { work } = waiting ?? { work: () => undefined }
      waiting = null
      work()
    },
  }
}

test('the windows are notified once about an outage longer than the profile’s limit, and once about its end', () => {
  const lane = opened()
  lane.turn('online')
  expect(lane.waits()).toBeNull()
  lane.turn('offline')
  expect(lane.waits()).toBe(60_000)
  lane.turn('outage')
  lane.pass()
  const since = '2026-11-20T15:00:00.000Z'
  expect(lane.published).toEqual([{ type: 'central-turned', now: 'gone', state: 'outage', since, sound: true }])
  lane.turn('offline')
  expect(lane.waits()).toBeNull()
  lane.turn('online')
  expect(lane.published.slice(1)).toEqual([
    { type: 'central-turned', now: 'back', state: 'online', since, sound: true },
  ])
})

test('a short interruption causes no notice, and a lane without sounds marks its notices as silent', () => {
  const lane = opened(false)
  lane.turn('offline')
  lane.turn('online')
  expect([lane.waits(), lane.published]).toEqual([null, []])
  lane.turn('secret-refused')
  lane.pass()
  expect(lane.published).toMatchObject([{ now: 'gone', state: 'secret-refused', sound: false }])
  void lane.stop()
})
