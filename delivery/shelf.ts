import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { MOST_BUNDLE_BYTES, readBundle, sha256, type Bundle, type BundleRefusal } from './bundle.ts'
import { bundlesOf, isOrderDue, orderFileOf, readOrder, type Order } from './due.ts'
import { PROFILE_FILE, type BundleManifest } from './manifest.ts'
import { trustedIn, newestTrust, type TrustList } from './trust.ts'
import { writeFolder, writeWhole } from './whole-file.ts'

/** Which lane this is; null where it has not been told yet: its first bundle says it. */
export interface LaneIdentity {
  readonly store: string
  readonly lane: string
  readonly mode: BundleManifest['mode']
}

const BundleId = z.string().regex(/^[0-9a-f]{64}$/)
/** Written by the start of the terminal alone, of which there is one at a time. */
const State = z.strictObject({
  format: z.literal(1),
  current: BundleId.nullable(),
  previous: BundleId.nullable(),
  /** Sequence of the newest that the lane ever sold by: an older one that comes again is refused. */
  newest: z.int().min(0),
})
type State = z.infer<typeof State>
const EMPTY: State = { format: 1, current: null, previous: null, newest: 0 }

/** What no state names and is older than this was never finished, or has had its time. */
const LEFT_OVER_MS = 3_600_000
const LEFT_OVER = /^([0-9a-f]{64}|([0-9a-f]{64}|state\.json|order\.json|own\.keys)(\.\d+)?\.new)$/

/** An order, and what it comes to. */
interface Step {
  readonly order: Order
  readonly state: State
  readonly bundle: Bundle
}

export type PutRefusal =
  | BundleRefusal
  | 'expired'
  | 'other-store'
  | 'other-lane'
  | 'other-mode'
  | 'older'
  | 'unreadable'

/** What became of a bundle that was put on the lane. */
export type Put =
  | { readonly kind: 'put'; readonly manifest: BundleManifest; readonly from: Date | null }
  | { readonly kind: 'there-already'; readonly manifest: BundleManifest }
  | { readonly kind: 'refused'; readonly why: PutRefusal }

/** What the lane sells by. */
export interface Sold {
  readonly id: string
  readonly manifest: BundleManifest
  readonly profileFile: string
}

export type Shelf = ReturnType<typeof openShelf>

/**
 * The bundles of a lane, in the folder `bundles` of its data folder: the one that it sells by, the one before it, and
 * one that waits for its time. What counts is one small file that is replaced as a whole, so that a power cut leaves
 * the one or the other. Errors of the file system are thrown as they are.
 */
export function openShelf(dataFolder: string, ownTrust: TrustList) {
  const folder = bundlesOf(dataFolder)
  const stateFile = path.join(folder, 'state.json')
  const orderFile = orderFileOf(dataFolder)
  const trustFolder = path.join(folder, 'trust')
  const placeOf = (id: string): string => path.join(folder, id)

  /** Null where the file is none: which bundle is in force is not known. */
  function readState(): State | null {
    if (!existsSync(stateFile)) return EMPTY
    try {
      return State.parse(JSON.parse(readFileSync(stateFile, 'utf8')))
    } catch {
      return null
    }
  }
  const give = (order: Order): void => {
    writeWhole(orderFile, `${JSON.stringify(order)}\n`)
  }

  /** The state first: killed between the two, the next start finds an order that has been carried out, and sees it. */
  function settle({ state, order }: Step): void {
    writeWhole(stateFile, `${JSON.stringify(state)}\n`)
    drop(order)
  }

  /** This order alone: a command that gave another one meanwhile had the last word. */
  function drop(order: Order | null): void {
    if (isDeepStrictEqual(readOrder(dataFolder), order)) rmSync(orderFile, { force: true })
  }

  /** Of bundles, and what was not finished: whatever else lies there is not this program's to delete. */
  function clear(): void {
    const state = readState()
    // Where it is not known what is in force, nothing is cleared.
    if (!state?.current) return
    const order = readOrder(dataFolder)
    const kept = [state.current, state.previous, order?.kind === 'put' ? order.id : null]
    for (const name of readdirSync(folder)) {
      const place = path.join(folder, name)
      if (!LEFT_OVER.test(name) || kept.includes(name)) continue
      if (Date.now() - statSync(place).mtimeMs > LEFT_OVER_MS) rmSync(place, { recursive: true, force: true })
    }
  }

  function trust(): TrustList {
    const files = existsSync(trustFolder)
      ? readdirSync(trustFolder)
          .map((name) => path.join(trustFolder, name))
          .filter(isFile)
          .map((file) => readFileSync(file))
      : []
    return newestTrust(ownTrust, files)
  }

  /** A bundle that stands on the lane. One whose key was revoked since stays: revoking must not close a store. */
  function standing(id: string): Bundle | null {
    const file = path.join(placeOf(id), 'bundle')
    if (!isFile(file)) return null
    const { keys, revoked } = trust()
    const read = readBundle(readFileSync(file), { keys: [...keys, ...revoked], revoked: [] })
    return 'bundle' in read && read.bundle.id === id ? read.bundle : null
  }

  function write(bundle: Bundle, file: Uint8Array): void {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFolder(
      placeOf(bundle.id),
      new Map([['bundle', file], ...[...bundle.files].map(([name, bytes]) => [`files/${name}`, bytes] as const)]),
    )
  }

  function keepTrust(files: readonly Uint8Array[]): void {
    const before = trust()
    const after = newestTrust(before, files)
    if (after.version === before.version) return
    mkdirSync(trustFolder, { recursive: true, mode: 0o700 })
    for (const file of files) writeWhole(path.join(trustFolder, `${sha256(file)}.keys`), file)
  }

  /**
   * The files as the manifest has them: whatever was changed beside the bundle is written anew from it. File by file,
   * since the bundle beside them is the only one that there is.
   */
  function mend(bundle: Bundle): void {
    for (const { path: name, bytes, sha256: hash } of bundle.manifest.files) {
      const file = path.join(placeOf(bundle.id), 'files', ...name.split('/'))
      // A link may lead to what is changed after this look.
      const isSame = isFile(file) && statSync(file).size === bytes && sha256(readFileSync(file)) === hash
      if (isSame) continue
      mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
      writeWhole(file, bundle.files.get(name) ?? new Uint8Array())
    }
  }

  const activeFrom = ({ manifest }: Pick<Bundle, 'manifest'>): Date | null =>
    manifest.activeFrom === null ? null : new Date(manifest.activeFrom)

  return {
    trust,

    /** Puts a bundle on the lane, to be sold by from its time on. A terminal may be running there. */
    put(file: string, identity: LaneIdentity | null, now: Date): Put {
      const bytes = readFile(file)
      if (typeof bytes === 'string') return { kind: 'refused', why: bytes }
      const read = readBundle(bytes, trustedIn(trust()))
      if ('refusal' in read) return { kind: 'refused', why: read.refusal }
      const { bundle } = read
      const { manifest } = bundle
      // Where the state was lost, a bundle that is put is the way on.
      const state = readState() ?? EMPTY
      const waiting = waitingBundle(state)
      const current = state.current === null ? null : standing(state.current)
      if ([current?.id, waiting?.id].includes(bundle.id)) return { kind: 'there-already', manifest }
      if (bundle.id === state.current) {
        // In force, but no longer whole on the disk.
        write(bundle, bytes)
        return { kind: 'put', manifest, from: null }
      }
      const newest = Math.max(
        current && !isOfSameStore(current.manifest, manifest) ? 0 : state.newest,
        waiting && isOfSameStore(waiting.manifest, manifest) ? waiting.manifest.sequence : 0,
      )
      const why = unfit(manifest, identity, now) ?? (manifest.sequence <= newest ? 'older' : null)
      if (why !== null) return { kind: 'refused', why }
      if (standing(bundle.id) === null) write(bundle, bytes)
      keepTrust(bundle.trust)
      give({ kind: 'put', id: bundle.id, from: manifest.activeFrom })
      return { kind: 'put', manifest, from: activeFrom(bundle) }
    },

    /** Back to the one before, from the next start on; one that waits is taken off. Null: there is none before. */
    undo(): BundleManifest | null {
      const previous = readState()?.previous ?? null
      const bundle = previous === null ? null : standing(previous)
      if (bundle === null) return null
      give({ kind: 'undo', to: bundle.id })
      return bundle.manifest
    },

    /**
     * What the lane sells by from this start on; one that waits takes its place when it is due. To be asked by whoever
     * starts the terminal, with its folder locked. `damaged`: what is on the disk is not what was signed, or does not
     * say which is in force. `none`: no bundle was ever put here. An order that is due and cannot be carried out is
     * dropped: it would be tried for ever. `onLeft`: a disk that takes nothing leaves what was in force before.
     */
    atStart(now: Date, onLeft: (error: Error) => void = rethrow): Sold | 'none' | 'damaged' {
      try {
        const order = readOrder(dataFolder)
        const wanted = order && next(order, now)
        if (wanted) settle(wanted)
        else if (order === null || isOrderDue(order, now)) drop(order)
        clear()
      } catch (error) {
        onLeft(error instanceof Error ? error : new Error(String(error)))
      }
      const state = readState()
      if (state?.current === null) return 'none'
      const bundle = state && standing(state.current)
      if (bundle === null) return 'damaged'
      mend(bundle)
      return soldBy(bundle)
    },

    /** What a start now would find in force, before any order; changes nothing. `none` and `damaged` as `atStart`. */
    inForce(): Sold | 'none' | 'damaged' {
      const state = readState()
      if (state?.current === null) return 'none'
      const bundle = state && standing(state.current)
      return bundle === null ? 'damaged' : soldBy(bundle)
    },

    /** What stands here, for whoever looks. */
    list(): Record<'current' | 'previous' | 'waiting', BundleManifest | null> {
      const state = readState() ?? EMPTY
      const { current, previous } = state
      const of = (id: string | null): BundleManifest | null => (id === null ? null : (standing(id)?.manifest ?? null))
      return { current: of(current), previous: of(previous), waiting: waitingBundle(state)?.manifest ?? null }
    },
  }

  function waitingBundle({ current }: State): Bundle | null {
    const order = readOrder(dataFolder)
    return order?.kind === 'put' && order.id !== current ? standing(order.id) : null
  }

  /** What the order comes to at this time; null: nothing is to be done. */
  function next(order: Order, now: Date): Step | null {
    const state = readState() ?? EMPTY
    const { current, newest } = state
    if (order.kind === 'undo') {
      // One that was carried out before a power cut is not carried out again.
      const bundle = order.to === current ? null : standing(order.to)
      return bundle && { order, bundle, state: { ...state, current: bundle.id, previous: current } }
    }
    const bundle = isOrderDue(order, now) && order.id !== current ? standing(order.id) : null
    if (bundle === null) return null
    const { sequence } = bundle.manifest
    const before = current === null ? null : standing(current)
    // Another store's, that came before anybody knew whose lane it is, is nothing to go back to.
    const isFirst = before !== null && !isOfSameStore(before.manifest, bundle.manifest)
    // An order is not signed: whoever could write one brings no old prices back by it.
    if (!isFirst && sequence <= newest) return null
    const after = { previous: isFirst ? null : current, newest: sequence }
    return { order, bundle, state: { ...state, current: bundle.id, ...after } }
  }

  function soldBy({ id, manifest }: Bundle): Sold {
    return { id, manifest, profileFile: path.join(placeOf(id), 'files', PROFILE_FILE) }
  }
}

function rethrow(error: Error): never {
  throw error
}

const isOfSameStore = (one: BundleManifest, other: BundleManifest): boolean =>
  one.store.id === other.store.id && one.mode === other.mode

function unfit(manifest: BundleManifest, identity: LaneIdentity | null, now: Date): PutRefusal | null {
  if (manifest.expiresAt !== null && new Date(manifest.expiresAt) <= now) return 'expired'
  if (identity === null) return null
  if (manifest.mode !== identity.mode) return 'other-mode'
  if (manifest.store.id !== identity.store) return 'other-store'
  return manifest.lanes.includes(identity.lane) ? null : 'other-lane'
}

const isFile = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false })?.isFile() === true

function readFile(file: string): Buffer | 'too-large' | 'unreadable' {
  try {
    const found = statSync(file)
    // A pipe would be waited for, and some devices never end.
    if (!found.isFile()) return 'unreadable'
    return found.size > MOST_BUNDLE_BYTES ? 'too-large' : readFileSync(file)
  } catch {
    return 'unreadable'
  }
}
