import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import {
  EMPTY,
  type BundleNotice,
  type Notice,
  type BundleInstruction,
  type ActiveBundle,
  StoredBundles,
  type State,
  addNotice,
  hasState,
  hasUnreadableInstructions,
  isOfSameStore,
  isInstructionDue,
  readInstructions,
  readState,
  writeInstructions,
  writeState,
} from './stored-bundles.ts'
import { isOfThisLane, type LaneIdentity } from './identity.ts'
import { alone } from './lock.ts'
import type { TrustList } from './trust.ts'

/** How long a start of the lane waits for a bundle CLI command that is running; short, because the lane must open. */
const START_WAIT_MS = 5_000
/** Age in milliseconds after which a start removes files of bundles that the bundle state does not name. */
const STALE_AFTER_MS = 3_600_000
const STALE_FILE = /^([0-9a-f]{64}|([0-9a-f]{64}|(state|order|later|news|clock)\.json|own\.keys|lock)(\.\d+)?\.new)$/

export type Notify = (notice: BundleNotice | { readonly kind: 'left'; readonly error: Error }) => void

export interface AtStart {
  /** The lane's identity: after the bundle state is lost, only a bundle of this lane becomes active. */
  readonly identity?: LaneIdentity | null
  /**
   * Called for each change of the bundles that a start makes without an instruction. `left`: the disk is full or
   * failing, so the active bundle stays.
   */
  readonly notify?: Notify
}

type Dropped = Extract<BundleNotice, { kind: 'dropped' }>['why']
type Outcome = { readonly state: State } | { readonly dropped: Dropped } | 'nothing'

interface Found {
  readonly state: State
  readonly notices: readonly BundleNotice[]
}

export class LaneStart {
  protected readonly dataFolder: string
  protected readonly stored: StoredBundles

  constructor(dataFolder: string, ownTrust: TrustList) {
    this.dataFolder = dataFolder
    this.stored = new StoredBundles(dataFolder, ownTrust)
  }

  private waitingIds(): string[] {
    return readInstructions(this.dataFolder).flatMap((instruction) =>
      instruction.kind === 'put' ? [instruction.id] : [],
    )
  }

  /** Removes old bundles and unfinished files. Files that do not belong to this program stay. */
  private clear(state: State): void {
    if (state.current === null) return
    const retained = [state.current, state.previous, state.notice?.id, ...this.waitingIds()]
    for (const name of readdirSync(this.stored.folder)) {
      const place = path.join(this.stored.folder, name)
      if (!STALE_FILE.test(name) || retained.includes(name)) continue
      if (Date.now() - statSync(place).mtimeMs > STALE_AFTER_MS) rmSync(place, { recursive: true, force: true })
    }
  }

  /**
   * Returns the result of a due instruction. Instructions are not signed, so an attacker who can write one must not be
   * able to restore old prices.
   */
  private outcomeOf(instruction: BundleInstruction, state: State): Outcome {
    const { current, previous, newest, notice } = state
    if (instruction.kind === 'undo') {
      // Skip an undo that was already executed: a power cut may have prevented the removal of its instruction.
      if (instruction.to === current) return 'nothing'
      if (instruction.to !== previous) return { dropped: 'older' }
      const before = this.stored.find(instruction.to)
      if (before === null) return { dropped: 'gone' }
      if (this.stored.isRevoked(before)) return { dropped: 'key-revoked' }
      return { state: { ...state, current: instruction.to, previous: current, proven: false, notice: null } }
    }
    if (instruction.id === current) return notice === null ? 'nothing' : { state: { ...state, notice: null } }
    const bundle = this.stored.find(instruction.id)
    if (bundle === null) return { dropped: 'gone' }
    const { version } = this.stored.trust()
    if (version < state.trustVersion) return { dropped: 'keys-missing' }
    if (this.stored.isRevoked(bundle)) return { dropped: 'key-revoked' }
    const { sequence } = bundle.manifest
    const before = current === null ? null : this.stored.find(current)
    // The first bundle of the lane's own store gets no previous bundle: an undo must not restore a bundle of another
    // store that was stored before the lane had an identity.
    const isFirst = before !== null && !isOfSameStore(before.manifest, bundle.manifest)
    if (!isFirst && sequence <= newest && instruction.id !== notice?.id) return { dropped: 'older' }
    const after = { previous: isFirst ? null : current, newest: sequence, trustVersion: version }
    return { state: { ...state, current: instruction.id, proven: false, notice: null, ...after } }
  }

  /**
   * Returns the state to use after the stored one was lost: the newest bundle of this lane that is due and has a
   * trusted signature is active.
   */
  private recovered(now: Date, identity: LaneIdentity | null): Found {
    const waiting = this.waitingIds()
    const own = this.stored
      .all()
      .filter(
        (bundle) =>
          !waiting.includes(bundle.id) &&
          isOfThisLane(bundle.manifest, identity) &&
          (bundle.manifest.activeFrom === null || new Date(bundle.manifest.activeFrom) <= now),
      )
    const first = own.find((bundle) => !this.stored.isRevoked(bundle))
    const known = { ...EMPTY, trustVersion: this.stored.trust().version }
    if (first === undefined) return { state: known, notices: [] }
    const { sequence: newest } = first.manifest
    const before = own[own.indexOf(first) + 1]
    // If the key of the previous bundle is revoked, an undo must not go further back.
    const previous = before && !this.stored.isRevoked(before) ? before.id : null
    const notice: Notice = { kind: 'recovered', id: null, number: newest, at: now.toISOString(), words: [] }
    return { state: { ...known, current: first.id, previous, newest, notice }, notices: [notice] }
  }

  private found(now: Date, identity: LaneIdentity | null): Found {
    const known = readState(this.dataFolder)
    const { state, notices } = known === null ? this.recovered(now, identity) : { state: known, notices: [] }
    const { current, previous } = state
    if (
      current === null ||
      previous === null ||
      this.stored.find(current) !== null ||
      this.stored.find(previous) === null
    )
      return { state, notices }
    const notice: Notice = {
      kind: 'damaged',
      id: current,
      number: state.newest,
      at: now.toISOString(),
      words: [],
    }
    return {
      state: { ...state, current: previous, previous: null, proven: false, notice },
      notices: [...notices, notice],
    }
  }

  /** Returns due instructions in execution order: first an undo, then the bundles, the newest first. */
  private inExecutionOrder(due: readonly BundleInstruction[]): BundleInstruction[] {
    const numberOf = (instruction: BundleInstruction): number =>
      instruction.kind === 'undo' ? Infinity : (this.sequenceOf(instruction.id) ?? Infinity)
    return due.toSorted((one, other) =>
      one.kind === other.kind ? numberOf(other) - numberOf(one) : one.kind === 'undo' ? -1 : 1,
    )
  }

  private sequenceOf(id: string): number | null {
    return this.stored.find(id)?.manifest.sequence ?? null
  }

  /**
   * Executes instructions. The state is written first: if the process is killed then, the next start detects the
   * executed instruction.
   */
  private executeInstructions({ state: before, notices }: Found, now: Date): Found {
    const instructions = readInstructions(this.dataFolder)
    const due = instructions.filter((instruction) => isInstructionDue(instruction, now))
    const dropped: BundleNotice[] = hasUnreadableInstructions(this.dataFolder)
      ? [this.droppedNotice(null, 'unreadable', now)]
      : []
    const mustWrite = dropped.length > 0 || due.length > 0
    let state = before
    let isActivated = false
    for (const instruction of this.inExecutionOrder(due)) {
      // An older bundle that became due together with a newer one was never active, so an undo must not restore it.
      if (isActivated) break
      const outcome = this.outcomeOf(instruction, state)
      if (outcome !== 'nothing' && 'dropped' in outcome) {
        dropped.push(this.droppedNotice(instruction, outcome.dropped, now))
        continue
      }
      if (outcome !== 'nothing') state = outcome.state
      isActivated = instruction.kind === 'put'
    }
    const isNew = !isDeepStrictEqual(state, readState(this.dataFolder))
    // If no bundle is trusted, all files stay unchanged for inspection.
    if (isNew && (state.current !== null || readState(this.dataFolder) !== null)) writeState(this.dataFolder, state)
    if (mustWrite)
      writeInstructions(
        this.dataFolder,
        instructions.filter((instruction) => !due.includes(instruction)),
      )
    this.clear(state)
    return { state, notices: [...notices, ...dropped] }
  }

  private droppedNotice(instruction: BundleInstruction | null, why: Dropped, now: Date): BundleNotice {
    const id = instruction === null ? null : instruction.kind === 'put' ? instruction.id : instruction.to
    return { kind: 'dropped', id, number: id === null ? null : this.sequenceOf(id), at: now.toISOString(), why }
  }

  private notifyAll(notices: readonly BundleNotice[], notify: Notify): void {
    for (const one of notices) notify(one)
    this.ignoreDiskErrors(notify, () => {
      for (const one of notices) addNotice(this.dataFolder, one)
    })
  }

  private ignoreDiskErrors<T>(notify: Notify, work: () => T): T | null {
    try {
      return work()
    } catch (error) {
      notify({ kind: 'left', error: error instanceof Error ? error : new Error(String(error)) })
      return null
    }
  }

  private missingReason(): 'none' | 'damaged' {
    return readState(this.dataFolder) === null && (hasState(this.dataFolder) || this.stored.all().length > 0)
      ? 'damaged'
      : 'none'
  }

  /**
   * Executes due instructions and returns the bundle that is active from this start on. `damaged`: the files differ
   * from their signatures, or the state is lost. `none`: no bundle is active. Drops a due instruction that cannot be
   * executed, because it would be retried forever.
   */
  atStart(now: Date, { identity = null, notify = () => undefined }: AtStart = {}): ActiveBundle | 'none' | 'damaged' {
    if (!existsSync(this.stored.folder)) return 'none'
    const done =
      this.ignoreDiskErrors(notify, () =>
        alone(this.stored.folder, START_WAIT_MS, () => this.executeInstructions(this.found(now, identity), now)),
      ) ?? this.found(now, identity)
    this.notifyAll(done.notices, notify)
    const { current } = done.state
    if (current === null) return this.missingReason()
    const bundle = this.stored.find(current)
    return bundle === null ? 'damaged' : this.stored.repaired(bundle)
  }

  /**
   * Returns the active bundle without executing due bundle instructions; changes nothing. Other results as in
   * `atStart`.
   */
  active(): ActiveBundle | 'none' | 'damaged' {
    const current = readState(this.dataFolder)?.current ?? null
    if (current === null) return this.missingReason()
    const bundle = this.stored.find(current)
    return bundle === null ? 'damaged' : this.stored.activeBundle(bundle)
  }

  hasStarted(): boolean {
    return readState(this.dataFolder)?.proven === true
  }

  markStarted(id: string, notify: Notify): void {
    const state = readState(this.dataFolder)
    if (state?.current !== id || state.proven) return
    this.ignoreDiskErrors(notify, () => {
      writeState(this.dataFolder, { ...state, proven: true })
    })
  }

  /** Returns the previous bundle; `none` if there was no bundle before, null if its files are damaged. */
  before(): ActiveBundle | 'none' | null {
    const previous = readState(this.dataFolder)?.previous ?? null
    if (previous === null) return 'none'
    const bundle = this.stored.find(previous)
    return bundle && this.stored.repaired(bundle)
  }

  /**
   * Restores the previous bundle because no terminal starts with the active one. `messages`: the terminal's messages
   * about the active bundle.
   */
  restorePrevious(id: string, messages: readonly string[], now: Date, notify: Notify): void {
    const state = readState(this.dataFolder)
    if (state?.current !== id) return
    const number = this.stored.find(id)?.manifest.sequence ?? null
    const notice: Notice = { kind: 'refused', id, number, at: now.toISOString(), words: [...messages] }
    this.ignoreDiskErrors(notify, () => {
      writeState(this.dataFolder, { ...state, current: state.previous, previous: null, proven: true, notice })
    })
    this.notifyAll([notice], notify)
  }
}
