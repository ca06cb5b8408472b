import { expect, test } from 'vitest'
import { eventually } from '../../core/http/testing.ts'
import { SaleId } from '../../../contracts/core/ids.ts'
import { systemClock, type Clock } from '../../core/clock.ts'
import type { Ctx } from '../../core/context.ts'
import type { MemberAccess } from '../services/member-sign-in.ts'
import { testContext } from '../../../packages/lab/testing/lane-context.ts'
import { type MemberServices, memberServicesOf } from '../services/member-services.ts'
import { memberOffersOf } from './member-offers.ts'
import { memberSessionsOf } from './member-session.ts'

const SALE = SaleId.parse('N1010100000001K7QZ')
const OFFER = 'c0ffee00-0000-4000-8000-000000000002'
const OTHER = 'c0ffee00-0000-4000-8000-000000000003'

const ok = <Body>(body: Body) => ({ kind: 'ok', body, status: 200, correlationId: null, latencyMs: 1 }) as const

interface TestOptions extends Pick<Ctx, 'publish' | 'clock'> {
  readonly accessOf: () => MemberAccess | null
  readonly offerState: unknown
}

function open({ accessOf, offerState, ...given }: TestOptions): ReturnType<typeof memberOffersOf> {
  const ctx = testContext(given)
  const list = async () => ok({ offers: [], received: 0, leftOut: [], metadata: { total: 0 } })
  memberServicesOf.provide(ctx, { offers: { list }, offerState } as unknown as MemberServices)
  memberSessionsOf.provide(ctx, { ...memberSessionsOf(ctx), accessOf, refused: () => undefined })
  return memberOffersOf(ctx)
}

test('a change confirmed while the offer states are read is not overwritten by the older answer', async () => {
  const access = { memberToken: 'member', signal: new AbortController().signal }
  const read = Promise.withResolvers<undefined>()
  const saved = { offerId: OFFER, states: [{ name: 'SAVE', value: 'SAVED', updatedAt: '' }] }
  const allEvents = Promise.withResolvers<undefined>()
  let eventCount = 0
  const offers = open({
    offerState: {
      find: async () => {
        await read.promise
        return ok({ records: [saved], returnedCount: 1, requestedCount: null })
      },
      count: async () => ok(4),
      get: async () => ok({ records: [], returnedCount: 0, requestedCount: 1 }),
    },
    accessOf: () => access,
    publish: () => {
      eventCount += 1
      if (eventCount === 3) allEvents.resolve(undefined)
    },
    clock: systemClock,
  })
  offers.sessionChanged(SALE)
  const requested = [OFFER, OTHER].map((offerId) => ({ offerId, change: 'opt-in' }) as const)
  offers.settled({ saleId: SALE, requested, to: 'confirmed' })
  read.resolve(undefined)
  await allEvents.promise
  expect(offers.of(SALE)?.states.get(OFFER)).toEqual({ optedIn: true, saved: true })
  expect(offers.stateOf(SALE)).toEqual({ state: 'ready', optedIn: 6 })
})

test('a failed request for offer states is repeated at most three times, and only for a signed-in member', async () => {
  const unavailable = {
    kind: 'failed',
    cause: 'maintenance',
    code: 'HTTP 503',
    errorCode: null,
    correlationId: null,
  } as const
  const optedIn = { offerId: OFFER, states: [{ name: 'OPT_IN', value: 'OPTED_IN' }] }
  let isUnavailable = true
  let access: MemberAccess | null = { memberToken: 'member', signal: new AbortController().signal }
  const timers: (() => void)[] = []
  let asked = 0
  const clock: Clock = {
    ...systemClock,
    after(_ms, work) {
      timers.push(work)
      return () => void timers.splice(timers.indexOf(work), 1)
    },
  }
  const offers = open({
    offerState: {
      find: async () => {
        asked += 1
        return isUnavailable ? unavailable : ok({ records: [optedIn], returnedCount: 1, requestedCount: null })
      },
      count: async () => ok(1),
      get: async () => ok({ records: [], returnedCount: 0, requestedCount: 1 }),
    },
    accessOf: () => access,
    publish: () => undefined,
    clock,
  })
  const signIn = async (): Promise<void> => {
    access = access && { ...access }
    offers.sessionChanged(SALE)
    await eventually(() => expect(offers.stateOf(SALE)?.state).toBe('failed'))
  }
  const later = async (): Promise<void> => {
    const before = asked
    timers.shift()?.()
    await eventually(() => expect(asked).toBe(before + 1))
  }

  await signIn()
  await later()
  isUnavailable = false
  await eventually(() => expect(timers).toHaveLength(1))
  await later()
  await eventually(() => expect(offers.stateOf(SALE)).toEqual({ state: 'ready', optedIn: 1 }))
  expect(offers.of(SALE)?.states.get(OFFER)).toEqual({ optedIn: true, saved: false })
  expect(timers).toEqual([])

  isUnavailable = true
  await signIn()
  for (const _ of [1, 2, 3]) {
    await eventually(() => expect(timers).toHaveLength(1))
    await later()
  }
  await new Promise((resolve) => setImmediate(resolve))
  expect(timers, 'three times').toEqual([])

  await signIn()
  await eventually(() => expect(timers).toHaveLength(1))
  access = null
  offers.sessionChanged(null)
  expect(timers, 'nobody is signed in').toEqual([])
})
