import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../http/testing.ts'
import { openCatalogLane, type CatalogLane, type LaneOptions } from '../../../testing/catalog-lane.ts'

/** A lane with a folder of its own that ends with the test; another one in the folder of a lane is its next start. */
export async function openLane(
  number: number,
  { folder = temporaryFolder(), ...options }: Omit<LaneOptions, 'folder'> & { readonly folder?: string },
): Promise<CatalogLane> {
  const lane = await openCatalogLane(number, { ...options, folder })
  onTestFinished(lane.close)
  return lane
}
