import { z } from 'zod'

/**
 * Files of imported catalogs, which the store server stores while lanes may need them. A file holds the items of one
 * catalog, deflated and cut into chunks; its id is the SHA-256 of its concatenated chunks. Uploads and downloads go
 * chunk by chunk and resume after an interruption.
 */
export const CATALOG_FILE_PATHS = {
  offer: '/lane/catalog/offer',
  chunk: '/lane/catalog/part',
  fetch: '/lane/catalog/fetch',
  sold: '/lane/catalog/sold',
} as const

/**
 * Maximum number of chunks of a file, and of bytes of a chunk: a hundred thousand items take two megabytes in some
 * eighty chunks.
 */
export const MAX_FILE_CHUNKS = 10_000
export const MAX_CHUNK_BYTES = 1024 * 1024
export const MAX_FILE_BYTES = 256 * 1024 * 1024

const Hash = z.string().regex(/^[0-9a-f]{64}$/)
const ChunkNumber = z.int().min(1).max(MAX_FILE_CHUNKS)
const Chunk = z.base64().max(Math.ceil(MAX_CHUNK_BYTES / 3) * 4)

export const OfferFile = z.object({
  protocol: z.int(),
  hash: Hash,
  bytes: z.int().min(1).max(MAX_FILE_BYTES),
  /** Number of chunks. */
  parts: ChunkNumber,
})
export type OfferFile = z.infer<typeof OfferFile>
/**
 * Answer to POST offer, with which a lane announces a file before it uploads the chunks. `missing`: numbers of the
 * chunks that the server needs. `full`: the server stores no more files now.
 */
export const OfferFileAnswer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('whole') }),
  z.object({ kind: z.literal('partly'), missing: z.array(z.int()) }),
  z.object({ kind: z.literal('full') }),
])
export type OfferFileAnswer = z.infer<typeof OfferFileAnswer>

/**
 * Body and answer of POST part, which uploads a chunk. `kept`: stored; chunks are missing. `wrong`: the complete file
 * does not match its hash; its chunks were deleted.
 */
export const SendChunk = z.object({ protocol: z.int(), hash: Hash, number: ChunkNumber, chunk: Chunk })
export type SendChunk = z.infer<typeof SendChunk>
export const SendChunkAnswer = z.object({ kind: z.enum(['kept', 'whole', 'wrong', 'unknown']) })
export type SendChunkAnswer = z.infer<typeof SendChunkAnswer>

/** Body and answer of POST fetch, which downloads a chunk. `later`: the file is incomplete or was not uploaded. */
export const FetchChunk = z.object({ protocol: z.int(), hash: Hash, number: ChunkNumber })
export type FetchChunk = z.infer<typeof FetchChunk>
export const FetchChunkAnswer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('part'), chunk: Chunk }),
  z.object({ kind: z.literal('later') }),
])
export type FetchChunkAnswer = z.infer<typeof FetchChunkAnswer>

/**
 * Body of POST sold: which catalog the lane sells from, by the stamp of its import; clock 0: the initial catalog. The
 * server deletes files that no lane needs.
 */
export const SoldCatalog = z.object({ protocol: z.int(), clock: z.int().min(0), lane: z.string().max(20) })
export type SoldCatalog = z.infer<typeof SoldCatalog>
export const SoldAnswer = z.object({ kind: z.literal('noted') })
