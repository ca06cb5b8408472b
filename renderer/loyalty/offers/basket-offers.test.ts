import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { BasketOffers } from '../../../contracts/loyalty/basket-offers.ts'
import { ApiProblem } from '../../core/api/problem.ts'
import { api } from '../../core/api/terminal-api.ts'
import { answerOf, earned, nearly, ofMember, optedIn, optingIn, refusedOne } from './basket-offers.fixture.ts'
import { line, saleOf } from '../../testing/sales.ts'
import {
  countToOptIn,
  followBasketOffers,
  refreshBasketOffers,
  resetBasketOffers,
  takeOfferStates,
  useBasketOffers,
} from './basket-offers.ts'
import { takeMemberSession } from '../member/member-session.ts'
import { clearNotices, useNotices } from '../../core/state/notices.ts'
import { nextCustomer, resetSale, takeSale } from '../../sales/sale.ts'

const localize = (english: string): string => english
const FIRST = saleOf([line(1)])
const SECOND = saleOf([line(2)], { id: '01K9TRAINLANE02' })
const scan = (version: number): boolean => takeSale(saleOf([line(1)], { version }))
const shown = (): string[] | undefined => useBasketOffers.getState().answer?.offers.map(({ award }) => award)

let questions: { saleId: string; answer: (offers: BasketOffers) => void; fail: () => void }[]
let stop: () => void

beforeEach(() => {
  vi.useFakeTimers()
  questions = []
  vi.spyOn(api, 'basketOffers').mockImplementation((saleId) => {
    const { promise, resolve, reject } = Promise.withResolvers<BasketOffers>()
    questions.push({
      saleId,
      answer: resolve,
      fail: () => reject(new ApiProblem('terminal-unreachable', null, null)),
    })
    return promise
  })
  resetSale()
  resetBasketOffers()
  clearNotices()
  stop = followBasketOffers('cashier', (run) => run())
})
afterEach(() => {
  stop()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const quiet = (): Promise<unknown> => vi.advanceTimersByTimeAsync(150)
async function answered(offers: BasketOffers, at = questions.length - 1): Promise<void> {
  questions[at]?.answer(offers)
  await vi.advanceTimersByTimeAsync(0)
}

describe('the offers of the open sale', () => {
  test('are requested once when scanning pauses, and not between two quick scans', async () => {
    for (const version of [1, 2, 3]) {
      scan(version)
      await vi.advanceTimersByTimeAsync(149)
    }
    expect(questions).toHaveLength(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(questions.map(({ saleId }) => saleId)).toEqual([FIRST.id])
  })

  test('are requested when the browser is idle, so that the scanned items are painted first', async () => {
    stop()
    const later: (() => void)[] = []
    stop = followBasketOffers('cashier', (run) => void later.push(run))
    scan(1)
    await quiet()
    expect(questions).toHaveLength(0)
    for (const run of later) run()
    expect(questions).toHaveLength(1)
  })

  test('are not requested again after a change that leaves the basket unchanged', async () => {
    scan(1)
    await quiet()
    takeSale(saleOf([line(1)], { version: 1, revision: 2, milesPreview: 12 }))
    await quiet()
    expect(questions).toHaveLength(1)
  })

  test('are not replaced by the answer to an older request', async () => {
    scan(1)
    await quiet()
    scan(2)
    await quiet()
    await answered(answerOf([nearly(localize)]), 1)
    await answered(answerOf([earned(localize)]), 0)
    expect(shown()).toEqual(['100 bonus miles'])
  })

  test('are discarded with their sale, and a late answer is never shown under the next sale', async () => {
    takeSale(FIRST)
    await quiet()
    await answered(answerOf([earned(localize)]))
    void refreshBasketOffers()
    useBasketOffers.setState({ open: true })
    nextCustomer()
    expect(useBasketOffers.getState()).toMatchObject({ answer: null, open: false, listed: true })
    takeSale(SECOND)
    await answered(answerOf([earned(localize)]), 1)
    expect(shown()).toBeUndefined()
    await quiet()
    expect(questions.at(-1)?.saleId).toBe(SECOND.id)
  })

  test('stay on the screen after a failed request, and the failure is shown until a request succeeds', async () => {
    scan(1)
    await quiet()
    await answered(answerOf([earned(localize)]))
    scan(2)
    await quiet()
    questions.at(-1)?.fail()
    await vi.advanceTimersByTimeAsync(0)
    expect(shown()).toEqual(['Up to 150 bonus miles'])
    expect(useBasketOffers.getState().failed?.code).toBe('terminal-unreachable')
    void refreshBasketOffers()
    await answered(answerOf([nearly(localize)]))
    expect(useBasketOffers.getState().failed).toBeNull()
  })
})

describe('the offer states of a signed-in member', () => {
  test('are discarded at the end of the sign-in, even those in pending and late answers', async () => {
    scan(1)
    takeMemberSession({ state: 'signed-in', saleId: FIRST.id, at: '2026-11-20T15:00:00.000Z' })
    await quiet()
    await answered(ofMember(localize))
    void refreshBasketOffers()
    takeMemberSession(null)
    expect(shown()).toBeUndefined()
    await answered(ofMember(localize), 1)
    expect(shown()).toBeUndefined()
    await quiet()
    await answered(answerOf([nearly(localize)]))
    expect(shown()).toEqual(['100 bonus miles'])
  })

  test('cause a new request for the offers when they change, for the open sale only', async () => {
    takeSale(FIRST)
    await quiet()
    takeOfferStates(SECOND.id)
    await quiet()
    expect(questions).toHaveLength(1)
    takeOfferStates(FIRST.id)
    await quiet()
    expect(questions).toHaveLength(2)
  })

  test('determine the number of offers to which one press opts in: none without the member’s sign-in', async () => {
    takeSale(FIRST)
    await quiet()
    await answered({ ...ofMember(localize), member: null })
    expect(countToOptIn(useBasketOffers.getState())).toBe(0)
    void refreshBasketOffers()
    await answered(ofMember(localize))
    expect(countToOptIn(useBasketOffers.getState())).toBe(2)
  })

  test('a rejected change is reported once and stays readable until the sale ends', async () => {
    takeSale(FIRST)
    await quiet()
    const next = async (offers: BasketOffers): Promise<void> => {
      void refreshBasketOffers()
      await answered(offers)
    }
    await answered(optingIn(localize))
    await next(refusedOne(localize))
    await next(refusedOne(localize))
    expect(useNotices.getState().notices.map(({ tone, topic }) => [tone, topic])).toEqual([
      ['warning', 'offer-refused'],
    ])
    nextCustomer()
    expect(useNotices.getState().notices).toEqual([])
  })

  test('a confirmed change is announced to screen readers and shown on the offer', async () => {
    takeSale(FIRST)
    await quiet()
    const before = useNotices.getState().polite
    await answered(optingIn(localize))
    void refreshBasketOffers()
    await answered(optedIn(localize))
    expect(useNotices.getState().polite).not.toBe(before)
    expect(useNotices.getState().notices).toEqual([])
  })
})
