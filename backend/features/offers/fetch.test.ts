import { expect, test } from 'vitest'
import type { Offer } from '../../../contracts/central/offers.ts'
import { keptOffer } from './fetch.ts'

test('texts, tiers and addresses without an end are cut to what a screen and a receipt have room for', () => {
  const endless = 'miles '.repeat(100_000)
  const offer: Offer = {
    id: '00000000-0000-4000-8000-000000000001',
    partnerId: '00000000-0000-4000-8000-000000000002',
    partnerLabel: endless,
    categoryLabel: endless,
    awardShort: endless,
    qualifierShort: endless,
    description: endless,
    legalText: endless,
    image: { url: `https://pictures.example/${'x'.repeat(100_000)}` },
    displayDate: '2026-01-01T00:00:00',
    startDate: '2026-01-01T00:00:00',
    endDate: '2026-12-31T23:59:59',
    programType: 'traditionalcore',
    massOffer: true,
    mechanisms: [],
    tiers: Array.from({ length: 10_000 }, () => ({ awardLong: endless, qualifierLong: endless })),
  }
  const kept = keptOffer(offer)
  expect(JSON.stringify(kept).length).toBeLessThan(50_000)
  expect(kept.imageUrl).toBeNull()
  expect(kept.card.award).toMatch(/^miles .*…$/)
})
