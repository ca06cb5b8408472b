import type { Database } from '../../../db/open.ts'
import { createImportOrder } from './import-order.ts'
import { createSharedRows } from './rows.ts'
import { createSharedCatalog, type SharedCatalogOptions } from './shared-catalog.ts'
import { createSharedImports } from './shared-imports.ts'

export interface OpenSharedOptions extends Omit<SharedCatalogOptions, 'rows' | 'order'> {
  readonly db: Database
  readonly lane: string
}

export type Shared = ReturnType<typeof openShared>

/** What the lanes of a store have of their catalog in common. */
export function openShared({ db, lane, ...options }: OpenSharedOptions) {
  const rows = createSharedRows(db)
  const order = createImportOrder(db)
  const items = createSharedCatalog({ ...options, rows, order })
  const imports = createSharedImports({ ...options, lane, rows, order, items })
  const { changes } = options
  /** False: the lane was always alone. */
  const isOfStore = (): boolean => changes.idSuffix() !== ''
  return { rows, order, items, imports, changes, isOfStore, lane, terminal: db.name }
}
