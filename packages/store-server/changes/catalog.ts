import type { FastifyInstance } from 'fastify'
import {
  CATALOG_FILE_PATHS,
  FetchChunk,
  MAX_CHUNK_BYTES,
  OfferFile,
  SendChunk,
  SoldCatalog,
} from '../../../contracts/store/catalog-files.ts'
import { FACT_SCHEMAS } from '../../../contracts/store/facts.ts'
import type { StoreContext } from '../context.ts'
import { readMigrations } from '../db/migrate.ts'
import { forLane } from '../lanes/caller.ts'
import type { Projection } from '../lanes/projection.ts'
import { fetchChunk, storeChunk, noteImport, recordSold, offerFile } from './catalog.sql.ts'

export const CATALOG_TABLES = readMigrations('catalog')
/** Maximum size of an upload request: a base64 chunk with its JSON envelope. */
const BODY_LIMIT = Math.ceil((MAX_CHUNK_BYTES * 4) / 3) + 4_096

export function catalogRoutes(app: FastifyInstance, { db }: StoreContext): void {
  app.post(
    CATALOG_FILE_PATHS.offer,
    forLane(OfferFile, (caller, offered) => offerFile(db, caller, offered)),
  )
  app.post(
    CATALOG_FILE_PATHS.chunk,
    { bodyLimit: BODY_LIMIT },
    forLane(SendChunk, (caller, sent) => storeChunk(db, caller, sent)),
  )
  app.post(
    CATALOG_FILE_PATHS.fetch,
    forLane(FetchChunk, (caller, asked) => fetchChunk(db, caller, asked)),
  )
  app.post(
    CATALOG_FILE_PATHS.sold,
    forLane(SoldCatalog, async (caller, sold) => {
      await recordSold(db, caller, sold)
      return { kind: 'noted' }
    }),
  )
}

export const CATALOG_PROJECTION: Projection = {
  kinds: ['catalog-import'],
  async apply(tx, facts, of) {
    for (const { body } of facts) {
      const { subject: id, clock, value } = FACT_SCHEMAS['catalog-import'].parse(body)
      await noteImport(tx, of, { id, clock, value })
    }
  },
}
