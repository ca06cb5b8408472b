import { describe, expect, test } from 'vitest'
import { answerOf, COFFEE, earned, everything, nearly, ofMember, optingIn, waiting } from './basket-offers.fixture.ts'
import { displayCards, offerNews } from './offer-news.ts'

const localize = (english: string): string => english
const coffee = waiting(localize, 2, 90)
const chocolate = waiting(localize, 4, 60)

describe('the text of the offer line under the basket', () => {
  test('names a few earned offers and counts the others', () => {
    const three = [earned(localize), ...[coffee, chocolate].map((offer) => ({ ...offer, standing: 'earned' as const }))]
    expect(offerNews(answerOf(three), false)).toEqual({
      kind: 'earned',
      awards: ['50 bonus miles', '90 bonus miles'],
      about: null,
      others: 1,
    })
    expect(offerNews(answerOf([earned(localize)]), false)).toMatchObject({ about: 'Spend $40 on groceries', others: 0 })
  })

  test('names an offer that needs little more, with its award, before earned offers', () => {
    expect(offerNews(answerOf([earned(localize), nearly(localize)]), true)).toEqual({
      kind: 'nearly',
      missing: { unit: 'pieces', amount: 1 },
      award: '100 bonus miles',
      about: 'Buy 3 bags of coffee',
      others: 1,
    })
  })

  test('names a higher tier of an earned offer only if little is missing for it', () => {
    const next = earned(localize).next
    const near = earned(localize, { next: next && { ...next, near: true, missing: { unit: 'cents', amount: 320 } } })
    expect(offerNews(answerOf([near]), true)).toMatchObject({
      kind: 'nearly',
      missing: { unit: 'cents', amount: 320 },
      others: 0,
    })
    expect(offerNews(answerOf([earned(localize)]), true).kind).toBe('earned')
  })

  test('names an offer that lacks only its code before offers that need more items', () => {
    expect(offerNews(everything(localize), true)).toMatchObject({ kind: 'code', award: '30 bonus miles', others: 4 })
  })

  test('names the offers that a signed-in member earns by one opt-in press before everything else', () => {
    expect(offerNews(ofMember(localize), false)).toMatchObject({ kind: 'opt-in', count: 2, miles: 150, others: 3 })
  })

  test('names earned offers before an opt-in for which no sign-in is possible', () => {
    const both = answerOf([earned(localize), coffee, chocolate])
    expect(offerNews(both, false).kind).toBe('earned')
    expect(offerNews(both, true)).toMatchObject({ kind: 'opt-in', count: 2, miles: 150 })
    expect(offerNews(answerOf([coffee, chocolate]), false)).toMatchObject({ kind: 'opt-in', count: 2 })
  })

  test('contains no sum of miles when one of the offers has no number of miles', () => {
    const uncounted = { ...chocolate, reached: { tier: 0, miles: null, award: '3 times the miles' } }
    expect(offerNews(answerOf([coffee, uncounted]), true)).toMatchObject({ kind: 'opt-in', count: 2, miles: null })
  })

  test('ignores an opt-in for an offer that the basket does not earn yet', () => {
    expect(offerNews(answerOf([{ ...coffee, reached: null }]), true)).toEqual({ kind: 'none', about: null, others: 0 })
  })

  test('ignores an opt-in for an offer that also needs its code', () => {
    const both = { ...coffee, coupon: 'to-apply' as const }
    expect(offerNews(answerOf([both]), true)).toEqual({ kind: 'none', about: null, others: 0 })
    expect(displayCards(answerOf([both]))).toEqual([])
  })

  test('shows opt-ins as pending until the program has answered', () => {
    expect(offerNews(optingIn(localize), false)).toMatchObject({ kind: 'changing' })
  })

  test('does not treat a pending save as an opt-in', () => {
    const saving = answerOf([earned(localize, { saved: false, changing: 'save' })], {
      member: { state: 'ready', optedIn: 0, changing: 1 },
    })
    expect(offerNews(saving, false)).toMatchObject({ kind: 'earned' })
  })
})

describe('the offer cards of the customer display', () => {
  test('include one offer of each kind before a second of any kind, in the order of the ranked offers', () => {
    expect(displayCards(everything(localize)).map(({ kind }) => kind)).toEqual(['earned', 'opt-in', 'nearly'])
    expect(displayCards(everything(localize))[1]?.offer.id).toBe(COFFEE)
  })

  test('show two kinds of offers on a screen with room for two cards', () => {
    const two = [earned(localize), { ...chocolate, standing: 'earned' as const }, coffee]
    const cards = displayCards(answerOf(two))
    expect(cards.map(({ kind }) => kind)).toEqual(['earned', 'earned', 'opt-in'])
    expect(cards.map(({ spare }) => spare)).toEqual([false, true, false])
  })

  test('show a second offer of a kind when no other kind is left', () => {
    expect(displayCards(answerOf([coffee, chocolate])).map(({ kind }) => kind)).toEqual(['opt-in', 'opt-in'])
    expect(displayCards(answerOf(everything(localize).offers.slice(-3)))).toEqual([])
  })
})
