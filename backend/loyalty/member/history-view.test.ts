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

test('a history transaction has its description in the requested language, and omits an equal offer text', () => {
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

test('a history transaction has null for each missing field and for an unknown activity type', () => {
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
])('the date-time %s of the history service is converted to ISO 8601 in UTC', (transactionDate, at) => {
  expect(transactionOf({ ...COFFEE, transactionDate }, 'en-CA', []).at).toBe(at)
})

test('a history transaction has the name and colour of its partner from the profile', () => {
  const settings = { code: 'RIVR', name: { 'en-CA': 'Fuel', 'fr-CA': undefined }, colour: 'pink' } as const
  expect(transactionOf(COFFEE, 'en-CA', [settings]).sponsor).toEqual({ name: 'Fuel', colour: 'pink' })
  expect(transactionOf(COFFEE, 'fr-CA', [settings]).sponsor).toEqual({ name: 'Carburants Riverbend', colour: 'pink' })
})

test('the sort keys of a history request end with the newest date first, unless the request sorts by date', () => {
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

test('the description and partner name of a history transaction are shortened to 160 characters', () => {
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
