import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { writeWhole } from './whole-file.ts'

/** The file in a data folder that lets somebody scrape: the hash of a token, which opens nothing itself. */
const FILE = 'metrics.token'
const HASH = /^[0-9a-f]{64}$/

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()

/** Makes a token in the place of any other, effective at once: 256 random bits, told this once and kept nowhere. */
export function makeScrapeToken(dataFolder: string): string {
  const token = randomBytes(32).toString('base64url')
  writeWhole(path.join(dataFolder, FILE), `${hashOf(token).toString('hex')}\n`)
  return token
}

/** Nobody scrapes any more. */
export const forgetScrapeToken = (dataFolder: string): void => rmSync(path.join(dataFolder, FILE), { force: true })

/** The hash of the token; null where nobody may scrape. A file that is none, or cannot be read, lets nobody. */
function keptHash(dataFolder: string): Buffer | null {
  try {
    const text = readFileSync(path.join(dataFolder, FILE), 'utf8').trim()
    return HASH.test(text) ? Buffer.from(text, 'hex') : null
  } catch {
    return null
  }
}

export const isScraped = (dataFolder: string): boolean => keptHash(dataFolder) !== null

/** Whether this is the token. Hashes of one length are compared in constant time: nothing is learned from how long. */
export function opensScrape(dataFolder: string, token: string): boolean {
  const kept = keptHash(dataFolder)
  return kept !== null && timingSafeEqual(kept, hashOf(token))
}
