import { expect, test } from 'vitest'
import type { Answer, Transport } from '../../../../backend/core/central/transport.ts'
import type { Rng } from '../../../../backend/core/clock.ts'
import { testLog } from '../../../../backend/core/http/testing.ts'
import { issuancesOf } from '../../../../backend/loyalty/calls/issue.ts'
import { openJournalHarness, openSale, trainingProfile } from '../../testing/loyalty-harness.ts'
import { createSeededRng } from '../rng.ts'
import { createWorld } from '../world.ts'
import { answerOf, ISSUED, OK_ANSWER } from './answers.ts'
import type { Centre } from './central-services.ts'
import { createTimeline } from './event-queue.ts'
import { FleetLane } from './lane.ts'
import { OURS } from './policies.ts'
import { createRecorder } from './recorder.ts'
import { laneContext, provideCentral } from '../../testing/lane-context.ts'

type Script = readonly { readonly answer: Answer; readonly ms: number }[]

const fine = { answer: ISSUED, ms: 60 }
const full = { answer: answerOf(503, null, 30), ms: 30 }
const tooMany = { answer: answerOf(429, null, 5), ms: 30 }
const closed = { answer: answerOf(503, null), ms: 30 }
const broken = { answer: answerOf(500, {}), ms: 60 }
const silent = { answer: { kind: 'unknown', reason: 'no answer' }, ms: 15_000 } as const
const noToken = { answer: { kind: 'no-token', cause: 'unreachable', reason: 'no token' }, ms: 0 } as const

const HOUR_MS = 3_600_000
/** Random values are constant, because the terminal and the model may use a different number of them. */
const half: Rng = { ...createSeededRng(1), fraction: () => 0.5 }

async function sendsOfProduct(script: Script, calls: number): Promise<number[]> {
  const world = createWorld(Date.parse('2026-11-25T08:00:00Z'))
  const clock = world.clock(() => true)
  const { db, transact, outbox, seal } = await openJournalHarness({ clock })
  const profile = trainingProfile()
  const [lane] = profile.lanes
  if (!lane) throw new Error('the training profile has a lane')
  const sends: number[] = []
  const transport: Transport = {
    async send() {
      const { answer, ms } = script[sends.length] ?? fine
      sends.push(Math.round(world.now))
      await world.sleep(ms)
      return answer.kind === 'answer' ? { ...answer, latencyMs: ms } : answer
    },
  }
  const queueOfStart = () => {
    const ctx = laneContext({
      db,
      outbox,
      seal,
      clock,
      rng: { ...half, uuid: () => crypto.randomUUID() },
      log: testLog().log,
      profile,
      lane,
    })
    provideCentral(ctx, { transport })
    return issuancesOf(ctx)
  }
  const before = queueOfStart()
  before.stop()
  for (let call = 0; call < calls; call += 1)
    transact((tx) =>
      before.enqueue(tx, {
        type: 'issue',
        saleId: openSale(db, `SALE${call}`),
        collectorHash: Buffer.alloc(32, call + 1),
        expectedMiles: null,
        traceId: `T${call}`,
        dateTime: '2026-11-25T08:00:00Z',
        request: {},
      }),
    )
  const issuances = queueOfStart()
  issuances.start()
  await world.until(() => false, 4 * HOUR_MS)
  issuances.stop()
  return sends
}

function sendsOfFleet(script: Script, calls: number): number[] {
  const timeline = createTimeline()
  const sends: number[] = []
  const recorder = createRecorder()
  const centre: Centre = {
    counts: { offered: 0, rejected: 0, worked: 0, wasted: 0 },
    set: () => undefined,
    capacity: () => 0,
    send({ answer, execute, answered }) {
      // Calls that move no miles get no response, because a response would affect the queue.
      if (answer === OK_ANSWER) return
      const { answer: scripted, ms } = script[sends.length] ?? fine
      sends.push(Math.round(timeline.now))
      if (scripted === ISSUED) execute?.()
      timeline.plan(ms, () => {
        answered(scripted)
      })
    },
  }
  const tokenService: Centre = {
    ...centre,
    send({ answer, answered }) {
      timeline.plan(0, () => {
        answered(answer)
      })
    },
  }
  const world = { timeline, centre, tokenService, recorder, policy: OURS, startsAt: 0, nextId: 0 }
  const lane = new FleetLane(world, { ...createSeededRng(1), ...half })
  lane.start(calls)
  timeline.runUntil(4 * HOUR_MS)
  return sends
}

test.each<[string, number, Script]>([
  ['every call succeeds', 12, []],
  ['the service is repeatedly overloaded', 12, [fine, full, fine, fine, full, full, full, fine, full]],
  ['an outage without responses', 12, [silent, silent, silent, silent, silent, fine, full]],
  ['no token, then too many calls', 3, [noToken, noToken, noToken, tooMany, tooMany, fine]],
  ['a gateway without Retry-After, and a failing service', 6, [closed, closed, broken, fine, broken, closed]],
])('the terminal’s queue and the simulated lane send at the same times: %s', async (_what, calls, script) => {
  const product = await sendsOfProduct(script, calls)
  expect(product.length).toBeGreaterThanOrEqual(Math.max(calls, script.length))
  expect(sendsOfFleet(script, calls)).toEqual(product)
})
