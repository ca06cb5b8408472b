import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { Promotion } from '../../contracts/catalog/promotions.ts'
import { centsOf, itemAt } from './items.ts'

const PROGRAM = 'packages/lab/testing/load/price-lines.ts'
const Answer = z.object({ samples: z.array(z.number()).min(1), reducedCents: z.int() })

/**
 * Number of items of each promotion. Neighbouring promotions share half of their items, so that they compete for the
 * same units.
 */
const ITEMS_OF_ONE = 20

/** Rewards of a grocery flyer: most promotions reduce prices, some need sets. */
const REWARDS = [
  { kind: 'percent', ppm: 200_000 },
  { kind: 'price', cents: 99 },
  { kind: 'amount', cents: 50 },
  { kind: 'set-price', units: 2, cents: 500 },
  { kind: 'buy-get', buy: 2, get: 1, ppm: 1_000_000 },
] as const
const OFF_THE_BASKET = {
  items: { kind: 'all' },
  reward: { kind: 'basket-percent', ppm: 10_000 },
  conditions: { minimumCents: 5_000 },
} as const

/** Returns active promotions of the first items of the catalog; every hundredth reduces the whole basket. */
export const promotionsOf = (count: number, items: number): Promotion[] =>
  Array.from({ length: count }, (_, index) =>
    Promotion.parse({
      id: `bench-${index}`,
      names: { 'en-CA': `Promotion ${index}`, 'fr-CA': `Promotion ${index}` },
      ...(index % 100 === 99
        ? OFF_THE_BASKET
        : { items: { kind: 'items', skus: skusOf(index, items) }, reward: REWARDS[index % REWARDS.length] }),
      stackable: index % 10 === 0,
    }),
  )

const skusOf = (promotion: number, items: number): string[] =>
  Array.from({ length: ITEMS_OF_ONE }, (_, at) => itemAt((promotion * (ITEMS_OF_ONE / 2) + at) % items).sku)

/**
 * Measures the pricing of baskets of a hundred lines in a process of its own. Returns the milliseconds of each basket.
 */
export async function measurePricing(
  folder: string,
  promotions: readonly Promotion[],
  signal: AbortSignal,
): Promise<number[]> {
  const file = path.join(folder, 'pricing.json')
  const items = Array.from({ length: 2_000 }, (_, index) => ({ sku: itemAt(index).sku, cents: centsOf(index) }))
  await writeFile(file, JSON.stringify({ promotions, items }))
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, file], { signal })
  return Answer.parse(JSON.parse(stdout)).samples
}
