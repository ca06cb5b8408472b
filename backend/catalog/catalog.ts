import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import type { Item, QuickDepartment } from '../../contracts/catalog/catalog.ts'
import { perLocale } from '../../contracts/i18n/languages.ts'
import type { DepartmentSettings } from '../../contracts/core/profile.ts'
import type { Clock } from '../core/clock.ts'
import type { Tx } from '../core/db/transact.ts'
import { scanCodesOf } from '../core/scan-codes.ts'
import { ProblemError } from '../core/problem.ts'
import type { CatalogNames } from '../core/profile/profile-checks.ts'
import { compareStamps } from '../store/changes.sql.ts'
import type { CatalogChange } from './editions/edition-rows.ts'
import { openEditionFile } from './editions/edition-file.ts'
import { editionSwitchOf, type EditionSwitch } from './edition-switch.ts'
import { editionsOf, type Edition, type EditionsRepository, type InUse } from './editions/editions.sql.ts'
import { liveEditionOf, type LiveEdition } from './editions/live-edition.ts'
import { hashCatalog, type CatalogError } from './editions/load.ts'
import { importInWorker } from './editions/edition-jobs.ts'
import type { Imported } from './editions/make-edition.ts'
import { createCatalogRepository, type CatalogRepository } from './editions/catalog.sql.ts'
import { sharedOf, type Shared } from './shared/shared-imports.ts'
import { type Ctx, perLane } from '../core/context.ts'

export interface CatalogService extends Pick<
  CatalogRepository,
  'planned' | 'plannedCount' | 'plannedOf' | 'plannedSince'
> {
  findBySku(sku: string): Item | undefined
  findByBarcode(code: string): Item | undefined
  /** Finds an item by a typed code or SKU. As in a scan, a code takes precedence over a SKU. */
  findTyped(code: string): Item | undefined
  /** Finds items by terms of the name in any language, SKU, or three or more digits of the barcode. Best first. */
  search(query: string, limit: number): Item[]
  /**
   * Departments with their quick keys: those of the settings in their order, then the others. Quick keys of unknown
   * SKUs are left out.
   */
  quickKeys(settings: readonly DepartmentSettings[]): QuickDepartment[]
  departments(): string[]
  names(): CatalogNames
  /**
   * Opens the catalog, and imports the profile's catalog file if that file has changed since its last import. An
   * unchanged file does not undo a manager's imports and changes. If the file has errors, the old catalog stays.
   */
  open(
    path: string,
    given?: OpenGiven,
  ): Promise<{ imported: number } | { unchanged: true } | { errors: readonly CatalogError[] }>
  readonly editions: EditionsRepository
  pathOf(edition: string): string
  /**
   * Identifies the state of the edition in use. An import that was compared with another state must be compared again.
   */
  place(): { edition: string; change: number }
  /** Switches to a new edition, in one transaction; a manager can go back to the previous one. */
  take(tx: Tx, edition: Edition): void
  readonly adopt: EditionSwitch['adopt']
  readonly restorePrevious: EditionSwitch['restorePrevious']
  readonly shared: Shared
  readonly live: LiveEdition
  /** Whether a planned price began between two moments (epoch ms), in either order. */
  hasBegun(one: number, other: number): boolean
  /** Changes the edition in use. Throws `storage-failed` while its file lacks an earlier change. */
  change(tx: Tx, byId: string, change: CatalogChange): void
  readonly onChange: LiveEdition['onChange']
  close(): void
}

export interface OpenGiven {
  /**
   * Throws if the profile names items or departments that its catalog lacks; then nothing is imported. A manager's
   * later changes are not checked, because a quick key of a missing item must not prevent a start.
   */
  readonly checkNames?: (names: CatalogNames) => void
  /**
   * True if the lane returned to its previous profile by itself and not by an instruction. A lane of a store then keeps
   * its catalog, and does not import the file of that profile.
   */
  readonly isFallback?: boolean
}

/** Maximum number of items shown for a department that has no list of quick keys. */
const MAX_UNNAMED = 24
/**
 * Interval in ms at which the lane looks whether a planned price has begun, to update the screens. Rung items are
 * priced by the current time in any case.
 */
const LOOK_MS = 15_000

function createCatalogService(ctx: Ctx): CatalogService {
  const { transact } = ctx
  const [editions, live] = [editionsOf(ctx), liveEditionOf(ctx)]
  const [shared, inUse] = [sharedOf(ctx), editionSwitchOf(ctx)]
  const stopWatching = watchPlannedPrices(ctx)

  return {
    editions,
    shared,
    live,
    adopt: inUse.adopt,
    take: (tx, edition) => {
      inUse.take(tx, edition, { profileHash: null })
    },
    pathOf: live.pathOf,
    findBySku: (sku) => live.items.findBySku(sku),
    findByBarcode: (code) => live.items.findByBarcode(code),
    findTyped: (code) => live.items.findTyped(code),
    search: (query, limit) => live.items.search(query, limit),
    planned: (after, limit) => live.items.planned(after, limit),
    plannedCount: () => live.items.plannedCount(),
    plannedOf: (sku) => live.items.plannedOf(sku),
    plannedSince: (sku) => live.items.plannedSince(sku),
    quickKeys: (settings) => quickKeysOf(live.items, settings),
    departments: () => live.items.departments(),
    names: () => namesOf(live.items),
    async open(path, { checkNames = () => undefined, isFallback = false } = {}) {
      const file = hashCatalog(path)
      if ('errors' in file) return file
      const before = editions.inUse()
      live.tidy([before?.currentId ?? null, before?.previousId ?? null])
      if (before) await live.load(before.currentId)
      if (before && (file.hash === before.profileHash || isSuperseded(ctx, before, file.hash, isFallback))) {
        retainCatalog(ctx, before, file.hash, isFallback ? () => undefined : checkNames)
        return { unchanged: true }
      }
      const made = await importProfileFile(ctx, path, file.hash, checkNames)
      return 'errors' in made ? { errors: made.errors } : { imported: made.counts.items }
    },
    place() {
      const edition = live.id
      if (edition === null) throw new Error('the lane has no catalog yet')
      return { edition, change: editions.lastChange(edition) }
    },
    restorePrevious: inUse.restorePrevious,
    hasBegun: (one, other) => live.items.beganBetween(Math.min(one, other), Math.max(one, other)),
    change(tx, byId, change) {
      // A change that was checked against an incomplete file might not fit the catalog.
      if (!live.isWhole()) throw new ProblemError('storage-failed')
      if (editions.inUse() === null) throw new Error('the lane has no catalog yet')
      shared.items.change(tx, byId, change)
      transact.afterCommit(() => {
        live.follow()
        live.announce()
      })
    },
    onChange: live.onChange,
    close() {
      stopWatching()
      shared.items.close()
      live.close()
    },
  }
}

type Check = NonNullable<OpenGiven['checkNames']>

async function importProfileFile(ctx: Ctx, path: string, hash: string, check: Check): Promise<Imported> {
  const { clock, profile } = ctx
  const live = liveEditionOf(ctx)
  const id = randomUUID()
  const made = await importInWorker({
    kind: 'import',
    csv: path,
    base: live.id === null ? null : live.pathOf(live.id),
    target: live.pathOf(id),
    edition: id,
    now: clock.now(),
    timeZone: profile.timeZone,
    scanCodes: scanCodesOf(profile),
  })
  if ('errors' in made) return made
  checkFile(live.pathOf(id), clock, check)
  const { counts } = made
  const fileName = basename(path)
  ctx.transact((tx) => {
    const edition = editionOf(id, made, { origin: 'profile', fileName, madeAt: clock.now(), madeBy: null })
    editionSwitchOf(ctx).take(tx, edition, { profileHash: hash, isFirst: editionsOf(ctx).inUse() === null })
    ctx.audit.record(tx, { kind: 'catalog-imported', actorId: null, subject: fileName, detail: { ...counts } })
  })
  return made
}

function checkFile(path: string, clock: Clock, check: Check): void {
  const file = openEditionFile(path, { readonly: true })
  try {
    check(namesOf(createCatalogRepository(file, clock.now, 'UTC')))
  } finally {
    file.close()
  }
}

/**
 * Whether the profile's catalog file must not be imported again: lanes of the store already applied this profile, and
 * the catalog in use is from that import or a later one; or the lane of a store fell back by itself.
 */
function isSuperseded(ctx: Ctx, before: InUse, profileHash: string, isFallback: boolean): boolean {
  const shared = sharedOf(ctx)
  if (isFallback && shared.isOfStore()) return true
  const newest = shared.order.newestProfile()
  if (newest?.value.profile?.hash !== profileHash) return false
  return compareStamps(shared.order.sinceOf(editionsOf(ctx).byId(before.currentId)), newest.stamp) >= 0
}

function isProfileFile(ctx: Ctx, { currentId }: InUse, profileHash: string): boolean {
  const editions = editionsOf(ctx)
  const sharedProfile = sharedOf(ctx).order.byId(currentId)?.value.profile ?? null
  return (
    editions.byId(currentId).origin === 'profile' &&
    editions.changeCount(currentId) === 0 &&
    (sharedProfile === null || sharedProfile.hash === profileHash)
  )
}

function retainCatalog(ctx: Ctx, before: InUse, profileHash: string, check: Check): void {
  if (isProfileFile(ctx, before, profileHash)) check(namesOf(liveEditionOf(ctx).items))
  if (before.profileHash === profileHash) return
  ctx.transact((tx) => {
    editionsOf(ctx).setInUse(tx, { ...before, profileHash })
  })
}

function namesOf(items: CatalogRepository): CatalogNames {
  const departments = new Set(items.departments())
  return {
    hasSku: (sku) => items.findBySku(sku) !== undefined,
    hasDepartment: (id) => departments.has(id),
    hasCategory: items.hasCategory,
  }
}

export const editionOf = (
  id: string,
  made: Exclude<Imported, { errors: unknown }>,
  about: Pick<Edition, 'origin' | 'fileName' | 'madeAt' | 'madeBy'>,
): Edition => ({ ...about, id, items: made.counts.items, sourceHash: Buffer.from(made.sourceHash) })

function quickKeysOf(items: CatalogRepository, settings: readonly DepartmentSettings[]): QuickDepartment[] {
  const named = settings.map(({ id, name, quick }) => ({
    id,
    name,
    items: quick ? quick.flatMap((sku) => items.findBySku(sku) ?? []) : items.ofDepartment(id, MAX_UNNAMED),
  }))
  const known = new Set(settings.map(({ id }) => id))
  const others = items
    .departments()
    .filter((id) => !known.has(id))
    .map((id) => ({ id, name: perLocale(() => id), items: items.ofDepartment(id, MAX_UNNAMED) }))
  return [...named, ...others].filter((department) => department.items.length > 0)
}

function watchPlannedPrices(ctx: Ctx): () => void {
  const { clock } = ctx
  const live = liveEditionOf(ctx)
  let checkedAt = clock.now()
  let stop = (): void => undefined
  const look = (): void => {
    const now = clock.now()
    if (live.id !== null && live.items.beganBetween(Math.min(checkedAt, now), Math.max(checkedAt, now))) live.announce()
    checkedAt = now
    stop = clock.after(LOOK_MS, look)
  }
  stop = clock.after(LOOK_MS, look)
  return () => {
    stop()
  }
}

export const catalogOf = perLane(createCatalogService)
