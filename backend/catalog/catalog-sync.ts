import type { CatalogOfStore } from '../../contracts/catalog/catalog.ts'
import { catalogOf } from './catalog.ts'
import {
  type SyncContext,
  type SyncResult,
  type StoreFiles,
  syncCatalog,
  createChunks,
  createStoreFiles,
} from './fetch-catalog.ts'
import type { StoreImport } from './shared/import-order.ts'
import { type Ctx, perLane } from '../core/context.ts'
import { storeLinkOf } from '../store/store-link.ts'

/**
 * Interval in ms at which the lane tries again to get the store's catalog while the store server lacks data or is
 * unreachable.
 */
const AGAIN_MS = 3_000
/**
 * Interval in ms at which the lane tries again after an error of its own: a full disk, or a program that is older than
 * the catalog file.
 */
const FAILED_MS = 60_000

type Shown = NonNullable<CatalogOfStore>

/**
 * Gives the lane the store's catalog: uploads the file of an import made at this lane, and downloads the file of an
 * import made at another one. Handles one import at a time, in the background.
 */
export function createCatalogSync(ctx: Ctx, files: StoreFiles) {
  const { clock, log, transact } = ctx
  const catalog = catalogOf(ctx)
  const { shared } = catalog
  const { imports, order } = shared
  const chunks = createChunks(ctx.db)
  const ending = new AbortController()
  let running: Promise<void> | null = null
  let isAsked = false
  let stopWaiting: (() => void) | null = null
  let shown: Shown | null = null

  function show(next: Shown | null): void {
    if (JSON.stringify(next) === JSON.stringify(shown)) return
    shown = next
    ctx.publish({ type: 'catalog-changed' })
  }
  const about = ({ stamp, value }: StoreImport) => ({ fileName: value.fileName, lane: stamp.lane })
  const bringing: SyncContext = {
    transact,
    clock,
    catalog,
    shared,
    files,
    chunks: chunks,
    signal: ending.signal,
    onStep: ({ step, percent }) => {
      const counts = imports.winner()
      if (counts) show({ kind: step, percent, ...about(counts) })
    },
  }

  /**
   * Uploads the chunks of the catalog file in use that the store server lacks. `unsent`: the server is unreachable, or
   * accepts them only later.
   */
  async function give(one: StoreImport, edition: string): Promise<'given' | 'unsent' | 'full'> {
    for (;;) {
      const missing = await files.missing(one.value)
      if (missing === null) return 'unsent'
      if (missing === 'full') return 'full'
      if (missing.length === 0) return 'given'
      for (const number of missing) {
        if (ending.signal.aborted || imports.winner()?.id !== one.id) return 'given'
        const left = missing.length - missing.indexOf(number)
        show({
          kind: 'sending',
          percent: Math.floor(((one.value.parts - left) * 100) / one.value.parts),
          ...about(one),
        })
        const chunk = chunks.chunkOf(edition, number)
        if (chunk === null) throw new Error(`chunk ${number} of the catalog is missing`)
        const sent = await files.send(one.value.hash, number, chunk)
        if (sent === null || sent === 'unknown') return 'unsent'
        if (sent === 'wrong') throw new Error('the file of the catalog does not match its hash')
        if (sent === 'whole') return 'given'
      }
    }
  }

  async function atRest(one: StoreImport, edition: string): Promise<boolean> {
    const given = await give(one, edition)
    const noted = given === 'given' && (await files.sold(one.stamp))
    show(given !== 'given' && one.stamp.lane === shared.lane ? { kind: given, ...about(one) } : null)
    return noted
  }

  /** Tries once to get the store's catalog. Returns what the lane still waits for, or null when it has the catalog. */
  async function round(): Promise<Exclude<SyncResult, 'sold'> | null> {
    const counts = imports.winner()
    const inUse = catalog.editions.inUse()
    if (counts === null || inUse === null) return null
    const edition = catalog.editions.byId(inUse.currentId)
    if (order.isOf(counts, edition)) return (await atRest(counts, edition.id)) ? null : 'no-answer'
    const result = await syncCatalog(bringing, counts)
    if (result === 'no-answer' || result === 'retry') show({ kind: 'waiting', percent: have(counts), ...about(counts) })
    // Return `other` after a success, so that the next round notifies the store server of the import in use.
    return result === 'sold' ? 'other' : result
  }

  const have = ({ value: { hash, parts: count } }: StoreImport): number =>
    Math.floor((chunks.have(hash).size * 100) / count)

  async function run(): Promise<void> {
    while (isAsked && !ending.signal.aborted) {
      isAsked = false
      const waits = await round().catch((error: unknown) => {
        if (ending.signal.aborted) return null
        log.warn({ err: error }, 'the catalog of the store could not be applied')
        const counts = imports.winner()
        show(counts && { kind: 'failed', ...about(counts) })
        return 'failed' as const
      })
      stopWaiting?.()
      stopWaiting = null
      if (waits === 'other') isAsked = true
      else if (waits !== null) stopWaiting = clock.after(waits === 'failed' ? FAILED_MS : AGAIN_MS, checkForCatalog)
    }
  }

  function checkForCatalog(): void {
    if (ending.signal.aborted) return
    isAsked = true
    running ??= run().finally(() => {
      running = null
      if (isAsked) checkForCatalog()
    })
  }
  imports.onChange(checkForCatalog)

  return {
    checkForCatalog,
    async idle(): Promise<boolean> {
      while (running) await running
      return stopWaiting === null
    },
    state: (): CatalogOfStore => shown,
    async close(): Promise<void> {
      ending.abort()
      stopWaiting?.()
      await running
    },
  }
}

/** Keeps the lane's catalog in sync with the store's; null on a lane without a store server. */
export const catalogSyncOf = perLane((ctx) => {
  const store = storeLinkOf(ctx)
  if (store === null) return null
  const sync = createCatalogSync(ctx, createStoreFiles(store))
  store.events.on('reached', sync.checkForCatalog)
  return sync
})
