import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { SaleId } from '../../../contracts/core/ids.ts'
import { createOffersClient } from '../services/offers.ts'
import { createOfferStateClient } from '../services/offer-state.ts'
import type { Answer, CentralCall } from '../../core/central/transport.ts'
import { systemClock } from '../../core/clock.ts'
import { testLog } from '../../core/http/testing.ts'
import { openJournalHarness, openSale } from '../../../packages/lab/testing/loyalty-harness.ts'
import type { MemberAccess } from '../services/member-sign-in.ts'
import { testContext, provideCentral } from '../../../packages/lab/testing/lane-context.ts'
import { type SalesRepository, saleRowsOf } from '../../sales/sale/sales.sql.ts'
import { type MemberServices, memberServicesOf } from '../services/member-services.ts'
import { memberSessionsOf } from './member-session.ts'
import { offerStatesOf } from './offer-states.ts'

const SALE = SaleId.parse('N1010100000001K7QZ')
const OFFERS = ['c0ffee00-0000-4000-8000-000000000001', 'c0ffee00-0000-4000-8000-000000000002'] as const
const answered = (status: number, headers = new Headers()): Answer => ({
  kind: 'answer',
  status,
  headers,
  bytes: new Uint8Array(),
  latencyMs: 1,
  requestHeaders: {},
})

async function open() {
  const { db, outbox, journal, transact, seal } = await openJournalHarness({ clock: systemClock })
  openSale(db, SALE)
  const calls: { readonly call: CentralCall; readonly answer: (answer: Answer) => void }[] = []
  const transport = {
    send: (call: CentralCall) =>
      new Promise<Answer>((answer) => {
        calls.push({ call, answer })
      }),
  }
  let member = seal.keyedHash('80000000011')
  let refusals = 0
  const { log, lines } = testLog()
  let access: MemberAccess | null = { memberToken: 'first', signal: new AbortController().signal }
  const ctx = testContext({ outbox, transact, log })
  provideCentral(ctx, { transport })
  const [offers, offerState] = [createOffersClient(ctx), createOfferStateClient(ctx)]
  memberServicesOf.provide(ctx, { offers, offerState } as unknown as MemberServices)
  memberSessionsOf.provide(ctx, {
    ...memberSessionsOf(ctx),
    accessOf: () => access,
    refused: () => {
      refusals += 1
    },
  })
  const byId = () => ({ state: 'open', memberHash: Buffer.from(member) })
  saleRowsOf.provide(ctx, { byId } as unknown as SalesRepository)
  const states = offerStatesOf(ctx)
  return {
    lines,
    states,
    calls,
    refusals: () => refusals,
    ends: () => journal.offerStatesOf(SALE).map(({ state }) => state),
    request: (...offerIds: string[]) => {
      const requested = offerIds.map((offerId) => ({ offerId, change: 'save' }) as const)
      transact((tx) => {
        states.request(tx, { saleId: SALE, collectorHash: member, requested })
      })
    },
    anotherCard() {
      access = null
      member = seal.keyedHash('80000000055')
      states.endUnwanted()
    },
    signIn(memberToken: string) {
      access = { memberToken, signal: new AbortController().signal }
      states.resume(SALE)
    },
    async processEvents() {
      for (let turns = 0; turns < 20; turns += 1) await turn()
    },
  }
}

test('no offer change is sent with another member’s token if the card changes during a refusal', async () => {
  const { states, calls, ends, request, anotherCard, signIn, processEvents } = await open()
  request(...OFFERS)
  await processEvents()
  calls[0]?.answer(answered(404))
  await Promise.resolve()
  anotherCard()
  await processEvents()
  signIn('second')
  await processEvents()
  expect(calls.map(({ call }) => call.memberToken)).toEqual(['first'])
  expect(ends()).toEqual(['refused', 'lapsed', 'lapsed'])
  expect(states.of(SALE)).toEqual([])
})

test('the log of a refused offer change has the correlation id, and no collector number or token', async () => {
  const { calls, request, processEvents, lines } = await open()
  request(OFFERS[0])
  await processEvents()
  calls[0]?.answer(answered(404, new Headers({ 'x-correlation-id': 'trace-17' })))
  await processEvents()
  expect(lines()).toContain('"correlationId":"trace-17"')
  expect(lines()).toContain('"code":"HTTP 404"')
  expect(lines()).not.toMatch(/first|80000000011/)
})

test('a late refusal of an earlier sign-in’s token does not end the member’s next sign-in', async () => {
  const { calls, request, signIn, processEvents, refusals } = await open()
  request(OFFERS[0])
  await processEvents()
  calls[0]?.answer(answered(401))
  await Promise.resolve()
  signIn('second')
  await processEvents()
  expect(refusals()).toBe(0)
})
