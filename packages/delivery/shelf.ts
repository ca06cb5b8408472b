import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { MOST_BUNDLE_BYTES, readBundle, type Bundle, type BundleRefusal } from './bundle.ts'
import {
  EMPTY,
  type Notice,
  type Order,
  type State,
  hasState,
  isOfSameStore,
  isOrderDue,
  readOrders,
  readState,
  writeOrders,
  writeState,
} from './standing.ts'
import { strangeness, type LaneIdentity } from './identity.ts'
import { alone } from './lock.ts'
import { PROFILE_FILE, type BundleManifest } from './manifest.ts'
import { LaneStart } from './start.ts'
import { newestTrust, trustedIn, type TrustList } from './trust.ts'

export type PutRefusal =
  | BundleRefusal
  | 'expired'
  | 'other-store'
  | 'other-lane'
  | 'other-mode'
  | 'older'
  | 'refused-before'
  | 'keys-missing'
  | 'unreadable'

/** What became of a bundle that was put on the lane. `mistakes`: the program cannot use its profile, a line each. */
export type Put =
  | {
      readonly kind: 'put'
      readonly manifest: BundleManifest
      readonly from: Date | null
      /** Older ones that waited and no longer do: this one is in force by then. */
      readonly overtaken: readonly BundleManifest[]
    }
  | { readonly kind: 'there-already'; readonly manifest: BundleManifest }
  | { readonly kind: 'refused'; readonly why: PutRefusal }
  | { readonly kind: 'mistakes'; readonly mistakes: readonly string[] }

export interface PutOptions {
  /** What the program that sells by it would refuse of a profile. Left out: it is looked at by the next start alone. */
  readonly mistakesOf?: (profileFile: string) => readonly string[]
  /** Newer lists of trusted keys that are given along, the oldest first. */
  readonly newer?: readonly Uint8Array[]
  /** Once more the bundle that no terminal started by: another program may. */
  readonly again?: boolean
}

type Examined =
  | { readonly kind: 'refused'; readonly why: PutRefusal }
  | { readonly kind: 'read'; readonly bundle: Bundle; readonly bytes: Buffer; readonly unfit: PutRefusal | null }

/** What became of an undo. `waiting`: a bundle waits for the next start, and what is in force is the one before it. */
export type Undone =
  | { readonly kind: 'undone'; readonly manifest: BundleManifest }
  | { readonly kind: 'nothing-before' }
  | { readonly kind: 'key-revoked'; readonly manifest: BundleManifest }
  | { readonly kind: 'waiting'; readonly manifest: BundleManifest }

/** A bundle that waits, for the next start where `from` is null. */
interface Waiting {
  readonly order: Extract<Order, { kind: 'put' }>
  readonly bundle: Bundle
}

/** So long a command waits for another one, or for a start. */
const COMMAND_WAIT_MS = 30_000

interface Listed extends Record<'current' | 'previous' | 'undoTo', BundleManifest | null> {
  /** The soonest first. */
  readonly waiting: readonly BundleManifest[]
  readonly notice: Notice | null
}

/**
 * The bundles of a lane, in the folder `bundles` of its data folder: the one that it sells by, the one before it, one
 * that waits for the next start, and any number that wait for their time. What is in force is in one small file that is
 * replaced as a whole, so that a power cut leaves the one or the other. Errors of the file system are thrown as they
 * are; BusyError where another command does not end.
 */
export class Shelf extends LaneStart {
  readonly trust = (): TrustList => this.standing.trust()

  private command<T>(work: () => T): T {
    return alone(this.standing.folder, COMMAND_WAIT_MS, work)
  }

  /** Gives an order, beside those that still wait. */
  private give(order: Order, others: readonly Order[] = readOrders(this.dataFolder)): void {
    writeOrders(this.dataFolder, [...others, order])
  }

  // Where the state was lost, a bundle that is put is the way on.
  private stateNow(): State {
    return readState(this.dataFolder) ?? EMPTY
  }

  /** Those that wait, the soonest first. */
  private waitingBundles(): Waiting[] {
    const { current } = this.stateNow()
    return readOrders(this.dataFolder)
      .flatMap((order) => {
        const bundle = order.kind === 'put' && order.id !== current ? this.standing.find(order.id) : null
        return order.kind === 'put' && bundle !== null ? [{ order, bundle }] : []
      })
      .toSorted(({ order: one }, { order: other }) => startOf(one.from) - startOf(other.from))
  }

  /** By the time at which `bundle` comes in force: another store's, and older ones that would come no sooner. */
  private overtakenBy({ manifest }: Bundle): Waiting[] {
    return this.waitingBundles().filter(
      ({ order, bundle }) =>
        !isOfSameStore(bundle.manifest, manifest) ||
        (bundle.manifest.sequence < manifest.sequence && startOf(order.from) >= startOf(manifest.activeFrom)),
    )
  }

  private ordersWithout(those: readonly Waiting[]): Order[] {
    return readOrders(this.dataFolder).filter(
      (order) => !those.some((one) => one.order.id === ('id' in order ? order.id : null)),
    )
  }

  /** Why the lane does not take it, by what it sells by and what waits now. */
  private refusalOf(bundle: Bundle, { again = true }: PutOptions): PutRefusal | null {
    const { manifest, id } = bundle
    const state = this.stateNow()
    if (id === state.notice?.id) return again ? null : 'refused-before'
    const current = state.current === null ? null : this.standing.find(state.current)
    const newest = current && !isOfSameStore(current.manifest, manifest) ? 0 : state.newest
    const isOvertaken = this.waitingBundles().some(
      ({ order, bundle: other }) =>
        isOfSameStore(other.manifest, manifest) &&
        other.manifest.sequence >= manifest.sequence &&
        startOf(order.from) <= startOf(manifest.activeFrom),
    )
    return manifest.sequence <= newest || isOvertaken ? 'older' : null
  }

  /** The one in force, or that waits, once more: what is whole stays, and what is not is written anew. */
  private putAgain(bundle: Bundle, bytes: Uint8Array): Put | null {
    const { id, manifest } = bundle
    const state = this.stateNow()
    const isWhole = this.standing.find(id) !== null
    const waiting = this.waitingBundles()
    if (id === state.current && !isWhole) this.standing.write(bundle, bytes)
    else if (id === state.current && state.notice !== null && waiting.length === 0)
      this.give({ kind: 'put', id, from: null })
    else if (isWhole && [state.current, ...waiting.map((one) => one.bundle.id)].includes(id))
      return { kind: 'there-already', manifest }
    return id === state.current ? { kind: 'put', manifest, from: null, overtaken: [] } : null
  }

  /** Stands on the lane from here on, and is not in force. Null, or why it cannot be. */
  private examined(bundle: Bundle, bytes: Uint8Array, { mistakesOf }: PutOptions): Put | null {
    const stood = this.standing.find(bundle.id) !== null
    // What was in force before anything stood here is known: nothing.
    if (!hasState(this.dataFolder) && this.standing.all().length === 0) writeState(this.dataFolder, EMPTY)
    if (!stood) this.standing.write(bundle, bytes)
    const mistakes = mistakesOf?.(path.join(this.standing.placeOf(bundle.id), 'files', PROFILE_FILE)) ?? []
    if (mistakes.length === 0) return null
    if (!stood) this.standing.remove(bundle.id)
    return { kind: 'mistakes', mistakes }
  }

  /** What can be said of a bundle before anything else on the lane counts; `newer` as in PutOptions. */
  private examine(file: string, identity: LaneIdentity | null, now: Date, newer: readonly Uint8Array[]): Examined {
    const bytes = readFile(file)
    if (typeof bytes === 'string') return { kind: 'refused', why: bytes }
    const read = readBundle(bytes, trustedIn(newestTrust(this.standing.trust(), newer)))
    if ('refusal' in read) return { kind: 'refused', why: read.refusal }
    const { bundle } = read
    const { expiresAt } = bundle.manifest
    const unfit = expiresAt !== null && new Date(expiresAt) <= now ? 'expired' : strangeness(bundle.manifest, identity)
    return { kind: 'read', bundle, bytes, unfit }
  }

  private lacksKeys(): boolean {
    return this.standing.trust().version < this.stateNow().trustVersion
  }

  /**
   * Why a package's bundle could not become the first of this lane; null: it could. Changes nothing: for a look
   * before the start, which refuses by the same.
   */
  refusesFirst(file: string, identity: LaneIdentity | null, now: Date): PutRefusal | null {
    const read = this.examine(file, identity, now, [])
    if (read.kind === 'refused') return read.why
    return read.unfit ?? (this.lacksKeys() ? 'keys-missing' : null)
  }

  /** Takes over lists of trusted keys that follow from what the lane believes. Whether one was newer. */
  learn(lists: readonly Uint8Array[]): boolean {
    return this.command(() => this.standing.keepTrust(lists))
  }

  /** Puts a bundle on the lane, to be sold by from its time on. A terminal may be running there. */
  put(file: string, identity: LaneIdentity | null, now: Date, options: PutOptions = {}): Put {
    const read = this.examine(file, identity, now, options.newer ?? [])
    if (read.kind === 'refused') return read
    const { bundle, bytes, unfit } = read
    const { manifest, id } = bundle
    return this.command((): Put => {
      const again = this.putAgain(bundle, bytes)
      if (again !== null) return again
      const refused = unfit ?? this.refusalOf(bundle, options)
      if (refused !== null) return { kind: 'refused', why: refused }
      this.standing.keepTrust([...(options.newer ?? []), ...bundle.trust])
      if (this.lacksKeys()) return { kind: 'refused', why: 'keys-missing' }
      if (this.standing.isRevoked(bundle)) return { kind: 'refused', why: 'key-revoked' }
      const mistaken = this.examined(bundle, bytes, options)
      if (mistaken !== null) return mistaken
      const { activeFrom } = manifest
      const overtaken = this.overtakenBy(bundle)
      this.give({ kind: 'put', id, from: activeFrom }, this.ordersWithout(overtaken))
      return {
        kind: 'put',
        manifest,
        from: activeFrom === null ? null : new Date(activeFrom),
        overtaken: overtaken.map((one) => one.bundle.manifest),
      }
    })
  }

  /** Takes off the bundle of this number that waits: its manifest. Null: none of this number waits. */
  cancel(sequence: number): BundleManifest | null {
    if (readOrders(this.dataFolder).length === 0) return null
    return this.command(() => {
      const cancelled = this.waitingBundles().filter(({ bundle }) => bundle.manifest.sequence === sequence)
      if (cancelled.length > 0) writeOrders(this.dataFolder, this.ordersWithout(cancelled))
      return cancelled[0]?.bundle.manifest ?? null
    })
  }

  /**
   * Back to the one before, from the next start on; those that wait for a time go on waiting. Not past a bundle that
   * waits for the next start, nor to one whose key was revoked: that would be two bundles back, or to a thief's.
   */
  undo(now: Date): Undone {
    const previous = readState(this.dataFolder)?.previous ?? null
    if (previous === null) return { kind: 'nothing-before' }
    return this.command((): Undone => {
      const next = this.waitingBundles().find(({ order }) => isOrderDue(order, now))
      if (next !== undefined) return { kind: 'waiting', manifest: next.bundle.manifest }
      const bundle = this.standing.find(previous)
      if (bundle === null) return { kind: 'nothing-before' }
      const { manifest } = bundle
      if (this.standing.isRevoked(bundle)) return { kind: 'key-revoked', manifest }
      this.give({ kind: 'undo', to: bundle.id })
      return { kind: 'undone', manifest }
    })
  }

  /** What stands here, for whoever looks. `undoTo`: the next start goes back to this one. */
  list(): Listed {
    const state = this.stateNow()
    const of = (id: string | null): BundleManifest | null =>
      id === null ? null : (this.standing.find(id)?.manifest ?? null)
    return {
      current: of(state.current),
      previous: of(state.previous),
      waiting: this.waitingBundles().map(({ bundle }) => bundle.manifest),
      undoTo: of(readOrders(this.dataFolder).find((order) => order.kind === 'undo')?.to ?? null),
      notice: state.notice,
    }
  }
}

export const openShelf = (...args: ConstructorParameters<typeof Shelf>) => new Shelf(...args)

const startOf = (from: string | null): number => (from === null ? 0 : new Date(from).getTime())

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
