import { pino } from 'pino'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { Promotion } from '../../../contracts/catalog/promotions.ts'
import type { CollectorNumber } from '../../../contracts/core/ids.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { ProblemError } from '../../../backend/core/problem.ts'
import { loadBaseline } from './baseline.ts'
import { drawStore } from './days-store.ts'
import { MANAGES } from './drawer.ts'
import { createSeededRng, type SeededRng } from './rng.ts'
import { bringEmpties, presentStoreCoupon, ringGoods } from './sale-commands.ts'
import { startRun, type Run } from './terminal.ts'
import type { Command } from './window-driver.ts'
import { createWorld } from './world.ts'

const names = { 'en-CA': 'Stackable', 'fr-CA': 'Cumulable' }
const STACKABLE = z.array(Promotion).parse([
  {
    id: 'stackable-percent',
    names,
    items: { kind: 'departments', ids: ['drinks', 'bakery', 'D1'] },
    reward: { kind: 'percent', ppm: 83_300 },
    stackable: true,
  },
  {
    id: 'stackable-set',
    names,
    items: { kind: 'items', skus: ['COLA', 'MUFFIN', 'S0'] },
    reward: { kind: 'set-price', units: 2, cents: 333 },
    stackable: true,
    priority: 200,
  },
])
const SEEDS = 40
const BASKETS = 5

async function openLane(seed: number) {
  const { image, profile: training, lane, items: usual } = await loadBaseline()
  const rng = createSeededRng('scan order', seed)
  const { profile, items } = drawStore(rng.for('store'), training, usual)
  const nothing = () => undefined
  const run = startRun({
    world: createWorld(Date.UTC(2027, 4, 5, 16)),
    disk: { image, mark: null },
    rng: rng.for('terminal'),
    profile: {
      ...profile,
      promotions: [...profile.promotions, ...STACKABLE],
      shifts: { ...profile.shifts, opening: 'automatic' },
    },
    lane,
    items,
    log: pino({ level: 'silent' }),
    steps: { before: nothing, after: nothing, rolledBack: nothing },
    exchange: async () => ({ kind: 'never-sent', reason: 'offline' }),
    grant: async () => 'token',
    onEvent: nothing,
    onTransition: nothing,
  })
  return { run, rng, items }
}

function shuffled<Entry>(rng: SeededRng, entries: readonly Entry[]): Entry[] {
  return entries
    .map((entry) => ({ entry, key: rng.fraction() }))
    .toSorted((one, other) => one.key - other.key)
    .map(({ entry }) => entry)
}

/** Totals of a sale, and its discounts by promotion or coupon. */
function pricesOf({ totals: { subtotalCents, taxes, totalCents }, discounts }: Sale) {
  const sums = new Map<string, number>()
  for (const { promotion, coupon, amountCents } of discounts) {
    const name = promotion?.id ?? coupon?.code ?? 'discount'
    sums.set(name, (sums.get(name) ?? 0) + amountCents)
  }
  const byName = [...sums].filter(([, amount]) => amount > 0).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return { subtotalCents, taxes, totalCents, discounts: Object.fromEntries(byName) }
}

/**
 * Runs the commands, gives a discount, cancels the sale, and returns the prices that it had. Refused commands change
 * nothing.
 */
function priceOf(run: Run, commands: readonly Command<Sale>[], isMember: boolean) {
  const { checkout } = run
  if (isMember) void checkout.members.identify(run.present('80000000010' as CollectorNumber, 'SWIPE'))
  for (const { work } of commands) {
    try {
      void work(run, () => undefined)
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
    }
  }
  const sale = checkout.sales.current()
  if (!sale) throw new Error('no sale is open')
  const off = { kind: 'percent' as const, ppm: 70_000 }
  const given = { version: sale.version, line: null, off, reason: 'damaged' as const }
  const priced = checkout.changes.discount(sale.id, given, MANAGES)
  checkout.tenders.cancel(priced.id, priced.version, MANAGES)
  return pricesOf(priced)
}

test.each(Array.from({ length: SEEDS }, (_, index) => index + 1))(
  'the same goods in another order have the same taxes, total and discounts, with seed %i',
  async (seed) => {
    const { run, rng, items } = await openLane(seed)
    for (let basket = 0; basket < BASKETS; basket += 1) {
      const goods = Array.from({ length: 3 + rng.below(9) }, () => ringGoods(rng, rng.pick(items)))
      const again = goods.filter(() => rng.onceIn(3))
      const empties = rng.onceIn(3) ? [bringEmpties(rng, MANAGES, null)] : []
      const scans = [...goods, ...again, ...empties]
      const coupons = [presentStoreCoupon(rng), presentStoreCoupon(rng)]
      const isMember = rng.onceIn(2)
      const first = priceOf(run, [...scans, ...coupons], isMember)
      for (let order = 0; order < 3; order += 1)
        expect(priceOf(run, [...shuffled(rng, scans), ...coupons], isMember), `basket ${basket}`).toEqual(first)
    }
    run.end()
  },
)
