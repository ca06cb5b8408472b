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
  /** When the picture was last in a list of offers or displayed, in epoch ms. */
  usedAt: z.number(),
})
type Entry = z.infer<typeof Entry>
const Index = z.object({ entries: z.array(Entry) })

const INDEX = 'index.json'
const shaOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Stores pictures of offers in files named by content hash, with an in-memory index of their addresses. */
export class ImageStore {
  readonly #entries = new Map<string, Entry>()
  #turn: Promise<unknown> = Promise.resolve()
  readonly #folder: string
  readonly #maxBytes: number
  readonly #maxAddresses: number
  readonly #clock: Pick<Clock, 'now'>

  /**
   * `folder` may be deleted at any time; missing pictures are fetched again. The number of addresses has its own limit,
   * because each new list may name the same pictures by new addresses.
   */
  constructor(folder: string, maxBytes: number, maxAddresses: number, clock: Pick<Clock, 'now'>) {
    this.#folder = folder
    this.#maxBytes = maxBytes
    this.#maxAddresses = maxAddresses
    this.#clock = clock
  }

  #shas(): Map<string, number> {
    return new Map([...this.#entries.values()].map(({ sha, bytes }) => [sha, bytes]))
  }

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
    return total + bytes <= this.#maxBytes && this.#entries.size < this.#maxAddresses
  }

  /**
   * Removes the least recently used pictures, until this picture and its address fit. Keeps pictures used since
   * `before`; returns false if removing the others is not enough.
   */
  async #makeRoom(sha: string, bytes: number, before: number): Promise<boolean> {
    const oldest = [...this.#entries.values()].toSorted((a, b) => a.usedAt - b.usedAt)
    const retained = new Set([sha, ...oldest.filter(({ usedAt }) => usedAt >= before).map((entry) => entry.sha)])
    for (const entry of oldest) {
      if (this.#hasRoom(bytes)) break
      if (!retained.has(entry.sha)) await this.#forget(entry.sha)
      else if (entry.usedAt < before) this.#entries.delete(entry.url)
    }
    return this.#hasRoom(bytes)
  }

  async #storeOne(url: string, bytes: Uint8Array, before: number): Promise<boolean> {
    const sha = shaOf(bytes)
    const isNew = !this.#shas().has(sha)
    if (!(await this.#makeRoom(sha, isNew ? bytes.byteLength : 0, before))) return false
    if (isNew) await this.#write(sha, bytes)
    this.#entries.set(url, { url, sha, bytes: bytes.byteLength, usedAt: this.#clock.now() })
    return true
  }

  async load(): Promise<void> {
    const text = await readFile(join(this.#folder, INDEX), 'utf8').catch(() => '{}')
    const found = Index.safeParse(parsed(text))
    for (const entry of found.success ? found.data.entries : []) this.#entries.set(entry.url, entry)
  }

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

  use(urls: Iterable<string>): void {
    for (const url of urls) {
      const entry = this.#entries.get(url)
      if (entry) entry.usedAt = this.#clock.now()
    }
  }

  /**
   * Stores a picture; returns false if pictures in use since `before` leave no room. Only one write runs at a time.
   * Rejects with the disk's error.
   */
  store(url: string, bytes: Uint8Array, before: number): Promise<boolean> {
    const stored = this.#turn.then(() => this.#storeOne(url, bytes, before))
    this.#turn = stored.catch(() => undefined)
    return stored
  }

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
