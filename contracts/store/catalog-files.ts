import { z } from 'zod'

/**
 * Files of imported catalogs, kept by the store server while lanes may need them. A file is the items of one catalog,
 * deflated, in parts; it is known by the SHA-256 of its parts, one behind the other. Whoever has it may bring it, part
 * by part, and goes on behind a cut; whoever needs it fetches it likewise.
 */
export const CATALOG_FILE_PATHS = {
  offer: '/lane/catalog/offer',
  part: '/lane/catalog/part',
  fetch: '/lane/catalog/fetch',
  sold: '/lane/catalog/sold',
} as const

/** Of one file, and of one part of it: a hundred thousand items take two megabytes, in some eighty parts. */
export const MOST_FILE_PARTS = 10_000
export const MOST_PART_BYTES = 1024 * 1024
export const MOST_FILE_BYTES = 256 * 1024 * 1024

const Hash = z.string().regex(/^[0-9a-f]{64}$/)
const PartNumber = z.int().min(1).max(MOST_FILE_PARTS)
const Part = z.base64().max(Math.ceil(MOST_PART_BYTES / 3) * 4)

/** POST offer: who asks has this file. */
export const OfferFile = z.object({
  protocol: z.int(),
  hash: Hash,
  bytes: z.int().min(1).max(MOST_FILE_BYTES),
  parts: PartNumber,
})
export type OfferFile = z.infer<typeof OfferFile>
/** `missing`: the next that the server wants. `full`: it keeps no more now. */
export const OfferFileAnswer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('whole') }),
  z.object({ kind: z.literal('partly'), missing: z.array(z.int()) }),
  z.object({ kind: z.literal('full') }),
])
export type OfferFileAnswer = z.infer<typeof OfferFileAnswer>

/** POST part. `wrong`: all parts are there, and are not what the hash says; they were dropped. */
export const SendPart = z.object({ protocol: z.int(), hash: Hash, number: PartNumber, chunk: Part })
export type SendPart = z.infer<typeof SendPart>
export const SendPartAnswer = z.object({ kind: z.enum(['kept', 'whole', 'wrong', 'unknown']) })
export type SendPartAnswer = z.infer<typeof SendPartAnswer>

/** POST fetch. `later`: it is not whole yet, or nobody has brought it. */
export const FetchPart = z.object({ protocol: z.int(), hash: Hash, number: PartNumber })
export type FetchPart = z.infer<typeof FetchPart>
export const FetchPartAnswer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('part'), chunk: Part }),
  z.object({ kind: z.literal('later') }),
])
export type FetchPartAnswer = z.infer<typeof FetchPartAnswer>

/** POST sold: what the lane sells by, by the stamp of the import; clock 0: by what it began with. */
export const SoldCatalog = z.object({ protocol: z.int(), clock: z.int().min(0), lane: z.string().max(20) })
export type SoldCatalog = z.infer<typeof SoldCatalog>
export const SoldAnswer = z.object({ kind: z.literal('noted') })
