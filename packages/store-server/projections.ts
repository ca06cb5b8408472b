import { CATALOG_PROJECTION } from './changes/catalog.ts'
import { CHANGES_PROJECTION } from './changes/changes.ts'
import { HOLDS_PROJECTION } from './holds/holds.ts'
import type { Projection } from './lanes/projection.ts'
import { OVERVIEW } from './overview/projection.ts'
import { RECEIPTS } from './receipts/projection.ts'
import { VOUCHERS } from './vouchers/projection.ts'

export const PROJECTIONS: readonly Projection[] = [
  VOUCHERS,
  RECEIPTS,
  ...OVERVIEW,
  HOLDS_PROJECTION,
  CATALOG_PROJECTION,
  CHANGES_PROJECTION,
]
