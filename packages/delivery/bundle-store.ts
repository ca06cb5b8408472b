import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { MAX_BUNDLE_BYTES, readBundle, type Bundle, type BundleRefusal } from './bundle.ts'
import {
  EMPTY,
  type Notice,
  type BundleInstruction,
  type State,
  hasState,
  isOfSameStore,
  isInstructionDue,
  readInstructions,
  readState,
  writeInstructions,
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
  readonly instruction: Extract<BundleInstruction, { kind: 'put' }>
  readonly bundle: Bundle
}

/** How long a CLI command waits while another one or a start of the terminal uses the bundles. */
const LOCK_WAIT_MS = 30_000

interface Listed extends Record<'current' | 'previous' | 'undoTo', BundleManifest | null> {
  readonly waiting: readonly BundleManifest[]
  readonly notice: Notice | null
}

/**
 * The bundles of a lane, in the folder `bundles` of its data folder: the active one, the previous one, one that waits
 * for the next start, and any number that wait for their start time. The state is one small file that is replaced
 * atomically, so that a power cut leaves either its old or its new content. Throws file system errors unchanged; throws
 * BusyError if another CLI command does not end.
 */
export class BundleStore extends LaneStart {
  readonly trust = (): TrustList => this.stored.trust()

  private withLock<T>(work: () => T): T {
    return alone(this.stored.folder, LOCK_WAIT_MS, work)
  }

  private addInstruction(
    instruction: BundleInstruction,
    others: readonly BundleInstruction[] = readInstructions(this.dataFolder),
  ): void {
    writeInstructions(this.dataFolder, [...others, instruction])
  }

  // Treats a lost bundle state as empty, so that a bundle can be stored; the next start recovers the state.
  private stateNow(): State {
    return readState(this.dataFolder) ?? EMPTY
  }

  private waitingBundles(): Waiting[] {
    const { current } = this.stateNow()
    return readInstructions(this.dataFolder)
      .flatMap((instruction) => {
        const bundle =
          instruction.kind === 'put' && instruction.id !== current ? this.stored.find(instruction.id) : null
        return instruction.kind === 'put' && bundle !== null ? [{ instruction, bundle }] : []
      })
      .toSorted(({ instruction: one }, { instruction: other }) => startOf(one.from) - startOf(other.from))
  }

  /**
   * Returns the waiting bundles that `bundle` replaces: those of another store, and older ones with no earlier start
   * time.
   */
  private replacedBy({ manifest }: Bundle): Waiting[] {
    return this.waitingBundles().filter(
      ({ instruction, bundle }) =>
        !isOfSameStore(bundle.manifest, manifest) ||
        (bundle.manifest.sequence < manifest.sequence && startOf(instruction.from) >= startOf(manifest.activeFrom)),
    )
  }

  private instructionsWithout(those: readonly Waiting[]): BundleInstruction[] {
    return readInstructions(this.dataFolder).filter(
      (instruction) => !those.some((one) => one.instruction.id === ('id' in instruction ? instruction.id : null)),
    )
  }

  private refusalOf(bundle: Bundle, { again = true }: PutOptions): PutRefusal | null {
    const { manifest, id } = bundle
    const state = this.stateNow()
    if (id === state.notice?.id) return again ? null : 'refused-before'
    const current = state.current === null ? null : this.stored.find(state.current)
    const newest = current && !isOfSameStore(current.manifest, manifest) ? 0 : state.newest
    const isReplaced = this.waitingBundles().some(
      ({ instruction, bundle: other }) =>
        isOfSameStore(other.manifest, manifest) &&
        other.manifest.sequence >= manifest.sequence &&
        startOf(instruction.from) <= startOf(manifest.activeFrom),
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
      this.addInstruction({ kind: 'put', id, from: null })
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
    return this.withLock(() => this.stored.saveTrust(lists))
  }

  /** Stores a bundle on the lane; the next start after its start time activates it. A terminal may be running. */
  put(file: string, identity: LaneIdentity | null, now: Date, options: PutOptions = {}): Put {
    const read = this.readAndCheck(file, identity, now, options.newer ?? [])
    if (read.kind === 'refused') return read
    const { bundle, bytes, mismatch } = read
    const { manifest, id } = bundle
    return this.withLock((): Put => {
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
      this.addInstruction({ kind: 'put', id, from: activeFrom }, this.instructionsWithout(replaced))
      return {
        kind: 'put',
        manifest,
        from: activeFrom === null ? null : new Date(activeFrom),
        replaced: replaced.map((one) => one.bundle.manifest),
      }
    })
  }

  cancel(sequence: number): BundleManifest | null {
    if (readInstructions(this.dataFolder).length === 0) return null
    return this.withLock(() => {
      const cancelled = this.waitingBundles().filter(({ bundle }) => bundle.manifest.sequence === sequence)
      if (cancelled.length > 0) writeInstructions(this.dataFolder, this.instructionsWithout(cancelled))
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
    return this.withLock((): Undone => {
      const next = this.waitingBundles().find(({ instruction }) => isInstructionDue(instruction, now))
      if (next !== undefined) return { kind: 'waiting', manifest: next.bundle.manifest }
      const bundle = this.stored.find(previous)
      if (bundle === null) return { kind: 'nothing-before' }
      const { manifest } = bundle
      if (this.stored.isRevoked(bundle)) return { kind: 'key-revoked', manifest }
      this.addInstruction({ kind: 'undo', to: bundle.id })
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
      undoTo: of(readInstructions(this.dataFolder).find((instruction) => instruction.kind === 'undo')?.to ?? null),
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
