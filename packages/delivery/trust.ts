import { z } from 'zod'
import type { Signer } from './keys.ts'
import { openJson, sealJson, TRAILER_BYTES, type Trusted } from './signed.ts'

const TrustedKey = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{64}$/),
  spki: z.base64().max(200),
  name: z.string().max(80),
})

/**
 * List of keys whose bundles and updates a lane accepts. The program has one list; a newer one comes with a bundle and
 * is accepted if a key of the previous list signed it. So keys can be added, replaced and revoked without a new
 * program.
 */
export const TrustList = z.strictObject({
  format: z.literal(1),
  /** Version of the list: one more than that of the previous list. */
  version: z.int().min(1),
  keys: z.array(TrustedKey).min(1).max(32),
  /** Revoked keys: nothing new signed by them is accepted, but content already on a lane stays. */
  revoked: z.array(TrustedKey.extend({ reason: z.string().max(200) })).max(1_000),
})
export type TrustList = z.infer<typeof TrustList>

export const trustedIn = ({ keys, revoked }: TrustList): Trusted => ({ keys, revoked: revoked.map(({ id }) => id) })

export const sealTrust = (list: TrustList, signer: Signer): Buffer => sealJson('trusted keys', TrustList, list, signer)

export const openTrust = (file: Uint8Array, trusted: Trusted) => openJson('trusted keys', TrustList, file, trusted)

/**
 * Parses the first list of a program. A key in the list itself has signed it, because the builder of the program
 * chooses the list. Returns null if it is invalid.
 */
export function firstTrust(file: Uint8Array): TrustList | null {
  const unverified = parseUnverified(file)
  if (unverified === null) return null
  const opened = openTrust(file, trustedIn(unverified))
  return 'value' in opened ? opened.value : null
}

function parseUnverified(file: Uint8Array): TrustList | null {
  try {
    return TrustList.parse(JSON.parse(Buffer.from(file.subarray(0, -TRAILER_BYTES)).toString('utf8')))
  } catch {
    return null
  }
}

/**
 * Returns the newest list that can be reached from the list `have` through the files, each signed by a key of the
 * previous list. Ignores other files.
 */
export function newestTrust(have: TrustList, files: readonly Uint8Array[]): TrustList {
  for (const file of files) {
    const opened = openTrust(file, trustedIn(have))
    if ('value' in opened && opened.value.version > have.version) return newestTrust(opened.value, files)
  }
  return have
}

/**
 * Returns the smallest part of an installer's lists (oldest first) that brings a lane with any of these lists to the
 * newest. Bundles omit a list that a lane can skip because a key that the lane knows signed a newer list.
 */
export function neededLists(lists: readonly Uint8Array[]): Uint8Array[] {
  const chain = chainOf(lists)
  const needed = new Set(chain.slice(1).slice(-1))
  for (const [index, { list }] of [...chain.entries()].toReversed()) {
    const reaches = ({ keyId }: Link): boolean => list.keys.some(({ id }) => id === keyId)
    if (index === chain.length - 1 || [...needed].some(reaches)) continue
    // The key that was known first is preferred, because it also serves lanes with older lists.
    const sinceOf = ({ keyId }: Link): number => chain.findIndex((one) => one.list.keys.some(({ id }) => id === keyId))
    const [next] = chain
      .slice(index + 1)
      .filter(reaches)
      .toSorted((one, other) => sinceOf(one) - sinceOf(other))
    if (next) needed.add(next)
  }
  return chain.filter((one) => needed.has(one)).map(({ file }) => file)
}

interface Link {
  readonly file: Uint8Array
  readonly list: TrustList
  /** Id of the signing key in the previous list; null for the first list. */
  readonly keyId: string | null
}

function chainOf([first, ...others]: readonly Uint8Array[]): Link[] {
  const own = first === undefined ? null : firstTrust(first)
  if (first === undefined || own === null) return []
  const chain: Link[] = [{ file: first, list: own, keyId: null }]
  let list = own
  for (const file of others) {
    const opened = openTrust(file, trustedIn(list))
    if (!('value' in opened) || opened.value.version <= list.version) continue
    list = opened.value
    chain.push({ file, list, keyId: opened.keyId })
  }
  return chain
}
