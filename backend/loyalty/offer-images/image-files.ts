import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Clock } from '../../core/clock.ts'
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

const INDEX = 'index.json'
const shaOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/**
 * Pictures in files that are named by what is in them, and from which address each came. What is known of them is in
 * memory: asking for it touches no disk.
 */
export class ImageStore {
  readonly #entries = new Map<string, Entry>()
  #turn: Promise<unknown> = Promise.resolve()
  readonly #folder: string
  readonly #mostBytes: number
  readonly #mostAddresses: number
  readonly #clock: Pick<Clock, 'now'>

  /**
   * `folder` may be deleted at any time, by anybody: what is missing is fetched again. Addresses have a limit of their
   * own: a list may name the same picture by new ones every day.
   */
  constructor(folder: string, mostBytes: number, mostAddresses: number, clock: Pick<Clock, 'now'>) {
    this.#folder = folder
    this.#mostBytes = mostBytes
    this.#mostAddresses = mostAddresses
    this.#clock = clock
  }

  #shas(): Map<string, number> {
    return new Map([...this.#entries.values()].map(({ sha, bytes }) => [sha, bytes]))
  }

  /** A file that stands under its name stands whole. */
  async #write(name: string, content: Uint8Array | string): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await writeFile(join(this.#folder, `${name}.part`), content, { mode: 0o600 })
    await rename(join(this.#folder, `${name}.part`), join(this.#folder, name))
  }

  saveIndex(): Promise<void> {
    return this.#write(INDEX, JSON.stringify({ entries: [...this.#entries.values()] }))
  }

  async #forget(sha: string): Promise<void> {
    for (const [url, entry] of this.#entries) if (entry.sha === sha) this.#entries.delete(url)
    await rm(join(this.#folder, sha), { force: true })
  }

  #hasRoom(bytes: number): boolean {
    const total = [...this.#shas().values()].reduce((sum, one) => sum + one, 0)
    return total + bytes <= this.#mostBytes && this.#entries.size < this.#mostAddresses
  }

  /** Takes out what was used least lately and before this moment, until this picture has room at one more address. */
  async #makeRoom(sha: string, bytes: number, before: number): Promise<boolean> {
    const oldest = [...this.#entries.values()].toSorted((a, b) => a.usedAt - b.usedAt)
    const kept = new Set([sha, ...oldest.filter(({ usedAt }) => usedAt >= before).map((entry) => entry.sha)])
    for (const entry of oldest) {
      if (this.#hasRoom(bytes)) break
      if (!kept.has(entry.sha)) await this.#forget(entry.sha)
      else if (entry.usedAt < before) this.#entries.delete(entry.url)
    }
    return this.#hasRoom(bytes)
  }

  async #keepOne(url: string, bytes: Uint8Array, before: number): Promise<boolean> {
    const sha = shaOf(bytes)
    const isNew = !this.#shas().has(sha)
    if (!(await this.#makeRoom(sha, isNew ? bytes.byteLength : 0, before))) return false
    if (isNew) await this.#write(sha, bytes)
    this.#entries.set(url, { url, sha, bytes: bytes.byteLength, usedAt: this.#clock.now() })
    return true
  }

  /** Reads what the last run left. A broken or missing index is an empty one. */
  async load(): Promise<void> {
    const text = await readFile(join(this.#folder, INDEX), 'utf8').catch(() => '{}')
    const found = Index.safeParse(parsed(text))
    for (const entry of found.success ? found.data.entries : []) this.#entries.set(entry.url, entry)
  }

  /** Forgets what is not in the folder any more, and takes out what nobody knows. */
  async reconcile(): Promise<void> {
    const names = new Set(await readdir(this.#folder).catch(() => []))
    for (const [url, { sha }] of this.#entries) if (!names.has(sha)) this.#entries.delete(url)
    const known = this.#shas()
    for (const name of names)
      if (name !== INDEX && !known.has(name)) await rm(join(this.#folder, name), { force: true })
  }

  shaAt(url: string): string | null {
    return this.#entries.get(url)?.sha ?? null
  }

  /** These are offered now: they are the last to go. */
  use(urls: Iterable<string>): void {
    for (const url of urls) {
      const entry = this.#entries.get(url)
      if (entry) entry.usedAt = this.#clock.now()
    }
  }

  /**
   * Keeps a picture; false: what is in use since `before` leaves it no room. One after another: each is to find what
   * the one before it has left. Rejects with the disk's own error.
   */
  keep(url: string, bytes: Uint8Array, before: number): Promise<boolean> {
    const kept = this.#turn.then(() => this.#keepOne(url, bytes, before))
    this.#turn = kept.catch(() => undefined)
    return kept
  }

  /** A picture and its type; null: there is none any more, or it is not what it was. */
  async read(sha: string): Promise<{ readonly bytes: Buffer; readonly type: ImageType } | null> {
    if (!this.#shas().has(sha)) return null
    const bytes = await readFile(join(this.#folder, sha)).catch(() => null)
    const type = bytes && shaOf(bytes) === sha ? imageTypeOf(bytes) : null
    if (bytes && type) {
      for (const entry of this.#entries.values()) if (entry.sha === sha) entry.usedAt = this.#clock.now()
      return { bytes, type }
    }
    await this.#forget(sha)
    return null
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
