import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { MAX_BUNDLE_BYTES, readBundle, type Bundle, type BundleRefusal } from './bundle.ts'
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
} from './stored-bundles.ts'
import { mismatchOf, type LaneIdentity } from './identity.ts'
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

/**
 * Result of storing a bundle on the lane. `mistakes`: this program cannot use the bundle's profile, one mistake per
 * line.
 */
export type Put =
  | {
      readonly kind: 'put'
      readonly manifest: BundleManifest
      readonly from: Date | null
      /**
       * Waiting bundles that were removed: of another store, or older ones that would start at this start time or
       * later.
       */
      readonly replaced: readonly BundleManifest[]
    }
  | { readonly kind: 'there-already'; readonly manifest: BundleManifest }
  | { readonly kind: 'refused'; readonly why: PutRefusal }
  | { readonly kind: 'mistakes'; readonly mistakes: readonly string[] }

export interface PutOptions {
  /** Checks a profile when its bundle is stored. By default, only the next start checks it. */
  readonly mistakesOf?: (profileFile: string) => readonly string[]
  readonly newer?: readonly Uint8Array[]
  /**
   * Whether to accept again a bundle that was replaced by the previous one because no terminal could start with it.
   * Default: true, because another program version may be able to start with it.
   */
  readonly again?: boolean
}

type Examined =
  | { readonly kind: 'refused'; readonly why: PutRefusal }
  | { readonly kind: 'read'; readonly bundle: Bundle; readonly bytes: Buffer; readonly mismatch: PutRefusal | null }

/** Result of an undo. `waiting`: nothing was undone, because a bundle waits for the next start. */
export type Undone =
  | { readonly kind: 'undone'; readonly manifest: BundleManifest }
  | { readonly kind: 'nothing-before' }
  | { readonly kind: 'key-revoked'; readonly manifest: BundleManifest }
  | { readonly kind: 'waiting'; readonly manifest: BundleManifest }

interface Waiting {
  readonly order: Extract<Order, { kind: 'put' }>
  readonly bundle: Bundle
}

/** How long a command waits while another command or a start of the terminal uses the bundles. */
const COMMAND_WAIT_MS = 30_000

interface Listed extends Record<'current' | 'previous' | 'undoTo', BundleManifest | null> {
  readonly waiting: readonly BundleManifest[]
  readonly notice: Notice | null
}

/**
 * The bundles of a lane, in the folder `bundles` of its data folder: the active one, the previous one, one that waits
 * for the next start, and any number that wait for their start time. The state is one small file that is replaced
 * atomically, so that a power cut leaves either its old or its new content. Throws file system errors unchanged; throws
 * BusyError if another command does not end.
 */
export class BundleStore extends LaneStart {
  readonly trust = (): TrustList => this.stored.trust()

  private command<T>(work: () => T): T {
    return alone(this.stored.folder, COMMAND_WAIT_MS, work)
  }

  private addOrder(order: Order, others: readonly Order[] = readOrders(this.dataFolder)): void {
    writeOrders(this.dataFolder, [...others, order])
  }

  // Treats a lost bundle state as empty, so that a bundle can be stored; the next start recovers the state.
  private stateNow(): State {
    return readState(this.dataFolder) ?? EMPTY
  }

  private waitingBundles(): Waiting[] {
    const { current } = this.stateNow()
    return readOrders(this.dataFolder)
      .flatMap((order) => {
        const bundle = order.kind === 'put' && order.id !== current ? this.stored.find(order.id) : null
        return order.kind === 'put' && bundle !== null ? [{ order, bundle }] : []
      })
      .toSorted(({ order: one }, { order: other }) => startOf(one.from) - startOf(other.from))
  }

  /**
   * Returns the waiting bundles that `bundle` replaces: those of another store, and older ones with no earlier start
   * time.
   */
  private replacedBy({ manifest }: Bundle): Waiting[] {
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

  private refusalOf(bundle: Bundle, { again = true }: PutOptions): PutRefusal | null {
    const { manifest, id } = bundle
    const state = this.stateNow()
    if (id === state.notice?.id) return again ? null : 'refused-before'
    const current = state.current === null ? null : this.stored.find(state.current)
    const newest = current && !isOfSameStore(current.manifest, manifest) ? 0 : state.newest
    const isReplaced = this.waitingBundles().some(
      ({ order, bundle: other }) =>
        isOfSameStore(other.manifest, manifest) &&
        other.manifest.sequence >= manifest.sequence &&
        startOf(order.from) <= startOf(manifest.activeFrom),
    )
    return manifest.sequence <= newest || isReplaced ? 'older' : null
  }

  private putAgain(bundle: Bundle, bytes: Uint8Array): Put | null {
    const { id, manifest } = bundle
    const state = this.stateNow()
    const isWhole = this.stored.find(id) !== null
    const waiting = this.waitingBundles()
    if (id === state.current && !isWhole) this.stored.write(bundle, bytes)
    else if (id === state.current && state.notice !== null && waiting.length === 0)
      this.addOrder({ kind: 'put', id, from: null })
    else if (isWhole && [state.current, ...waiting.map((one) => one.bundle.id)].includes(id))
      return { kind: 'there-already', manifest }
    return id === state.current ? { kind: 'put', manifest, from: null, replaced: [] } : null
  }

  private storeAndCheck(bundle: Bundle, bytes: Uint8Array, { mistakesOf }: PutOptions): Put | null {
    const existed = this.stored.find(bundle.id) !== null
    // Before the first bundle is stored, the state is written as empty, so that it does not count as lost.
    if (!hasState(this.dataFolder) && this.stored.all().length === 0) writeState(this.dataFolder, EMPTY)
    if (!existed) this.stored.write(bundle, bytes)
    const mistakes = mistakesOf?.(path.join(this.stored.placeOf(bundle.id), 'files', PROFILE_FILE)) ?? []
    if (mistakes.length === 0) return null
    if (!existed) this.stored.remove(bundle.id)
    return { kind: 'mistakes', mistakes }
  }

  private readAndCheck(file: string, identity: LaneIdentity | null, now: Date, newer: readonly Uint8Array[]): Examined {
    const bytes = readFile(file)
    if (typeof bytes === 'string') return { kind: 'refused', why: bytes }
    const read = readBundle(bytes, trustedIn(newestTrust(this.stored.trust(), newer)))
    if ('refusal' in read) return { kind: 'refused', why: read.refusal }
    const { bundle } = read
    const { expiresAt } = bundle.manifest
    const mismatch =
      expiresAt !== null && new Date(expiresAt) <= now ? 'expired' : mismatchOf(bundle.manifest, identity)
    return { kind: 'read', bundle, bytes, mismatch }
  }

  private lacksKeys(): boolean {
    return this.stored.trust().version < this.stateNow().trustVersion
  }

  /**
   * Returns why a package's bundle could not become the first of this lane; null if it could. Changes nothing: it is
   * used before the start, so that this check and the start apply the same rules.
   */
  refusesFirst(file: string, identity: LaneIdentity | null, now: Date): PutRefusal | null {
    const read = this.readAndCheck(file, identity, now, [])
    if (read.kind === 'refused') return read.why
    return read.mismatch ?? (this.lacksKeys() ? 'keys-missing' : null)
  }

  addTrustLists(lists: readonly Uint8Array[]): boolean {
    return this.command(() => this.stored.saveTrust(lists))
  }

  /** Stores a bundle on the lane; the next start after its start time activates it. A terminal may be running. */
  put(file: string, identity: LaneIdentity | null, now: Date, options: PutOptions = {}): Put {
    const read = this.readAndCheck(file, identity, now, options.newer ?? [])
    if (read.kind === 'refused') return read
    const { bundle, bytes, mismatch } = read
    const { manifest, id } = bundle
    return this.command((): Put => {
      const again = this.putAgain(bundle, bytes)
      if (again !== null) return again
      const refused = mismatch ?? this.refusalOf(bundle, options)
      if (refused !== null) return { kind: 'refused', why: refused }
      this.stored.saveTrust([...(options.newer ?? []), ...bundle.trust])
      if (this.lacksKeys()) return { kind: 'refused', why: 'keys-missing' }
      if (this.stored.isRevoked(bundle)) return { kind: 'refused', why: 'key-revoked' }
      const rejected = this.storeAndCheck(bundle, bytes, options)
      if (rejected !== null) return rejected
      const { activeFrom } = manifest
      const replaced = this.replacedBy(bundle)
      this.addOrder({ kind: 'put', id, from: activeFrom }, this.ordersWithout(replaced))
      return {
        kind: 'put',
        manifest,
        from: activeFrom === null ? null : new Date(activeFrom),
        replaced: replaced.map((one) => one.bundle.manifest),
      }
    })
  }

  cancel(sequence: number): BundleManifest | null {
    if (readOrders(this.dataFolder).length === 0) return null
    return this.command(() => {
      const cancelled = this.waitingBundles().filter(({ bundle }) => bundle.manifest.sequence === sequence)
      if (cancelled.length > 0) writeOrders(this.dataFolder, this.ordersWithout(cancelled))
      return cancelled[0]?.bundle.manifest ?? null
    })
  }

  /**
   * Restores the previous bundle at the next start; bundles with a start time keep waiting. Refuses while a bundle
   * waits for the next start, because the undo would then go back two bundles. Also refuses if the key of the previous
   * bundle was revoked, because a thief may have signed it.
   */
  undo(now: Date): Undone {
    const previous = readState(this.dataFolder)?.previous ?? null
    if (previous === null) return { kind: 'nothing-before' }
    return this.command((): Undone => {
      const next = this.waitingBundles().find(({ order }) => isOrderDue(order, now))
      if (next !== undefined) return { kind: 'waiting', manifest: next.bundle.manifest }
      const bundle = this.stored.find(previous)
      if (bundle === null) return { kind: 'nothing-before' }
      const { manifest } = bundle
      if (this.stored.isRevoked(bundle)) return { kind: 'key-revoked', manifest }
      this.addOrder({ kind: 'undo', to: bundle.id })
      return { kind: 'undone', manifest }
    })
  }

  list(): Listed {
    const state = this.stateNow()
    const of = (id: string | null): BundleManifest | null =>
      id === null ? null : (this.stored.find(id)?.manifest ?? null)
    return {
      current: of(state.current),
      previous: of(state.previous),
      waiting: this.waitingBundles().map(({ bundle }) => bundle.manifest),
      undoTo: of(readOrders(this.dataFolder).find((order) => order.kind === 'undo')?.to ?? null),
      notice: state.notice,
    }
  }
}

export const openBundleStore = (...args: ConstructorParameters<typeof BundleStore>) => new BundleStore(...args)

const startOf = (from: string | null): number => (from === null ? 0 : new Date(from).getTime())

function readFile(file: string): Buffer | 'too-large' | 'unreadable' {
  try {
    const found = statSync(file)
    // Only a regular file is read: reading a pipe would block, and some devices never end.
    if (!found.isFile()) return 'unreadable'
    return found.size > MAX_BUNDLE_BYTES ? 'too-large' : readFileSync(file)
  } catch {
    return 'unreadable'
  }
}
