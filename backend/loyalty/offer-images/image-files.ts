import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { imageTypeOf, type ImageType } from './fetch-image.ts'

const Entry = z.object({
  url: z.string(),
  sha: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().min(1),
  /** Epoch ms: when it was last offered or shown. */
  usedAt: z.number(),
})
type Entry = z.infer<typeof Entry>
const Index = z.object({ entries: z.array(Entry) })

export interface ImageStoreOptions {
  /** May be deleted at any time, by anybody: what is missing is fetched again. */
  readonly folder: string
  readonly mostBytes: number
  /** How many addresses it knows at most: a list may name the same picture by new ones every day. */
  readonly mostAddresses: number
  readonly now: () => number
}

const INDEX = 'index.json'
const shaOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/**
 * Pictures in files that are named by what is in them, and from which address each came. What is known of them is in
 * memory: asking for it touches no disk.
 */
export function createImageStore({ folder, mostBytes, mostAddresses, now }: ImageStoreOptions) {
  const entries = new Map<string, Entry>()
  const shas = (): Map<string, number> => new Map([...entries.values()].map(({ sha, bytes }) => [sha, bytes]))
  const total = (): number => [...shas().values()].reduce((sum, bytes) => sum + bytes, 0)

  /** A file that stands under its name stands whole. */
  async function write(name: string, content: Uint8Array | string): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(join(folder, `${name}.part`), content, { mode: 0o600 })
    await rename(join(folder, `${name}.part`), join(folder, name))
  }
  const saveIndex = (): Promise<void> => write(INDEX, JSON.stringify({ entries: [...entries.values()] }))

  async function forget(sha: string): Promise<void> {
    for (const [url, entry] of entries) if (entry.sha === sha) entries.delete(url)
    await rm(join(folder, sha), { force: true })
  }

  const hasRoom = (bytes: number): boolean => total() + bytes <= mostBytes && entries.size < mostAddresses

  /** Takes out what was used least lately and before this moment, until this picture has room at one more address. */
  async function makeRoom(sha: string, bytes: number, before: number): Promise<boolean> {
    const oldest = [...entries.values()].toSorted((a, b) => a.usedAt - b.usedAt)
    const kept = new Set([sha, ...oldest.filter(({ usedAt }) => usedAt >= before).map((entry) => entry.sha)])
    for (const entry of oldest) {
      if (hasRoom(bytes)) break
      if (!kept.has(entry.sha)) await forget(entry.sha)
      else if (entry.usedAt < before) entries.delete(entry.url)
    }
    return hasRoom(bytes)
  }

  let turn: Promise<unknown> = Promise.resolve()
  async function keepOne(url: string, bytes: Uint8Array, before: number): Promise<boolean> {
    const sha = shaOf(bytes)
    const isNew = !shas().has(sha)
    if (!(await makeRoom(sha, isNew ? bytes.byteLength : 0, before))) return false
    if (isNew) await write(sha, bytes)
    entries.set(url, { url, sha, bytes: bytes.byteLength, usedAt: now() })
    return true
  }

  return {
    /** Reads what the last run left. A broken or missing index is an empty one. */
    async load(): Promise<void> {
      const text = await readFile(join(folder, INDEX), 'utf8').catch(() => '{}')
      const found = Index.safeParse(parsed(text))
      for (const entry of found.success ? found.data.entries : []) entries.set(entry.url, entry)
    },

    /** Forgets what is not in the folder any more, and takes out what nobody knows. */
    async reconcile(): Promise<void> {
      const names = new Set(await readdir(folder).catch(() => []))
      for (const [url, { sha }] of entries) if (!names.has(sha)) entries.delete(url)
      const known = shas()
      for (const name of names) if (name !== INDEX && !known.has(name)) await rm(join(folder, name), { force: true })
    },

    shaAt: (url: string): string | null => entries.get(url)?.sha ?? null,

    /** These are offered now: they are the last to go. */
    use(urls: Iterable<string>): void {
      for (const url of urls) {
        const entry = entries.get(url)
        if (entry) entry.usedAt = now()
      }
    },

    /**
     * Keeps a picture; false: what is in use since `before` leaves it no room. One after another: each is to find what
     * the one before it has left. Rejects with the disk's own error.
     */
    keep(url: string, bytes: Uint8Array, before: number): Promise<boolean> {
      const kept = turn.then(() => keepOne(url, bytes, before))
      turn = kept.catch(() => undefined)
      return kept
    },

    saveIndex,

    /** A picture and its type; null: there is none any more, or it is not what it was. */
    async read(sha: string): Promise<{ readonly bytes: Buffer; readonly type: ImageType } | null> {
      if (!shas().has(sha)) return null
      const bytes = await readFile(join(folder, sha)).catch(() => null)
      const type = bytes && shaOf(bytes) === sha ? imageTypeOf(bytes) : null
      if (bytes && type) {
        for (const entry of entries.values()) if (entry.sha === sha) entry.usedAt = now()
        return { bytes, type }
      }
      await forget(sha)
      return null
    },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
