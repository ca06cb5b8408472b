import { expect, test } from 'vitest'
import type { Offer } from '../../../contracts/central/offers.ts'
import { testLog } from '../../core/http/testing.ts'
import { fetchOffers, toStoredOffer } from './fetch.ts'

const UUID = '00000000-0000-4000-8000-000000000001'
const PLAIN: Offer = {
  id: UUID,
  partnerId: '00000000-0000-4000-8000-000000000002',
  partnerLabel: 'Northstar Markets',
  awardShort: '50 miles',
  qualifierShort: 'Spend $20',
  displayDate: '2026-01-01T00:00:00',
  startDate: '2026-01-01T00:00:00',
  endDate: '2026-12-31T23:59:59',
  programType: 'traditionalcore',
  massOffer: true,
  mechanisms: [],
  tiers: [],
}

test('a stored offer has shortened texts, a limited number of tiers and no overlong picture address', () => {
  const endless = 'miles '.repeat(100_000)
  const offer: Offer = {
    ...PLAIN,
    partnerLabel: endless,
    categoryLabel: endless,
    awardShort: endless,
    qualifierShort: endless,
    description: endless,
    legalText: endless,
    image: { url: `https://pictures.example/${'x'.repeat(100_000)}` },
    tiers: Array.from({ length: 10_000 }, () => ({ awardLong: endless, qualifierLong: endless })),
  }
  const stored = toStoredOffer(offer)
  expect(JSON.stringify(stored).length).toBeLessThan(50_000)
  expect(stored.imageUrl).toBeNull()
  expect(stored.card.award).toMatch(/^miles .*…$/)
})

test('texts of an offer lose bidirectional controls, control characters and lone surrogates', () => {
  const { card } = toStoredOffer({
    ...PLAIN,
    awardShort: '\u202e100\u202c \u0007miles\u0000\u2066',
    qualifierShort: `${'x'.repeat(298)}🛒🛒`,
    legalText: 'One a day.\r\nNo\u001b[31m cash.',
  })
  expect(card.award).toBe('100 miles')
  expect(card.qualifier).toBe(`${'x'.repeat(298)}…`)
  expect(card.legalText).toBe('One a day.\nNo[31m cash.')
})

test('a list of offers that ignores the page size and exceeds the maximum is rejected', async () => {
  const offers = Array.from({ length: 5_000 }, (_, index) => ({
    ...PLAIN,
    id: UUID.slice(0, -6) + String(index).padStart(6, '0'),
  }))
  const list = await fetchOffers({
    client: {
      list: async () => ({
        kind: 'ok',
        body: { offers, received: offers.length, leftOut: [], metadata: { total: offers.length } },
        status: 200,
        correlationId: null,
        latencyMs: 1,
      }),
    },
    log: testLog().log,
    region: 'ON',
    locale: 'en-CA',
  })
  expect(list).toMatchObject({ failed: { cause: 'malformed' } })
})

test.each([
  ['2026-12-01T00:00:00', '2026-11-30'],
  ['2027-01-01T00:00:00', '2026-12-31'],
  ['2026-12-01T00:00:01', '2026-12-01'],
  ['2026-12-31T23:59:59', '2026-12-31'],
])('an offer that expires at %s shows %s as its last day', (endDate, endsOn) => {
  expect(toStoredOffer({ ...PLAIN, endDate }).card.endsOn).toBe(endsOn)
})
