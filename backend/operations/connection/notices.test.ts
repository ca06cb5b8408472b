import { expect, test } from 'vitest'
import type { CentralState } from '../../../contracts/operations/diagnostics.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { centralNoticesOf } from './connection.ts'
import { createCentralStatus } from '../../core/central/central-status.ts'
import { systemClock } from '../../core/clock.ts'
import { stopParts } from '../../core/lifecycle.ts'
import { partContext, provideCentral } from '../../../packages/lab/testing/lane-context.ts'
import { trainingStore } from '../../../packages/lab/testing/load/store.ts'

/** Waits that end when told, and what was said. */
function opened(sound = true) {
  const said: TerminalEvent[] = []
  let waiting: { ms: number; work: () => void } | null = null
  let turn: (state: CentralState) => void = () => undefined
  const { profile } = trainingStore()
  const ctx = partContext({
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
      said.push(event)
    },
  })
  const central = createCentralStatus()
  provideCentral(ctx, {
    central: Object.assign(central, {
      onChange: (listener: typeof turn) => {
        turn = listener
      },
    }),
  })
  centralNoticesOf(ctx)
  return {
    said,
    stop: () => stopParts(ctx),
    turn: (state: CentralState) => turn(state),
    waits: () => waiting?.ms ?? null,
    pass: () => {
      const { work } = waiting ?? { work: () => undefined }
      waiting = null
      work()
    },
  }
}

test('gone for as long as the profile says is told once, and so is the return', () => {
  const lane = opened()
  lane.turn('online')
  expect(lane.waits()).toBeNull()
  lane.turn('offline')
  expect(lane.waits()).toBe(60_000)
  lane.turn('outage')
  lane.pass()
  const since = '2026-11-20T15:00:00.000Z'
  expect(lane.said).toEqual([{ type: 'central-turned', now: 'gone', state: 'outage', since, sound: true }])
  lane.turn('offline')
  expect(lane.waits()).toBeNull()
  lane.turn('online')
  expect(lane.said.slice(1)).toEqual([{ type: 'central-turned', now: 'back', state: 'online', since, sound: true }])
})

test('a blip is told in neither direction, and a silent lane says so', () => {
  const lane = opened(false)
  lane.turn('offline')
  lane.turn('online')
  expect([lane.waits(), lane.said]).toEqual([null, []])
  lane.turn('secret-refused')
  lane.pass()
  expect(lane.said).toMatchObject([{ now: 'gone', state: 'secret-refused', sound: false }])
  void lane.stop()
})
