import { expect, test } from 'vitest'
import { colourOfSponsor } from '../../../contracts/loyalty/kinds.ts'
import { sortsOf, transactionOf } from './history-view.ts'

const COFFEE = {
  transactionDate: '2026-11-20T15:04:00.000Z',
  transactionDescription: '5 bonus miles on coffee beans',
  offerDescriptionEnglish: '5 bonus miles on coffee beans',
  offerDescriptionFrench: '5 milles en prime sur le café en grains',
  activityType: 'issuance',
  sponsorCode: 'RIVR',
  sponsorDescriptionEnglish: 'Riverbend Fuels',
  sponsorDescriptionFrench: 'Carburants Riverbend',
  transactionValue: 5,
  cashMiles: 2,
  dreamMiles: 3,
}

test('each language has its words, and an offer is not said twice', () => {
  expect(transactionOf(COFFEE, 'fr-CA', [])).toEqual({
    at: '2026-11-20T15:04:00.000Z',
    description: '5 milles en prime sur le café en grains',
    offer: null,
    activity: 'ISSUANCE',
    sponsor: { name: 'Carburants Riverbend', colour: colourOfSponsor('RIVR') },
    miles: 5,
    cashPart: 2,
    dreamPart: 3,
  })
  expect(transactionOf(COFFEE, 'en-CA', [])).toMatchObject({
    description: '5 bonus miles on coffee beans',
    offer: null,
  })
  const visit = { ...COFFEE, transactionDescription: 'Visit of November' }
  expect(transactionOf(visit, 'fr-CA', [])).toMatchObject({
    description: 'Visit of November',
    offer: '5 milles en prime sur le café en grains',
  })
  const { offerDescriptionFrench: _none, ...english } = COFFEE
  expect(transactionOf(english, 'fr-CA', [])).toMatchObject({ description: '5 bonus miles on coffee beans' })
})

test('what the service leaves out is none, and a type that nobody knows is no word', () => {
  expect(transactionOf({ activityType: 'TRANSFER', sponsorCode: ' ', transactionDate: 'soon' }, 'en-CA', [])).toEqual({
    at: null,
    description: null,
    offer: null,
    activity: null,
    sponsor: null,
    miles: null,
    cashPart: null,
    dreamPart: null,
  })
  const posted = transactionOf({ postingDate: '2026-11-20T15:04:00', sponsorCode: 'NEWS' }, 'en-CA', [])
  expect(posted).toMatchObject({ at: '2026-11-20T15:04:00.000Z', sponsor: { name: 'NEWS' } })
})

test.each([
  ['2026-11-20T15:04:00.000+0000', '2026-11-20T15:04:00.000Z'],
  ['2026-11-20T10:04:00-0500', '2026-11-20T15:04:00.000Z'],
  ['2026-11-20T10:04:00-05', '2026-11-20T15:04:00.000Z'],
  ['2026-11-20T10:04:00-05:00', '2026-11-20T15:04:00.000Z'],
])('%s is a moment of ISO 8601', (transactionDate, at) => {
  expect(transactionOf({ ...COFFEE, transactionDate }, 'en-CA', []).at).toBe(at)
})

test('the profile names a partner and gives it a colour', () => {
  const settings = { code: 'RIVR', name: { 'en-CA': 'Fuel', 'fr-CA': undefined }, colour: 'pink' } as const
  expect(transactionOf(COFFEE, 'en-CA', [settings]).sponsor).toEqual({ name: 'Fuel', colour: 'pink' })
  // Where the profile has no name of this language, the service's stands.
  expect(transactionOf(COFFEE, 'fr-CA', [settings]).sponsor).toEqual({ name: 'Carburants Riverbend', colour: 'pink' })
})

test('what is equal stands newest first, and three sorts are the most', () => {
  expect(sortsOf(['sponsor'], 'fr-CA')).toEqual([
    { field: 'sponsorDescriptionFrench', descending: false },
    { field: 'transactionDate', descending: true },
  ])
  expect(sortsOf(['oldest'], 'en-CA')).toEqual([{ field: 'transactionDate', descending: false }])
  expect(sortsOf(['sponsor', 'fewest-miles'], 'en-CA').map(({ field }) => field)).toEqual([
    'sponsorDescriptionEnglish',
    'transactionValue',
    'transactionDate',
  ])
})

test('a text without an end is cut: a paper has one', () => {
  const endless = 'miles '.repeat(100_000)
  const { description, sponsor } = transactionOf(
    { transactionDescription: endless, sponsorCode: 'NEWS', sponsorDescriptionEnglish: endless },
    'en-CA',
    [],
  )
  expect([description, sponsor?.name].map((text) => [text?.length, text?.endsWith('…')])).toEqual([
    [160, true],
    [160, true],
  ])
})
