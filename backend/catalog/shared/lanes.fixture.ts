import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../../core/http/testing.ts'
import { cents } from '../../../contracts/core/money.ts'
import {
  createMemoryFiles,
  itemOf,
  openCatalogLane,
  syncAll,
  type CatalogLane,
  type LaneOptions,
} from '../../../packages/lab/testing/catalog-lane.ts'

export const APPLE = 'A,PLU-1,Apple,Pomme,1.00,standard,x,'
export const BREAD = 'B,PLU-2,Bread,Pain,2.00,standard,x,'

/**
 * Opens a lane whose folder is deleted after the test. Opening a lane in the same folder again is that lane's next
 * start.
 */
export async function openLane(
  number: number,
  { folder = temporaryFolder(), ...options }: Omit<LaneOptions, 'folder'> & { readonly folder?: string },
): Promise<CatalogLane> {
  const lane = await openCatalogLane(number, { ...options, folder })
  onTestFinished(lane.close)
  return lane
}

export async function openLanes(count: number): Promise<CatalogLane[]> {
  const files = createMemoryFiles()
  const lanes = []
  for (let number = 1; number <= count; number += 1)
    lanes.push(await openLane(number, { files, profileRows: [APPLE, BREAD] }))
  return lanes
}
export async function openTwo(): Promise<readonly [CatalogLane, CatalogLane]> {
  const [one, two] = await openLanes(2)
  if (!one || !two) throw new Error('two lanes are expected')
  return [one, two]
}
export function price(lane: CatalogLane, sku: string, priceCents: number): void {
  const item = lane.catalog.findBySku(sku)
  if (!item) throw new Error(`${sku} is not sold`)
  lane.items.save(
    { how: 'change', item: { ...itemOf(sku, { barcode: item.barcode }), priceCents: cents(priceCents) } },
    'sam',
  )
}
export const priceAt = (lane: CatalogLane, sku: string): number | undefined => lane.catalog.findBySku(sku)?.priceCents
export async function deliverFacts(...lanes: readonly CatalogLane[]): Promise<void> {
  const sentFacts = lanes.map((lane) => lane.sentFacts())
  for (const [at, lane] of lanes.entries())
    sentFacts.forEach((facts, from) => {
      if (from !== at) lane.takeMany(facts)
    })
  await syncAll(lanes)
}
