import { describe, expect, test } from 'vitest'
import { answerOf, COFFEE, earned, everything, nearly, ofMember, optingIn, waiting } from './basket-offers.fixture.ts'
import { displayCards, offerNews } from './offer-news.ts'

const say = (english: string): string => english
const coffee = waiting(say, 2, 90)
const chocolate = waiting(say, 4, 60)

describe('the line under the basket', () => {
  test('says what is earned, as many as a glance takes in, and counts the others', () => {
    const three = [earned(say), ...[coffee, chocolate].map((offer) => ({ ...offer, standing: 'earned' as const }))]
    expect(offerNews(answerOf(three), false)).toEqual({
      kind: 'earned',
      awards: ['50 bonus miles', '90 bonus miles'],
      about: null,
      others: 1,
    })
    expect(offerNews(answerOf([earned(say)]), false)).toMatchObject({ about: 'Spend $40 on groceries', others: 0 })
  })

  test('a little more goes before what is earned already, with what it gives', () => {
    expect(offerNews(answerOf([earned(say), nearly(say)]), true)).toEqual({
      kind: 'nearly',
      missing: { unit: 'pieces', amount: 1 },
      award: '100 bonus miles',
      about: 'Buy 3 bags of coffee',
      others: 1,
    })
  })

  test('a higher tier of an earned offer is said when it is near, and not when it is far', () => {
    const next = earned(say).next
    const near = earned(say, { next: next && { ...next, near: true, missing: { unit: 'cents', amount: 320 } } })
    expect(offerNews(answerOf([near]), true)).toMatchObject({
      kind: 'nearly',
      missing: { unit: 'cents', amount: 320 },
      others: 0,
    })
    expect(offerNews(answerOf([earned(say)]), true).kind).toBe('earned')
  })

  test('a code that is missing goes before what needs more in the basket', () => {
    expect(offerNews(everything(say), true)).toMatchObject({ kind: 'code', award: '30 bonus miles', others: 4 })
  })

  test('an opt-in of a member who has signed in goes before all of it: one press gives it', () => {
    expect(offerNews(ofMember(say), false)).toMatchObject({ kind: 'opt-in', count: 2, miles: 150, others: 3 })
  })

  test('an opt-in that nobody can sign in for gives way to what is earned, and stands alone where nothing is', () => {
    const both = answerOf([earned(say), coffee, chocolate])
    expect(offerNews(both, false).kind).toBe('earned')
    expect(offerNews(both, true)).toMatchObject({ kind: 'opt-in', count: 2, miles: 150 })
    expect(offerNews(answerOf([coffee, chocolate]), false)).toMatchObject({ kind: 'opt-in', count: 2 })
  })

  test('promises no sum where one of the offers does not say how many miles', () => {
    const silent = { ...chocolate, reached: { tier: 0, miles: null, award: '3 times the miles' } }
    expect(offerNews(answerOf([coffee, silent]), true)).toMatchObject({ kind: 'opt-in', count: 2, miles: null })
  })

  test('an opt-in of which the basket does not earn the award yet is none to wait for', () => {
    expect(offerNews(answerOf([{ ...coffee, reached: null }]), true)).toEqual({ kind: 'none', about: null, others: 0 })
  })

  test('nor is one that asks for its code too: an opt-in alone would not earn it', () => {
    const both = { ...coffee, coupon: 'to-apply' as const }
    expect(offerNews(answerOf([both]), true)).toEqual({ kind: 'none', about: null, others: 0 })
    expect(displayCards(answerOf([both]))).toEqual([])
  })

  test('says that opt-ins are on their way until the program has answered', () => {
    expect(offerNews(optingIn(say), false)).toMatchObject({ kind: 'changing' })
  })

  test('a save on its way is no opt-in, and hides nothing', () => {
    const saving = answerOf([earned(say, { saved: false, changing: 'save' })], {
      member: { state: 'ready', optedIn: 0, changing: 1 },
    })
    expect(offerNews(saving, false)).toMatchObject({ kind: 'earned' })
  })
})

describe('the cards of the customer’s screen', () => {
  test('show one of each kind before a second of any, in the order of the program', () => {
    expect(displayCards(everything(say)).map(({ kind }) => kind)).toEqual(['earned', 'opt-in', 'nearly'])
    expect(displayCards(everything(say))[1]?.offer.id).toBe(COFFEE)
  })

  test('where there is room for two, they are of two kinds', () => {
    const two = [earned(say), { ...chocolate, standing: 'earned' as const }, coffee]
    const cards = displayCards(answerOf(two))
    expect(cards.map(({ kind }) => kind)).toEqual(['earned', 'earned', 'opt-in'])
    expect(cards.map(({ spare }) => spare)).toEqual([false, true, false])
  })

  test('fill up with what is left, and never show what the basket does not earn', () => {
    expect(displayCards(answerOf([coffee, chocolate])).map(({ kind }) => kind)).toEqual(['opt-in', 'opt-in'])
    expect(displayCards(answerOf(everything(say).offers.slice(-3)))).toEqual([])
  })
})
