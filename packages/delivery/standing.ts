import { existsSync, lstatSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { makeFolder, writeFolder, writeWhole } from './whole-file.ts'
import { type Bundle, readBundle, sha256 } from './bundle.ts'
import { type BundleManifest, PROFILE_FILE } from './manifest.ts'
import { type TrustList, newestTrust, openTrust } from './trust.ts'

const BundleId = z.string().regex(/^[0-9a-f]{64}$/)

/**
 * Why the lane sells by another bundle than it was last given. `refused`: no terminal starts by it; `damaged`: it is no
 * longer as it was signed; `recovered`: which one was in force was not known any more.
 */
export const Notice = z.object({
  kind: z.enum(['refused', 'damaged', 'recovered']),
  /** The bundle that is not sold by. */
  id: BundleId.nullable(),
  /** Its sequence; of a recovery, of the one that is sold by. */
  number: z.int().nullable(),
  at: z.iso.datetime(),
  /** What the terminal said of it, a line each. */
  words: z.array(z.string()),
})
export type Notice = z.infer<typeof Notice>

/** Written by the start of the terminal alone, of which there is one at a time. */
const State = z.object({
  format: z.literal(1),
  current: BundleId.nullable(),
  previous: BundleId.nullable(),
  /** Sequence of the newest that the lane ever sold by: an older one that comes again is refused. */
  newest: z.int().min(0),
  /** A terminal has come up by the current one. */
  proven: z.boolean().default(false),
  /** Of the newest list of trusted keys that was known then: without it, nothing new is put in force. */
  trustVersion: z.int().min(0).default(0),
  /** Stands until another bundle is in force. */
  notice: Notice.nullable().default(null),
})
export type State = z.infer<typeof State>
export const EMPTY: State = {
  format: 1,
  current: null,
  previous: null,
  newest: 0,
  proven: false,
  trustVersion: 0,
  notice: null,
}

const stateFileOf = (dataFolder: string): string => path.join(bundlesOf(dataFolder), 'state.json')

/** What is known of a lane's bundles. Null: there is no such file, or it is none. */
export function readState(dataFolder: string): State | null {
  try {
    return State.parse(JSON.parse(readFileSync(stateFileOf(dataFolder), 'utf8')))
  } catch {
    return null
  }
}

export const writeState = (dataFolder: string, state: State): void => {
  writeWhole(stateFileOf(dataFolder), `${JSON.stringify(state)}\n`)
}

/** Whether the file is there, whatever it says. */
export const hasState = (dataFolder: string): boolean => existsSync(stateFileOf(dataFolder))

/** What a lane sells by. */
export interface Sold {
  readonly id: string
  readonly manifest: BundleManifest
  readonly profileFile: string
}

/** The bundles that stand in a lane's data folder, whichever is in force, and the keys that it believes. */
export class Standing {
  private readonly ownTrust: TrustList
  readonly folder: string
  private readonly trustFolder: string

  constructor(dataFolder: string, ownTrust: TrustList) {
    this.ownTrust = ownTrust
    this.folder = bundlesOf(dataFolder)
    this.trustFolder = path.join(this.folder, 'trust')
  }

  placeOf(id: string): string {
    return path.join(this.folder, id)
  }

  /** Read anew each time: a newer list may have come with a bundle. */
  trust(): TrustList {
    const files = existsSync(this.trustFolder)
      ? readdirSync(this.trustFolder)
          .map((name) => path.join(this.trustFolder, name))
          .filter(isFile)
          .map((file) => readFileSync(file))
      : []
    return newestTrust(this.ownTrust, files)
  }

  /** A bundle that stands on the lane. One whose key was revoked since stays: revoking must not close a store. */
  find(id: string): Bundle | null {
    const file = path.join(this.placeOf(id), 'bundle')
    if (!isFile(file)) return null
    const { keys, revoked } = this.trust()
    const read = readBundle(readFileSync(file), { keys: [...keys, ...revoked], revoked: [] })
    return 'bundle' in read && read.bundle.id === id ? read.bundle : null
  }

  soldBy({ id, manifest }: Bundle): Sold {
    return {
      id,
      manifest,
      profileFile: path.join(this.placeOf(id), 'files', PROFILE_FILE),
    }
  }

  isRevoked({ keyId }: Bundle): boolean {
    return this.trust().revoked.some(({ id }) => id === keyId)
  }

  /** All that stand and are believed, the newest first. */
  all(): Bundle[] {
    const names = existsSync(this.folder) ? readdirSync(this.folder).filter((name) => /^[0-9a-f]{64}$/.test(name)) : []
    return names
      .flatMap((name) => this.find(name) ?? [])
      .toSorted((one, other) => other.manifest.sequence - one.manifest.sequence)
  }

  write(bundle: Bundle, file: Uint8Array): void {
    makeFolder(this.folder, 0o700)
    writeFolder(
      this.placeOf(bundle.id),
      new Map([['bundle', file], ...[...bundle.files].map(([name, bytes]) => [`files/${name}`, bytes] as const)]),
    )
  }

  remove(id: string): void {
    rmSync(this.placeOf(id), { recursive: true, force: true })
  }

  /** Of the lists in the files, those that follow from what is believed. Answers whether there was a newer one. */
  keepTrust(files: readonly Uint8Array[]): boolean {
    const before = this.trust()
    const after = newestTrust(before, files)
    const { keys, revoked } = after
    for (const file of files) {
      const place = path.join(this.trustFolder, `${sha256(file)}.keys`)
      const opened = openTrust(file, { keys: [...keys, ...revoked], revoked: [] })
      if (existsSync(place) || !('value' in opened)) continue
      // Older ones too where they lead to the newest: an older package that is put back begins with one of them.
      if (newestTrust(opened.value, files).version !== after.version) continue
      makeFolder(this.trustFolder, 0o700)
      writeWhole(place, file)
    }
    return after.version !== before.version
  }

  /**
   * The files as the manifest has them: whatever was changed beside the bundle is written anew from it. File by file,
   * since the bundle beside them is the only one that there is.
   */
  mended(bundle: Bundle): Sold {
    const { id, manifest, files } = bundle
    for (const { path: name, bytes, sha256: hash } of manifest.files) {
      const file = path.join(this.placeOf(id), 'files', ...name.split('/'))
      // A link may lead to what is changed after this look.
      const isSame = isFile(file) && statSync(file).size === bytes && sha256(readFileSync(file)) === hash
      if (isSame) continue
      makeFolder(path.dirname(file), 0o700)
      if (!isFile(file)) rmSync(file, { recursive: true, force: true })
      writeWhole(file, files.get(name) ?? new Uint8Array())
    }
    return this.soldBy(bundle)
  }
}

export const isFile = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false })?.isFile() === true

export const isOfSameStore = (one: BundleManifest, other: BundleManifest): boolean =>
  one.store.id === other.store.id && one.mode === other.mode

/*
 * How far the lane's clock was ahead when it was last compared with the program's services. A terminal compares, and
 * the start of the next one looks at the time of bundles before anybody can compare again.
 */
const Ahead = z.strictObject({ aheadMs: z.int().min(0) })
const clockFileOf = (dataFolder: string): string => path.join(bundlesOf(dataFolder), 'clock.json')

/** In ms; 0: it was right, behind (then a bundle comes late, and no price early), or was never compared. */
export function readAhead(dataFolder: string): number {
  try {
    return Ahead.parse(JSON.parse(readFileSync(clockFileOf(dataFolder), 'utf8'))).aheadMs
  } catch {
    return 0
  }
}

/** For a lane that has bundles: the folder is there. */
export function noteAhead(dataFolder: string, aheadMs: number): void {
  if (aheadMs > 0) writeWhole(clockFileOf(dataFolder), `${JSON.stringify({ aheadMs: Math.round(aheadMs) })}\n`)
  else rmSync(clockFileOf(dataFolder), { force: true })
}

/** What somebody wants of a start of the lane, while a terminal may be running. */
export const Order = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('put'), id: BundleId, from: z.iso.datetime().nullable() }),
  z.strictObject({ kind: z.literal('undo'), to: BundleId }),
])
export type Order = z.infer<typeof Order>
const Orders = z.array(Order)

export const bundlesOf = (dataFolder: string): string => path.join(dataFolder, 'bundles')
/** The list of trusted keys that a lane without a package was given with its first bundle. */
export const trustFileOf = (dataFolder: string): string => path.join(bundlesOf(dataFolder), 'own.keys')
/** The order for the next start: the last one that was given counts. */
export const orderFileOf = (dataFolder: string): string => path.join(bundlesOf(dataFolder), 'order.json')
/** Bundles that wait for a time: any number. */
export const laterFileOf = (dataFolder: string): string => path.join(bundlesOf(dataFolder), 'later.json')

/**
 * The orders that a start now would find due, as JSON; null: none is. That start decides whether they are valid, and
 * drops an order that cannot be carried out.
 */
export function dueOrders(dataFolder: string, now: Date): string | null {
  const due = readOrders(dataFolder).filter((order) => isOrderDue(order, now))
  return due.length > 0 ? JSON.stringify(due) : null
}

/** All that wait, the one for the next start first. A file that cannot be read has none. */
export function readOrders(dataFolder: string): Order[] {
  const next = parsed(orderFileOf(dataFolder), Order)
  return [...(next === null ? [] : [next]), ...(parsed(laterFileOf(dataFolder), Orders) ?? [])]
}

/** Whether there is a file of orders that cannot be read. */
export const hasUnreadableOrders = (dataFolder: string): boolean =>
  isUnreadable(orderFileOf(dataFolder), Order) || isUnreadable(laterFileOf(dataFolder), Orders)

const isUnreadable = (file: string, schema: z.ZodType): boolean => existsSync(file) && parsed(file, schema) === null

/** Replaces all that wait. With the folder locked. */
export function writeOrders(dataFolder: string, orders: readonly Order[]): void {
  writeOrRemove(laterFileOf(dataFolder), orders.filter(isLater))
  writeOrRemove(orderFileOf(dataFolder), orders.findLast((order) => !isLater(order)) ?? null)
}

export const isBundleDue = (dataFolder: string, now: Date): boolean => dueOrders(dataFolder, now) !== null

export const isOrderDue = (order: Order, now: Date): boolean =>
  order.kind === 'undo' || order.from === null || new Date(order.from) <= now

const isLater = (order: Order): boolean => order.kind === 'put' && order.from !== null

function parsed<T>(file: string, schema: z.ZodType<T>): T | null {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

function writeOrRemove(file: string, content: Order | readonly Order[] | null): void {
  if (content === null || (Array.isArray(content) && content.length === 0)) rmSync(file, { force: true })
  else writeWhole(file, `${JSON.stringify(content)}\n`)
}

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
const newsFileOf = (dataFolder: string): string => path.join(bundlesOf(dataFolder), 'news.json')

/** What nobody has written down yet, the oldest first. */
export function readNews(dataFolder: string): News[] {
  const file = newsFileOf(dataFolder)
  if (!existsSync(file)) return []
  try {
    return z.array(News).parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return []
  }
}

export const addNews = (dataFolder: string, news: News): void => {
  writeWhole(newsFileOf(dataFolder), `${JSON.stringify([...readNews(dataFolder), news].slice(-MOST_KEPT))}\n`)
}

/** They stand in the audit trail now. */
export const clearNews = (dataFolder: string): void => {
  rmSync(newsFileOf(dataFolder), { force: true })
}
