import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { EchoResult } from '../../../contracts/operations/diagnostics.ts'
import { testLog } from '../../core/http/testing.ts'
import { stopComponents } from '../../core/lifecycle.ts'
import { listeningOf } from './probes.ts'
import type { CentralServices } from '../../core/central/services.ts'
import { laneTimeOf, type LaneTime } from '../../core/lane-time.ts'
import { systemRng } from '../../core/clock.ts'
import { type DiagnosticsService, diagnosticsOf } from '../diagnostics/diagnostics.ts'
import { type Settings, settingsOf } from '../../staff/settings/settings.ts'
import { testContext, provideCentral } from '../../../packages/lab/testing/lane-context.ts'
import { trainingStore } from '../../../packages/lab/testing/load/store.ts'

const MINUTE = 60_000
const answered = (httpStatus: number | null, latencyMs: number | null): EchoResult => ({
  at: '2026-11-25T10:00:00Z',
  outcome: httpStatus === 200 ? 'approved' : 'timeout',
  responseCode: null,
  httpStatus,
  latencyMs,
  message: null,
  requestHeaders: {},
  traceId: 'T1',
})

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/**
 * Runs the periodic checks for this many minutes while the service gives this answer, and counts the calls to the
 * service and the checks of the clock.
 */
async function asksWithin(minutes: number, answer: EchoResult, { admits = true } = {}) {
  const usual = answered(200, 80)
  const counts = { asks: 0, looks: 0 }
  const { profile } = trainingStore()
  const ctx = testContext({
    profile: { ...profile, limits: { ...profile.limits, echoIntervalMs: MINUTE } },
    rng: { ...systemRng, fraction: () => 0.5 },
    log: testLog().log,
  })
  laneTimeOf.provide(ctx, { updateHealth: () => (counts.looks += 1) } as unknown as LaneTime)
  provideCentral(ctx, { load: { admits: () => admits } as unknown as CentralServices['load'] })
  diagnosticsOf.provide(ctx, {
    runEcho: () => {
      counts.asks += 1
      return Promise.resolve(counts.asks === 1 ? usual : answer)
    },
  } as DiagnosticsService)
  settingsOf.provide(ctx, { onChange: () => undefined } as unknown as Settings)
  listeningOf(ctx)
  await vi.advanceTimersByTimeAsync(minutes * MINUTE)
  await stopComponents(ctx)
  await vi.advanceTimersByTimeAsync(10 * MINUTE)
  return counts
}

test('a service that answers normally, or not at all, is checked every minute', async () => {
  expect(await asksWithin(30, answered(200, 90))).toEqual({ asks: 30, looks: 30 })
  expect(await asksWithin(30, answered(null, null))).toEqual({ asks: 30, looks: 30 })
})

test('a slow or overloaded service is checked every few minutes, and the lane’s clock every minute', async () => {
  expect(await asksWithin(30, answered(200, 400))).toEqual({ asks: 6, looks: 30 })
  expect(await asksWithin(30, answered(503, 20))).toEqual({ asks: 6, looks: 30 })
})

test('a service whose calls are throttled gets no check', async () => {
  expect(await asksWithin(5, answered(200, 90), { admits: false })).toEqual({ asks: 0, looks: 5 })
})
