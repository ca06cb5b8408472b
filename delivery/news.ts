import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { bundlesOf } from './due.ts'
import { Notice } from './state.ts'
import { writeWhole } from './whole-file.ts'

/**
 * What a start did with the lane's bundles beside what it was asked: told in words by whoever starts the terminal, and
 * written into the audit trail by the terminal. `dropped`: an order was not carried out, and why.
 */
export const News = z.discriminatedUnion('kind', [
  Notice.extend({ kind: z.literal('refused') }),
  Notice.extend({ kind: z.literal('damaged') }),
  Notice.extend({ kind: z.literal('recovered') }),
  z.object({
    kind: z.literal('dropped'),
    id: z.string().nullable(),
    number: z.int().nullable(),
    at: z.iso.datetime(),
    why: z.enum(['unreadable', 'gone', 'older', 'key-revoked', 'keys-missing']),
  }),
])
export type News = z.infer<typeof News>

const MOST_KEPT = 50
const fileOf = (dataFolder: string): string => path.join(bundlesOf(dataFolder), 'news.json')

/** What nobody has written down yet, the oldest first. */
export function readNews(dataFolder: string): News[] {
  const file = fileOf(dataFolder)
  if (!existsSync(file)) return []
  try {
    return z.array(News).parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return []
  }
}

export const addNews = (dataFolder: string, news: News): void => {
  writeWhole(fileOf(dataFolder), `${JSON.stringify([...readNews(dataFolder), news].slice(-MOST_KEPT))}\n`)
}

/** They stand in the audit trail now. */
export const clearNews = (dataFolder: string): void => {
  rmSync(fileOf(dataFolder), { force: true })
}
