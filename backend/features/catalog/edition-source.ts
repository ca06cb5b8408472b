import { createHash } from 'node:crypto'
import { deflateSync, inflateSync } from 'node:zlib'
import { z } from 'zod'
import { Item } from '../../../contracts/api/catalog.ts'

/** One item of an edition as it was imported, with the prices that were to come then: [epoch ms, cents]. */
export const SourceRecord = z.object({ item: Item, planned: z.array(z.tuple([z.int(), z.int()])) })
export type SourceRecord = z.infer<typeof SourceRecord>

/** Text before it is packed: some hundreds of items. */
const CHUNK_LENGTH = 256 * 1024

/**
 * Packs the records of an edition, in their order, into chunks that can be kept as they are. `finish` answers the
 * SHA-256 of them all.
 */
export function packSource(keep: (chunk: Uint8Array) => void): { add(record: SourceRecord): void; finish(): Buffer } {
  const hash = createHash('sha256')
  let lines: string[] = []
  let length = 0
  const pack = (): void => {
    if (lines.length > 0) {
      const chunk = deflateSync(lines.join('\n'), { level: 3 })
      hash.update(chunk)
      keep(chunk)
    }
    lines = []
    length = 0
  }
  return {
    add(record) {
      const line = JSON.stringify(record)
      lines.push(line)
      length += line.length
      if (length > CHUNK_LENGTH) pack()
    },
    finish() {
      pack()
      return hash.digest()
    },
  }
}

/** Throws, behind the last record, when the chunks are not those of the hash. */
export function* unpackSource(chunks: Iterable<Uint8Array>, sha256: Uint8Array): Generator<SourceRecord> {
  const hash = createHash('sha256')
  for (const chunk of chunks) {
    hash.update(chunk)
    for (const line of inflateSync(chunk).toString('utf8').split('\n')) yield SourceRecord.parse(JSON.parse(line))
  }
  if (!hash.digest().equals(sha256)) throw new Error('the source of the catalog is not what was imported')
}
