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
  const notices = opened()
  notices.turn('online')
  expect(notices.waits()).toBeNull()
  notices.turn('offline')
  expect(notices.waits()).toBe(60_000)
  notices.turn('outage')
  notices.pass()
  const since = '2026-11-20T15:00:00.000Z'
  expect(notices.published).toEqual([{ type: 'central-turned', now: 'gone', state: 'outage', since, sound: true }])
  notices.turn('offline')
  expect(notices.waits()).toBeNull()
  notices.turn('online')
  expect(notices.published.slice(1)).toEqual([
    { type: 'central-turned', now: 'back', state: 'online', since, sound: true },
  ])
})

test('a short interruption causes no notice, and a lane without sounds marks its notices as silent', () => {
  const notices = opened(false)
  notices.turn('offline')
  notices.turn('online')
  expect([notices.waits(), notices.published]).toEqual([null, []])
  notices.turn('secret-refused')
  notices.pass()
  expect(notices.published).toMatchObject([{ now: 'gone', state: 'secret-refused', sound: false }])
  void notices.stop()
})
