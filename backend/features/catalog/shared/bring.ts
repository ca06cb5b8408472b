import { setImmediate as breathe } from 'node:timers/promises'
import type { Clock } from '../../../clock.ts'
import type { Transact, Tx } from '../../../db/transact.ts'
import type { CatalogService } from '../service.ts'
import { applyChanges, openEditionFile, aboutEdition } from '../edition-file.ts'
import { createEditionRows } from '../edition-rows.ts'
import { rebuildSized } from '../make-beside.ts'
import type { Database } from '../../../db/open.ts'
import type { StoreImport } from './import-order.ts'
import type { Shared } from './open-shared.ts'
import type { Parts } from './parts.ts'
import { createSlices } from './slices.ts'
import type { StoreFiles } from './store-files.ts'

/** What came of it: another import counts by now (`other`), or the server has to be asked again (`away`, `later`). */
export type Brought = 'sold' | 'other' | 'away' | 'later'

export type BringStep = { readonly step: 'fetching' | 'making'; readonly percent: number }

export interface BringOptions {
  readonly catalog: CatalogService
  readonly shared: Shared
  readonly parts: Parts
  readonly files: StoreFiles
  readonly transact: Transact
  readonly clock: Pick<Clock, 'monotonic'>
  readonly onStep: (step: BringStep) => void
  /** The lane is closing. */
  readonly signal: AbortSignal
}

/**
 * Brings the catalog that counts in the store to this lane: fetches its items, makes its file beside the one that is
 * sold from, puts over it what was changed since, and then sells from it, in one commit. Nobody at the checkout waits;
 * wherever it is cut, the next try goes on.
 */
export function createBring({ catalog, shared, parts, files, transact, clock, onStep, signal }: BringOptions) {
  const { editions, live } = catalog
  const { imports, items, rows } = shared
  const isStill = (one: StoreImport): boolean => !signal.aborted && imports.winner()?.id === one.id

  async function fetch(one: StoreImport): Promise<Brought | 'here'> {
    const { hash, parts: count } = one.value
    const have = new Set(parts.have(hash))
    for (let number = 1; number <= count; number += 1) {
      if (have.has(number)) continue
      onStep({ step: 'fetching', percent: Math.floor((have.size * 100) / count) })
      const chunk = await files.fetch(hash, number)
      if (!isStill(one)) return 'other'
      if (chunk === null) return 'away'
      if (chunk === 'later') return 'later'
      transact((tx) => {
        parts.keep(tx, hash, number, chunk)
      })
      have.add(number)
    }
    if (parts.isWhole(one.value)) return 'here'
    transact((tx) => {
      parts.drop(tx, hash)
    })
    return 'later'
  }

  function insert(tx: Tx, { id, at, byId, value }: StoreImport): void {
    const sourceHash = Buffer.from(value.hash, 'hex')
    const about = { origin: 'import', fileName: value.fileName, items: value.items, madeAt: at, madeBy: byId } as const
    editions.insert(tx, { ...about, id, sourceHash }, [])
  }

  /** Its items stand in the database, as an edition that nobody sells from yet. */
  async function stand(one: StoreImport): Promise<Brought | 'here'> {
    if (editions.has(one.id)) return 'here'
    const same = parts.withHash(one.value.hash)
    const fetched = same === null ? await fetch(one) : 'here'
    if (fetched !== 'here') return fetched
    transact((tx) => {
      insert(tx, one)
      if (same === null) parts.toEdition(tx, one.value.hash, one.id)
      else parts.copy(tx, same, one.id)
    })
    return 'here'
  }

  /** What was changed since is put over its file, a few items at a time. */
  async function putOver(one: StoreImport, file: Database): Promise<void> {
    const over = { edition: one.id, file: createEditionRows(file), since: one.stamp, isSold: false }
    const slices = createSlices(clock)
    const changed = rows.saidSince(one.stamp)
    for (let from = 0; from < changed.length && isStill(one);) {
      const skus = changed.slice(from, from + slices.size())
      slices.run(skus.length, () => {
        transact((tx) => {
          items.put(tx, over, skus, one.byId)
        })
        applyChanges(file, editions.changesAfter(one.id, aboutEdition(file)?.applied ?? 0))
      })
      from += skus.length
      await breathe()
    }
  }

  function sell(one: StoreImport, file: Database, said: ReadonlySet<string>): void {
    transact((tx) => {
      const over = { edition: one.id, file: createEditionRows(file), since: one.stamp, isSold: false }
      items.put(tx, over, [...said], one.byId)
      imports.record(tx, one)
      catalog.adopt(tx, one.id, !one.value.undone)
      rows.forget(tx)
      rows.clearLost(tx)
      items.lookAgain(tx, one.id)
    })
  }

  return async (one: StoreImport): Promise<Brought> => {
    transact((tx) => {
      parts.dropOthers(tx, one.value.hash)
      for (const id of parts.idle()) if (id !== one.id) editions.drop(tx, id)
    })
    const stands = await stand(one)
    if (stands !== 'here') return stands
    onStep({ step: 'making', percent: 0 })
    const target = live.pathOf(one.id)
    const job = { kind: 'rebuild', terminal: shared.terminal, target, edition: one.id } as const
    await rebuildSized(job, one.value.bytes, signal)
    const said = new Set<string>()
    const unwatch = items.watch((sku) => said.add(sku))
    const file = openEditionFile(target)
    try {
      await putOver(one, file)
      if (!isStill(one)) return 'other'
      sell(one, file, said)
      return 'sold'
    } finally {
      unwatch()
      file.close()
    }
  }
}
