import type { Item } from '../../../contracts/api/catalog.ts'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { parseCatalog, readCatalogFile, type CatalogError } from './load.ts'
import { createCatalogRepository } from './repository.ts'

export interface CatalogService {
  findBySku(sku: string): Item | undefined
  /** By the whole code as scanned; leading zeros of a GTIN make no difference. */
  findByBarcode(code: string): Item | undefined
  /** By words of the name in either language, SKU, or three or more digits of the barcode. Best first. */
  search(query: string, limit: number): Item[]
  /** Imports the file when its content is not what is in the database already. On errors the old catalog stays whole. */
  importFile(path: string): { imported: number } | { unchanged: true } | { errors: CatalogError[] }
}

export function createCatalogService({ db, clock }: { db: Database; clock: Clock }): CatalogService {
  const items = createCatalogRepository(db)
  return {
    findBySku: (sku) => items.findBySku(sku),
    findByBarcode: (code) => items.findByBarcode(code),
    search: (query, limit) => items.search(query, limit),
    importFile(path) {
      const file = readCatalogFile(path)
      if ('errors' in file) return file
      if (file.hash === items.importedHash()) return { unchanged: true }
      const catalog = parseCatalog(path, file.bytes)
      if ('errors' in catalog) return catalog
      items.replaceAll(catalog.items, file.hash, clock.now())
      return { imported: catalog.items.length }
    },
  }
}
