import { dirname, resolve } from 'node:path'
import { EXIT, StartRefusedError } from '../core/program/data-folder.ts'
import { catalogEditorRoutes, createItemsEditor } from '../catalog/items-editor.ts'
import { hasFallenBack } from '../operations/bundles/new-bundle.ts'
import { createCatalogImports } from '../catalog/imports.ts'
import { formatCatalogErrors } from '../catalog/load.ts'
import { catalogManagerRoutes } from '../catalog/imports.routes.ts'
import { createPlannedPrices } from '../catalog/planned-prices.ts'
import { createQuickKeyLists, createQuickKeysRepository } from '../catalog/quick-key-lists.ts'
import { catalogRoutes } from '../catalog/catalog.routes.ts'
import { createCatalogService, type CatalogService } from '../catalog/catalog.ts'
import { createStoreFiles } from '../catalog/shared/bring.ts'
import { createCatalogSync, type CatalogSync } from '../catalog/shared/sync.ts'
import { createCatalogViews } from '../catalog/shared/views.ts'
import type { StoreLink } from '../store/store-link.ts'
import type { Checkout } from './checkout.ts'
import type { Routes } from '../core/http/app.ts'
import { scanCodesOf, scanReach } from '../core/scan-codes.ts'
import type { CatalogNames } from '../core/profile/profile-checks.ts'
import { checkCatalogNames, formatProfileErrors } from '../core/profile/profile.ts'
import type { Foundation } from './foundation.ts'

export type StoreCatalog = Awaited<ReturnType<typeof openStoreCatalog>>

/** What the store sells, and how a manager changes that. Throws StartRefusedError where the file has mistakes. */
export async function openStoreCatalog(base: Foundation, staffName: (id: string) => string) {
  const { db, transact, audit, clock, folder, profile, log, publish, changes } = base
  const { timeZone } = profile
  const scanCodes = scanCodesOf(profile)
  const imported = { timeZone, scanCodes }
  const catalog = createCatalogService({
    db,
    transact,
    audit,
    clock,
    folder: folder.catalog,
    log,
    changes,
    ...imported,
  })
  await openFile(base, catalog)
  catalog.shared?.items.start()
  const catalogChanged = (): void => {
    publish({ type: 'catalog-changed' })
  }
  catalog.onChange(catalogChanged)
  const managed = { catalog, transact, audit, clock, log, ...imported }
  const { shared } = catalog
  const views = shared && createCatalogViews({ db, shared, findBySku: catalog.findBySku, staffName })
  let sync: CatalogSync | null = null
  const imports = createCatalogImports({
    ...managed,
    staffName,
    importedAt: views?.importedAt,
    ofStore: () => sync?.state() ?? null,
    onStep: catalogChanged,
  })
  const quickKeys = createQuickKeyLists({
    ...managed,
    repository: createQuickKeysRepository(db),
    settings: profile.catalog.departments,
    onChange: catalogChanged,
    changes: base.changes,
  })
  return {
    catalog,
    routes: ({ couponBook }: Checkout): Routes[] => [
      catalogRoutes({ search: catalog.search, quickKeys: quickKeys.quickKeys }),
      catalogManagerRoutes({
        imports,
        views,
        planned: createPlannedPrices({ ...managed, elsewhere: views?.elsewhere }),
      }),
      catalogEditorRoutes({
        catalog,
        items: createItemsEditor(managed),
        quickKeys,
        coupons: couponBook,
        isReachable: scanReach(scanCodes),
      }),
    ],
    /** The lane comes to the catalog that counts in its store, whenever that is reached. */
    follow(store: StoreLink): void {
      if (!shared || store.state().kind === 'none') return
      const files = createStoreFiles(store)
      const following = createCatalogSync({ ...managed, db, shared, files, onStep: catalogChanged })
      sync = following
      store.events.on('reached', following.look)
    },
    async close(): Promise<void> {
      await sync?.close()
      imports.close()
      catalog.close()
    },
  }
}

async function openFile({ options, profile, dataFolder }: Foundation, catalog: CatalogService): Promise<void> {
  const { profileFile } = options
  function checkNames(names: CatalogNames): void {
    const unknown = options.checkNames === true ? checkCatalogNames(profileFile, options.profile, names) : []
    if (unknown.length > 0)
      throw new StartRefusedError(formatProfileErrors(unknown, profile.locales.default), EXIT.badArguments)
  }
  const isFallback = hasFallenBack(dataFolder, profileFile)
  const opened = await catalog.open(resolve(dirname(profileFile), profile.catalog.file), { checkNames, isFallback })
  if ('errors' in opened)
    throw new StartRefusedError(formatCatalogErrors(opened.errors, profile.locales.default), EXIT.badArguments)
}
