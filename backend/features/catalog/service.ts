import type { Item, QuickDepartment } from '../../../contracts/api/catalog.ts'
import { perLocale } from '../../../contracts/i18n/languages.ts'
import type { DepartmentSettings } from '../../../contracts/profile.ts'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { createPlainTransact, type Tx } from '../../db/transact.ts'
import type { CatalogNames } from '../../profile-checks.ts'
import { hashCatalog, stageCatalog, type CatalogError } from './load.ts'
import { createCatalogRepository } from './repository.ts'
import { openStaging } from './staging.ts'

export interface CatalogService {
  findBySku(sku: string): Item | undefined
  /** By the whole code as scanned; leading zeros of a GTIN make no difference. */
  findByBarcode(code: string): Item | undefined
  /** By words of the name in any language, SKU, or three or more digits of the barcode. Best first. */
  search(query: string, limit: number): Item[]
  /**
   * What the store rings by touch: the departments of the profile in its order, then the others. A SKU that the catalog
   * does not have is left out.
   */
  quickKeys(settings: readonly DepartmentSettings[]): QuickDepartment[]
  /** What a profile may name of the catalog as it stands. */
  names(): CatalogNames
  /**
   * Imports the file when its content is not what is in the database already. On errors the old catalog stays whole.
   */
  importFile(path: string): { imported: number } | { unchanged: true } | { errors: CatalogError[] }
}

/** Items of a department for which the profile names none. */
const MOST_UNNAMED = 24

export interface CatalogOptions {
  readonly db: Database
  readonly clock: Clock
  /** Told of an import in its transaction. */
  readonly onImport?: (tx: Tx, items: number) => void
}

export function createCatalogService({ db, clock, onImport }: CatalogOptions): CatalogService {
  const transact = createPlainTransact(db)
  const items = createCatalogRepository(db)
  return {
    findBySku: (sku) => items.findBySku(sku),
    findByBarcode: (code) => items.findByBarcode(code),
    search: (query, limit) => items.search(query, limit),
    quickKeys(settings) {
      const named = settings.map(({ id, name, quick }) => ({
        id,
        name,
        items: quick ? quick.flatMap((sku) => items.findBySku(sku) ?? []) : items.ofDepartment(id, MOST_UNNAMED),
      }))
      const known = new Set(settings.map(({ id }) => id))
      const others = items
        .departments()
        .filter((id) => !known.has(id))
        .map((id) => ({ id, name: perLocale(() => id), items: items.ofDepartment(id, MOST_UNNAMED) }))
      return [...named, ...others].filter((department) => department.items.length > 0)
    },
    names() {
      const departments = new Set(items.departments())
      return {
        hasSku: (sku) => items.findBySku(sku) !== undefined,
        hasDepartment: (id) => departments.has(id),
        hasCategory: items.hasCategory,
      }
    },
    importFile(path) {
      const file = hashCatalog(path)
      if ('errors' in file) return file
      if (file.hash === items.importedHash()) return { unchanged: true }
      const staging = openStaging()
      try {
        const staged = stageCatalog(path, staging)
        if ('errors' in staged) return staged
        transact((tx) => {
          items.replaceAll(staging.alphabetical(), staged.hash, clock.now())
          onImport?.(tx, staged.items)
        })
        return { imported: staged.items }
      } finally {
        staging.close()
      }
    },
  }
}
