import { describe, expect, test } from 'vitest'
import type { Offer } from '../../../contracts/central/offers.ts'
import { lastDayOf } from '../../../contracts/loyalty/kinds.ts'
import type { Page, Shape } from '../../core/paper/page.ts'
import { shelfCardPages } from './shelf-card.ts'

const ID = '7b0e5a10-0000-4000-8000-000000000001'
const offer = (over: Partial<Offer> = {}): Offer => ({
  id: ID,
  partnerId: ID,
  partnerLabel: 'Northstar',
  awardShort: '20 bonus miles',
  qualifierShort: 'Spend $40 or more on groceries',
  displayDate: '2026-11-01T00:00:00',
  startDate: '2026-11-01T00:00:00',
  endDate: '2026-12-31T23:59:59',
  programType: 'traditionalcore',
  massOffer: true,
  tiers: [],
  mechanisms: [],
  ...over,
})
const place = { storeName: 'Milepost Training Store', training: false }
const pagesOf = (over: Partial<Offer>, locale: 'en-CA' | 'fr-CA' = 'en-CA'): Page[] =>
  shelfCardPages(offer(over), locale, place)

type Text = Extract<Shape, { kind: 'text' }>
const textsOf = (pages: readonly Page[]): Text[] =>
  pages.flatMap(({ shapes }) => shapes.filter((shape) => shape.kind === 'text'))
const wordsOf = (pages: readonly Page[]): string =>
  textsOf(pages)
    .map(({ text }) => text)
    .join(' ')

const LEGAL = Array.from({ length: 900 }, (_, index) => `condition${index}`).join(' ')
const LONG = 'Get up to three times the usual number of bonus miles on everything in the aisle '
const TIERS = Array.from({ length: 8 }, (_, index) => ({
  awardLong: `${index + 1}00 bonus miles`,
  qualifierLong: `Spend $${index + 1}00 or more on participating household products and cleaning supplies`,
}))

describe('the shelf card of an offer', () => {
  test.each([
    ['with short texts', {}],
    ['with tiers and a code', { tiers: TIERS, mechanisms: [{ mechanismType: 'couponCode', mechanismValue: 'MILE1' }] }],
    ['with long award and condition texts', { awardShort: LONG, qualifierShort: LONG.repeat(2) }],
    ['with very long conditions', { legalText: LEGAL }],
    [
      'with long texts, many tiers and very long conditions',
      { awardShort: LONG, qualifierShort: LONG.repeat(2), tiers: TIERS, legalText: LEGAL },
    ],
    ['with one word that is too long', { awardShort: 'x'.repeat(80), partnerLabel: 'y'.repeat(120) }],
  ])('has no text in the margins and no overlapping lines for an offer %s', (_name, over: Partial<Offer>) => {
    for (const { width, height, shapes } of pagesOf(over)) {
      const texts = shapes.filter((shape): shape is Text => shape.kind === 'text')
      for (const { x, y, width: wide, size, text } of texts) {
        expect(x, text).toBeGreaterThanOrEqual(29.9)
        expect(x + wide, text).toBeLessThanOrEqual(width - 29.9)
        expect(y - size, text).toBeGreaterThanOrEqual(29.9)
        expect(y, text).toBeLessThanOrEqual(height - 29.9)
      }
      const apart = (one: Text, other: Text): boolean =>
        one.x + one.width <= other.x + 0.1 || other.x + other.width <= one.x + 0.1 || Math.abs(one.y - other.y) > 5
      const onEachOther = texts.flatMap((one, index) => texts.slice(index + 1).filter((other) => !apart(one, other)))
      expect(onEachOther.map(({ text }) => text)).toEqual([])
    }
  })

  test('prints a short award in larger type than a long award', () => {
    const sizes = (awardShort: string): number[] => textsOf(pagesOf({ awardShort })).map(({ size }) => size)
    const [short, long] = [Math.max(...sizes('20 bonus miles')), Math.max(...sizes(LONG))]
    expect(short).toBeGreaterThan(50)
    expect(long).toBeLessThan(short)
    expect(long).toBeGreaterThan(20)
  })

  test('contains every condition, on as many pages as necessary, each with its partner and offer id', () => {
    expect(pagesOf({ legalText: 'One per collector.\nNot with others.' })).toHaveLength(1)
    const pages = pagesOf({ legalText: LEGAL })
    expect(pages.length).toBeGreaterThan(1)
    const words = wordsOf(pages).split(' ')
    expect(words.filter((word) => word.startsWith('condition'))).toEqual(LEGAL.split(' '))
    for (const page of pages) for (const text of ['Northstar', ID]) expect(wordsOf([page])).toContain(text)
  })

  test('lists each tier, but omits a single tier, which the award already describes', () => {
    const words = wordsOf(pagesOf({ tiers: TIERS }))
    for (const { awardLong } of TIERS) expect(words).toContain(awardLong)
    expect(wordsOf(pagesOf({ tiers: TIERS.slice(0, 1) }))).not.toContain(TIERS[0]?.awardLong)
  })

  test('shows the first and the last day of use, in the language of the page', () => {
    expect(wordsOf(pagesOf({}))).toContain('From November 1, 2026 to December 31, 2026')
    expect(wordsOf(pagesOf({ endDate: '2026-12-02T00:00:00' }, 'fr-CA'))).toContain(
      'Du 1er novembre 2026 au 1er décembre 2026',
    )
    expect([lastDayOf('2026-12-01T00:00:00'), lastDayOf('2026-12-01T00:00:01')]).toEqual(['2026-11-30', '2026-12-01'])
  })

  test('shows the required customer action, and a mark on a training lane', () => {
    const mechanisms = [{ mechanismType: 'optIn' }, { mechanismType: 'button', mechanismValue: 'https://x.example' }]
    const words = wordsOf(pagesOf({ mechanisms }))
    expect(words).toContain('Opt in before buying')
    expect(words).not.toContain('https')
    expect(words).not.toContain('TRAINING')
    expect(wordsOf(shelfCardPages(offer(), 'en-CA', { ...place, training: true }))).toContain('TRAINING')
  })
})
