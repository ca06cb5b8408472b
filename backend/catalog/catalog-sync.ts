import type { CatalogOfStore } from '../../contracts/catalog/catalog.ts'
import { catalogOf } from './catalog.ts'
import { type Bringing, type Brought, type StoreFiles, bringCatalog, createParts, createStoreFiles } from './bring.ts'
import type { StoreImport } from './shared/import-order.ts'
import { type Ctx, perLane } from '../core/context.ts'
import { storeLinkOf } from '../store/store-link.ts'

/** When the server is asked again for what it does not have yet, or could not be asked. */
const AGAIN_MS = 3_000
/** When it is tried again what failed here: on a full disk, or by a program that is older than the file. */
const FAILED_MS = 60_000

type Shown = NonNullable<CatalogOfStore>

/**
 * Keeps the lane at the catalog that counts in its store: brings the file of an import that was made here to the
 * server, and fetches one that was made elsewhere. One thing at a time, behind everything else.
 */
export function createCatalogSync(ctx: Ctx, files: StoreFiles) {
  const { clock, log, transact } = ctx
  const catalog = catalogOf(ctx)
  const { shared } = catalog
  const { imports, order } = shared
  const parts = createParts(ctx.db)
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
  const bringing: Bringing = {
    transact,
    clock,
    catalog,
    shared,
    files,
    parts,
    signal: ending.signal,
    onStep: ({ step, percent }) => {
      const counts = imports.winner()
      if (counts) show({ kind: step, percent, ...about(counts) })
    },
  }

  /** Brings what the server lacks of the file that is sold by. `unsent`: it could not be asked, or wants it later. */
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
        const chunk = parts.chunkOf(edition, number)
        if (chunk === null) throw new Error(`part ${number} of the catalog is not there`)
        const sent = await files.send(one.value.hash, number, chunk)
        if (sent === null || sent === 'unknown') return 'unsent'
        if (sent === 'wrong') throw new Error('the file of the catalog is not what its hash says')
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

  /** What is still to be waited for; null: nothing is. */
  async function round(): Promise<Exclude<Brought, 'sold'> | null> {
    const counts = imports.winner()
    const inUse = catalog.editions.inUse()
    if (counts === null || inUse === null) return null
    const edition = catalog.editions.byId(inUse.currentId)
    if (order.isOf(counts, edition)) return (await atRest(counts, edition.id)) ? null : 'away'
    const brought = await bringCatalog(bringing, counts)
    if (brought === 'away' || brought === 'later') show({ kind: 'waiting', percent: have(counts), ...about(counts) })
    // Once more: the server is told by what is sold now.
    return brought === 'sold' ? 'other' : brought
  }

  const have = ({ value: { hash, parts: count } }: StoreImport): number =>
    Math.floor((parts.have(hash).size * 100) / count)

  async function run(): Promise<void> {
    while (isAsked && !ending.signal.aborted) {
      isAsked = false
      const waits = await round().catch((error: unknown) => {
        if (ending.signal.aborted) return null
        log.warn({ err: error }, 'the catalog of the store could not be taken over')
        const counts = imports.winner()
        show(counts && { kind: 'failed', ...about(counts) })
        return 'failed' as const
      })
      stopWaiting?.()
      stopWaiting = null
      if (waits === 'other') isAsked = true
      else if (waits !== null) stopWaiting = clock.after(waits === 'failed' ? FAILED_MS : AGAIN_MS, look)
    }
  }

  function look(): void {
    if (ending.signal.aborted) return
    isAsked = true
    running ??= run().finally(() => {
      running = null
      if (isAsked) look()
    })
  }
  imports.onChange(look)

  return {
    /** Looks at once, and goes on until the lane is where the store is. */
    look,
    /** Resolves once it does nothing; false: it waits for another try. */
    async idle(): Promise<boolean> {
      while (running) await running
      return stopWaiting === null
    },
    /** How that stands; null: the lane is there. */
    state: (): CatalogOfStore => shown,
    async close(): Promise<void> {
      ending.abort()
      stopWaiting?.()
      await running
    },
  }
}

/** Follows the catalog that counts in the store; null at a lane that is alone. */
export const catalogSyncOf = perLane((ctx) => {
  const store = storeLinkOf(ctx)
  if (store === null) return null
  const sync = createCatalogSync(ctx, createStoreFiles(store))
  store.events.on('reached', sync.look)
  return sync
})
