import { expect, test } from 'vitest'
import { SaleId } from '../../../contracts/ids.ts'
import { testLog } from '../../http/testing.ts'
import { createMemberOffers } from './service.ts'

const SALE = SaleId.parse('N1010100000001K7QZ')
const OFFER = 'c0ffee00-0000-4000-8000-000000000002'
const OTHER = 'c0ffee00-0000-4000-8000-000000000003'

test('what was confirmed while the states were read is not undone by what was read', async () => {
  const access = { memberToken: 'member', signal: new AbortController().signal }
  const read = Promise.withResolvers<undefined>()
  const ok = <Body>(body: Body) => ({ kind: 'ok', body, status: 200, correlationId: null, latencyMs: 1 }) as const
  const saved = { offerId: OFFER, states: [{ name: 'SAVE', value: 'SAVED', updatedAt: '' }] }
  const told = Promise.withResolvers<undefined>()
  let heard = 0
  const offers = createMemberOffers({
    offers: { list: async () => ok({ offers: [], received: 0, leftOut: [], metadata: { total: 0 } }) },
    offerState: {
      find: async () => {
        await read.promise
        return ok({ records: [saved], returnedCount: 1, requestedCount: null })
      },
      count: async () => ok(4),
      get: async () => ok({ records: [], returnedCount: 0, requestedCount: 1 }),
    },
    accessOf: () => access,
    refused: () => undefined,
    region: 'ON',
    publish: () => {
      heard += 1
      // The sign-in, the change, and what was read.
      if (heard === 3) told.resolve(undefined)
    },
    log: testLog().log,
  })
  offers.sessionChanged(SALE)
  const wanted = [OFFER, OTHER].map((offerId) => ({ offerId, change: 'opt-in' }) as const)
  offers.settled({ saleId: SALE, wanted, to: 'confirmed' })
  read.resolve(undefined)
  await told.promise
  expect(offers.of(SALE)?.states.get(OFFER)).toEqual({ optedIn: true, saved: true })
  expect(offers.stateOf(SALE)).toEqual({ state: 'ready', optedIn: 6 })
})
