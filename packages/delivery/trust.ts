import { z } from 'zod'
import type { Signer } from './keys.ts'
import { openJson, sealJson, TRAILER_BYTES, type Trusted } from './signed.ts'

const TrustedKey = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{64}$/),
  spki: z.base64().max(200),
  /** Whose it is, for people. */
  name: z.string().max(80),
})

/**
 * Whose bundles and updates a lane takes. The program carries one list; a newer one comes with a bundle, and is taken
 * when a key of the list before has signed it: so keys are added, replaced and revoked without a new program.
 */
export const TrustList = z.strictObject({
  format: z.literal(1),
  /** One more than that of the list before. */
  version: z.int().min(1),
  keys: z.array(TrustedKey).min(1).max(32),
  /** Nothing new of theirs is taken. What they signed before, and is on a lane, stays there. */
  revoked: z.array(TrustedKey.extend({ reason: z.string().max(200) })).max(1_000),
})
export type TrustList = z.infer<typeof TrustList>

export const trustedIn = ({ keys, revoked }: TrustList): Trusted => ({ keys, revoked: revoked.map(({ id }) => id) })

export const sealTrust = (list: TrustList, signer: Signer): Buffer => sealJson('trusted keys', TrustList, list, signer)

/** The list in a file that whoever is trusted has signed. */
export const openTrust = (file: Uint8Array, trusted: Trusted) => openJson('trusted keys', TrustList, file, trusted)

/**
 * The first list of a program, which its own first key has signed: whoever builds the program chooses it, and nothing
 * else vouches for it. Null where it is none.
 */
export function ownTrust(file: Uint8Array): TrustList | null {
  const claimed = claimedList(file)
  if (claimed === null) return null
  const opened = openTrust(file, trustedIn(claimed))
  return 'value' in opened ? opened.value : null
}

/** What the file says of itself, before anybody has vouched for it. */
function claimedList(file: Uint8Array): TrustList | null {
  try {
    return TrustList.parse(JSON.parse(Buffer.from(file.subarray(0, -TRAILER_BYTES)).toString('utf8')))
  } catch {
    return null
  }
}

/**
 * The newest list that can be reached from `have` over the files, each signed by a key of the list before it. A file
 * that leads nowhere is passed over.
 */
export function newestTrust(have: TrustList, files: readonly Uint8Array[]): TrustList {
  for (const file of files) {
    const opened = openTrust(file, trustedIn(have))
    if ('value' in opened && opened.value.version > have.version) return newestTrust(opened.value, files)
  }
  return have
}

/**
 * Of an installer's lists, the oldest first, as many as bring a lane that knows any of them to the newest: a list that
 * a lane can pass over, since a key that it knows has signed a newer one, does not travel with every bundle.
 */
export function neededLists(lists: readonly Uint8Array[]): Uint8Array[] {
  const chain = chainOf(lists)
  const needed = new Set(chain.slice(1).slice(-1))
  for (const [index, { list }] of [...chain.entries()].toReversed()) {
    const reaches = ({ keyId }: Link): boolean => list.keys.some(({ id }) => id === keyId)
    if (index === chain.length - 1 || [...needed].some(reaches)) continue
    // By the key that was known for longest: lanes with older lists come along with it.
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
  /** Who has signed it: of the first, nobody before it. */
  readonly keyId: string | null
}

/** The lists of which each is signed by a key of the one before. */
function chainOf([first, ...others]: readonly Uint8Array[]): Link[] {
  const own = first === undefined ? null : ownTrust(first)
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
