import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Promotion } from '../../../contracts/catalog/promotions.ts'
import { applyPromotions } from './promotions.ts'
import { type ExampleItem, type ExamplePromotion, examplesOf, linesOf, promotionsOf } from './examples.fixture.ts'
import { indexPromotions, type PromotableLine } from './promotion-index.ts'

const EVERYONE = { members: false, staff: false, seniors: false }

interface Example {
  readonly id: string
  readonly items: readonly ExampleItem[]
  readonly promos: readonly ExamplePromotion[]
  readonly expected: {
    readonly lines?: Record<string, number>
    readonly disc?: number
    readonly alt?: readonly Partial<Example['expected']>[]
  }
}

const netOf = (lines: readonly PromotableLine[], promotions: readonly Promotion[], buyers = EVERYONE) => {
  const shares = applyPromotions(lines, indexPromotions(promotions), buyers)
  return Object.fromEntries(
    lines.map((line) => [
      line.sku,
      line.quantity * line.unitCents -
        shares.filter((share) => share.line === line.number).reduce((sum, { amountCents }) => sum + amountCents, 0),
    ]),
  )
}

const examples = examplesOf<Pick<Example, 'items'> & Partial<Example>, Example['expected']>('promotion').flatMap(
  ({ id, input: { items, promos = [] }, expected }) =>
    (items as readonly ExampleItem[] | undefined) === undefined ? [] : [{ id, items, promos, expected }],
)

describe('a worked example of promotions', () => {
  test.each(examples.map((example) => [example.id, example] as const))(
    'named %s in examples.csv gives the lines that the file expects',
    (_id, example) => {
      const net = netOf(linesOf(example.items), promotionsOf(example.promos))
      const { lines, alt = [] } = example.expected
      expect([lines, ...alt.flatMap((other) => (other.lines === undefined ? [] : [other.lines]))]).toContainEqual(net)
    },
  )
})

const SKUS = ['apple', 'bread', 'cola', 'dates']
const anyItems = fc.oneof(
  fc.constant({ kind: 'all' as const }),
  fc.subarray(SKUS, { minLength: 1 }).map((skus) => ({ kind: 'items' as const, skus })),
)
const anyReward = fc.oneof(
  fc.record({ kind: fc.constant('percent' as const), ppm: fc.integer({ min: 1, max: 1_000_000 }) }),
  fc.record({ kind: fc.constant('amount' as const), cents: fc.integer({ min: 1, max: 900 }) }),
  fc.record({ kind: fc.constant('price' as const), cents: fc.integer({ min: 0, max: 900 }) }),
  fc.record({
    kind: fc.constant('set-price' as const),
    units: fc.integer({ min: 2, max: 4 }),
    cents: fc.integer({ min: 1, max: 2_000 }),
  }),
  fc.record({
    kind: fc.constant('buy-get' as const),
    buy: fc.integer({ min: 0, max: 3 }),
    get: fc.integer({ min: 1, max: 2 }),
    ppm: fc.integer({ min: 1, max: 1_000_000 }),
  }),
  fc.record({ kind: fc.constant('basket-percent' as const), ppm: fc.integer({ min: 1, max: 1_000_000 }) }),
  fc.record({ kind: fc.constant('basket-amount' as const), cents: fc.integer({ min: 1, max: 3_000 }) }),
)
const anyPromotions = fc
  .array(
    fc.record({
      items: anyItems,
      reward: anyReward,
      most: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
      stackable: fc.boolean(),
      conditions: fc.record({ minimumCents: fc.integer({ min: 1, max: 3_000 }) }, { requiredKeys: [] }),
    }),
    { maxLength: 5 },
  )
  .map((all) =>
    all.map((promotion, at) => Promotion.parse({ ...promotion, id: `p${at}`, names: { 'en-CA': 'p', 'fr-CA': 'p' } })),
  )
const anyLines = fc
  .array(
    fc.record({
      id: fc.constantFrom(...SKUS),
      p: fc.integer({ min: 0, max: 1_000 }),
      q: fc.integer({ min: 1, max: 6 }),
      nodisc: fc.boolean(),
    }),
    { maxLength: 7 },
  )
  .map(linesOf)
const sumOf = (shares: readonly { readonly amountCents: number }[]): number =>
  shares.reduce((sum, { amountCents }) => sum + amountCents, 0)

const flyer = (all: readonly object[]): Promotion[] =>
  all.map((one, at) => Promotion.parse({ ...one, id: `p${at}`, names: { 'en-CA': 'p', 'fr-CA': 'p' } }))
const itemsOf = (...skus: string[]) => ({ kind: 'items', skus })

test.each([
  {
    name: 'a bought item that is also among the reduced ones is reduced if another one can be bought',
    basket: { chips: [1, 300], nuts: [1, 300] },
    promotions: [
      {
        items: itemsOf('chips', 'nuts'),
        reward: { kind: 'buy-get', buy: 1, get: 1, ppm: 500_000, getItems: itemsOf('chips') },
      },
    ],
    reducedCents: 150,
  },
  {
    name: 'an item with a percentage of its own stays out of a set that gains less',
    basket: { apple: [2, 100], cola: [1, 300] },
    promotions: [
      { items: itemsOf('apple', 'cola'), reward: { kind: 'buy-get', buy: 1, get: 1, ppm: 1_000_000 } },
      { items: itemsOf('cola'), reward: { kind: 'percent', ppm: 250_000 } },
    ],
    reducedCents: 100 + 75,
  },
  {
    name: 'of equal items, a set leaves those that another promotion needs',
    basket: { bread: [1, 500], cola: [2, 200], dates: [2, 200] },
    promotions: [
      { items: itemsOf('bread', 'cola', 'dates'), reward: { kind: 'set-price', units: 3, cents: 300 } },
      { items: itemsOf('bread', 'cola'), reward: { kind: 'percent', ppm: 500_000 }, most: 2 },
    ],
    reducedCents: 600 + 200,
  },
  {
    name: 'hundreds of pieces leave enough steps to try every order of the promotions',
    basket: { apple: [400, 100], bread: [2, 500] },
    promotions: [
      { items: itemsOf('apple'), reward: { kind: 'set-price', units: 2, cents: 150 } },
      { items: itemsOf('apple', 'bread'), reward: { kind: 'set-price', units: 2, cents: 190 } },
    ],
    reducedCents: 200 * 50 + (1_000 - 190),
  },
])('promotions that compete for items: $name', ({ basket, promotions, reducedCents }) => {
  const lines = linesOf(Object.entries(basket).map(([id, [q, p]]) => ({ id, q: q ?? 0, p: p ?? 0 })))
  expect(sumOf(applyPromotions(lines, indexPromotions(flyer(promotions)), EVERYONE))).toBe(reducedCents)
})

describe('promotions of any basket', () => {
  test('do not reduce a line that is excluded from promotions, and never reduce a line below zero', () => {
    fc.assert(
      fc.property(anyLines, anyPromotions, (lines, promotions) => {
        const shares = applyPromotions(lines, indexPromotions(promotions), EVERYONE)
        for (const line of lines) {
          const taken = sumOf(shares.filter((share) => share.line === line.number))
          expect(taken).toBeGreaterThanOrEqual(0)
          expect(taken).toBeLessThanOrEqual(line.isReducible ? line.quantity * line.unitCents : 0)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test('reduce a basket by the same total for every order of its lines and of the promotions', () => {
    fc.assert(
      fc.property(anyLines, anyPromotions, fc.infiniteStream(fc.nat()), (lines, promotions, random) => {
        const shuffled = <T>(all: readonly T[]): T[] =>
          all
            .map((one) => ({ one, key: random.next().value ?? 0 }))
            .toSorted((a, b) => a.key - b.key)
            .map(({ one }) => one)
        const other = shuffled(lines).map((line, at) => ({ ...line, number: at + 1 }))
        expect(sumOf(applyPromotions(other, indexPromotions(shuffled(promotions)), EVERYONE))).toBe(
          sumOf(applyPromotions(lines, indexPromotions(promotions), EVERYONE)),
        )
      }),
      { numRuns: 2_000 },
    )
  })

  test('with a price per set choose the sets with the largest total reduction', () => {
    const small = fc
      .array(
        fc.record({
          id: fc.constantFrom('apple', 'bread'),
          p: fc.integer({ min: 1, max: 9 }).map((p) => p * 100),
          q: fc.constant(1),
        }),
        { minLength: 1, maxLength: 6 },
      )
      .map(linesOf)
    const sets = fc
      .array(
        fc.record({
          items: anyItems,
          reward: fc.record({
            kind: fc.constant('set-price' as const),
            units: fc.integer({ min: 2, max: 3 }),
            cents: fc.integer({ min: 1, max: 15 }).map((c) => c * 100),
          }),
        }),
        { minLength: 1, maxLength: 2 },
      )
      .map(flyer)
    fc.assert(
      fc.property(small, sets, (lines, promotions) => {
        expect(sumOf(applyPromotions(lines, indexPromotions(promotions), EVERYONE))).toBe(exhaustive(lines, promotions))
      }),
      { numRuns: 1_000 },
    )
  })
})

/**
 * Returns the largest possible reduction by promotions that sell a set at one price, by trying every set of every
 * promotion.
 */
function exhaustive(lines: readonly PromotableLine[], promotions: readonly Promotion[]): number {
  let best = 0
  for (const { items, reward } of promotions) {
    if (reward.kind !== 'set-price') continue
    const eligible = lines.filter(
      ({ sku }) => items.kind === 'all' || (items.kind === 'items' && items.skus.includes(sku)),
    )
    for (const set of subsets(eligible, reward.units)) {
      const gain = set.reduce((sum, { unitCents }) => sum + unitCents, 0) - reward.cents
      if (gain > 0)
        best = Math.max(
          best,
          gain +
            exhaustive(
              lines.filter((line) => !set.includes(line)),
              promotions,
            ),
        )
    }
  }
  return best
}

function subsets<T>(all: readonly T[], size: number): T[][] {
  if (size === 0) return [[]]
  return all.flatMap((first, at) => subsets(all.slice(at + 1), size - 1).map((rest) => [first, ...rest]))
}
