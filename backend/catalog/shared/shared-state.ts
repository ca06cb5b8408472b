import type { Ctx } from '../../core/context.ts'
import { changesOf } from '../../store/changes.ts'
import { editionsOf } from '../editions/editions.sql.ts'
import { liveEditionOf } from '../editions/live-edition.ts'
import { createImportOrder } from './import-order.ts'
import { createSharedRows } from './rows.ts'
import { createSlices } from './slices.ts'

interface State {
  stopWaiting: (() => void) | null
  isAsked: boolean
  hasUnseenChange: boolean
  isClosed: boolean
}

export type SharedState = ReturnType<typeof sharedStateOf>

export function sharedStateOf(ctx: Ctx) {
  const { db, transact, audit, clock, log } = ctx
  const state: State = { stopWaiting: null, isAsked: false, hasUnseenChange: false, isClosed: false }
  return {
    transact,
    audit,
    clock,
    log,
    live: liveEditionOf(ctx),
    editions: editionsOf(ctx),
    changes: changesOf(ctx),
    rows: createSharedRows(db),
    order: createImportOrder(db),
    slices: createSlices(clock),
    state,
    watchers: new Set<(sku: string) => void>(),
    listeners: [] as (() => void)[],
  }
}
