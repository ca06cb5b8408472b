import type { Ctx } from '../../core/context.ts'
import type { Logger } from '../../core/log.ts'
import type { Changes } from '../../store/changes.ts'
import type { EditionsRepository } from '../editions/editions.sql.ts'
import type { LiveEdition } from '../editions/live-edition.ts'
import { createImportOrder } from './import-order.ts'
import { createSharedRows } from './rows.ts'
import { createSlices } from './slices.ts'

/** What the catalog has when it opens the part that lanes share. */
export interface CatalogParts extends Pick<Ctx, 'db' | 'transact' | 'audit' | 'clock'> {
  readonly log: Pick<Logger, 'warn'>
  readonly live: LiveEdition
  readonly editions: EditionsRepository
  /** Call it when what is sold may be another than before. */
  readonly announce: () => void
}

interface State {
  stopWaiting: (() => void) | null
  isAsked: boolean
  /** Something was said since a manager's page was told last. */
  isNews: boolean
  isClosed: boolean
}

export type SharedParts = ReturnType<typeof sharedPartsOf>

export function sharedPartsOf(parts: CatalogParts, changes: Changes) {
  const state: State = { stopWaiting: null, isAsked: false, isNews: false, isClosed: false }
  return {
    ...parts,
    changes,
    rows: createSharedRows(parts.db),
    order: createImportOrder(parts.db),
    slices: createSlices(parts.clock),
    state,
    /** Called with every item that is said anew. */
    watchers: new Set<(sku: string) => void>(),
    /** Called after a commit by which another catalog may count. */
    listeners: [] as (() => void)[],
  }
}
