import { setTimeout as pause } from 'node:timers/promises'
import english from '../../contracts/i18n/en-CA/screens/after-sign-in.ts'
import type { BenchItem } from '../checkout/items.ts'
import { clockOver, scanItem, timesOf, type MeasuredLane, type Scan } from '../checkout/scans.ts'
import type { ClockOffset } from '../checkout/clock.ts'
import { beginSale, type OfferLane } from './lanes.ts'
import type { Paired } from './sale-ends.ts'

const OFFER_LINE = english.basketOffers.line

export type ScanningLane = MeasuredLane & OfferLane

/**
 * The pause between two scans in milliseconds. The window requests the offers when nothing has changed for 150 ms, so
 * that some scans come before, some during and some after the request.
 */
const betweenScans = (): Promise<void> => pause(150 + Math.random() * 200)

/** Milliseconds from each scan’s bytes to its painted line, in one list for each basket. */
export type PaintedBaskets = readonly (readonly number[])[]

/**
 * Scans the same baskets at both lanes alternately. `itemOf`: returns another item for each scan at a lane. The first
 * `warmUp` baskets do not count.
 */
export async function measureScanCost(
  lanes: Paired<ScanningLane>,
  {
    baskets,
    warmUp,
    scans,
    itemOf,
  }: { baskets: number; warmUp: number; scans: number; itemOf: (scan: number) => BenchItem },
  signal: AbortSignal,
): Promise<Paired<PaintedBaskets> & { readonly boards: number }> {
  const boards = lanes.a.screen.countRequests('/offers')
  const compared = { a: await lanes.a.screen.compareClocks(), b: await lanes.b.screen.compareClocks() }
  const taken = { a: new Array<Scan[]>(), b: new Array<Scan[]>() }
  for (let round = 0; round < warmUp + baskets; round += 1) {
    for (const which of round % 2 === 0 ? (['a', 'b'] as const) : (['b', 'a'] as const)) {
      signal.throwIfAborted()
      const items = Array.from({ length: scans }, (_, scan) => itemOf(round * scans + scan))
      const basket = await scanBasket(lanes[which], items, signal)
      if (round >= warmUp) taken[which].push(basket)
    }
  }
  // The window must request offers between the scans too, not only once after the last scan of each basket.
  if (boards() <= 2 * (warmUp + baskets)) throw new Error('the window did not request offers between the scans')
  return {
    boards: boards(),
    a: painted(taken.a, clockOver(compared.a, await lanes.a.screen.compareClocks())),
    b: painted(taken.b, clockOver(compared.b, await lanes.b.screen.compareClocks())),
  }
}

const painted = (baskets: readonly Scan[][], clock: ClockOffset): PaintedBaskets =>
  baskets.map((scans) => timesOf(scans, clock).painted)

async function scanBasket(lane: ScanningLane, items: readonly BenchItem[], signal: AbortSignal): Promise<Scan[]> {
  await beginSale(lane)
  const scans: Scan[] = []
  for (const [index, item] of items.entries()) {
    signal.throwIfAborted()
    await betweenScans()
    const { scan, sale } = await scanItem(lane, item)
    scans.push(scan)
    if (index < items.length - 1) continue
    if ((await lane.screen.shows(OFFER_LINE)) !== lane.hasOffers)
      throw new Error(`the window of ${lane.ready.url} ${lane.hasOffers ? 'shows no offers' : 'shows offers'}`)
    await lane.client.payByCard(sale)
  }
  return scans
}
