import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { Trusted } from '../signed.ts'
import { type TrustList, trustedIn } from '../trust.ts'
import { syncFolder, writeWhole } from '../whole-file.ts'
import type { Platform } from './formats.ts'
import { dropOrder, isHeldAt, readOrder } from './get.ts'
import { firstDamaged, readProgram } from './program-files.ts'
import {
  beginTrial,
  confirmed,
  failed,
  firstState,
  giveUp,
  nextTry,
  otherSlot,
  SlotsState,
  type SlotName,
  type WhyRefused,
} from './slots-state.ts'

export interface SlotsOptions {
  /** The program's folder, never the data folder: `slots` lies in it. */
  readonly root: string
  readonly platform: Platform
  /** Asked anew each time: a newer list may have come with a bundle. */
  readonly trust: () => TrustList
  readonly now: () => Date
}

/** What a start of a program is to do. `wentBack`: a version was given up, just now. */
export type StartDecision =
  | { readonly kind: 'self'; readonly wentBack: { readonly version: string; readonly why: WhyRefused } | null }
  | { readonly kind: 'try'; readonly slot: SlotName; readonly version: string }

/** What a program was signed by stays believed: revoking a key must not close a store. */
const standingIn = ({ keys, revoked }: TrustList): Trusted => ({ keys: [...keys, ...revoked], revoked: [] })

/** What an installed program's folder `slots` says of itself; null where it is lost or damaged, and its copy too. */
export const readSlots = (folder: string): SlotsState | null =>
  stateIn(path.join(folder, STATE_FILE)) ?? stateIn(path.join(folder, KEPT_FILE))

const STATE_FILE = 'state.json'
/** Beside it, so that one file that is lost or damaged makes no version the good one that was never tried. */
const KEPT_FILE = 'state.kept.json'

function stateIn(file: string): SlotsState | null {
  try {
    return SlotsState.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

/**
 * The two programs of an installed lane and which of them runs. What counts is one small file that is replaced as a
 * whole, so that a power cut leaves the one or the other; a copy stands beside it.
 * One writer at a time: the start of a terminal with its data folder locked, then its backend. Errors of the file
 * system are thrown as they are.
 */
export class Slots {
  readonly root: SlotsOptions['root']
  readonly platform: SlotsOptions['platform']
  private readonly trust: SlotsOptions['trust']
  private readonly now: SlotsOptions['now']
  readonly folder: string

  constructor({ root, platform, trust, now }: SlotsOptions) {
    this.root = root
    this.platform = platform
    this.trust = trust
    this.now = now
    this.folder = path.join(root, 'slots')
  }

  folderOf(slot: SlotName): string {
    return path.join(this.folder, slot)
  }

  stagingOf(slot: SlotName): string {
    return path.join(this.folder, `${slot}.new`)
  }

  private time(): string {
    return this.now().toISOString()
  }

  /** Where both are lost it is that of a new lane: the program in slot a, else in b. Nothing is tried by it. */
  state(): SlotsState {
    return readSlots(this.folder) ?? firstState(existsSync(this.folderOf('a')) ? 'a' : 'b')
  }

  private write(next: SlotsState): void {
    // What counts comes last: where the disk refuses the first, nothing has changed.
    for (const name of [KEPT_FILE, STATE_FILE])
      writeWhole(path.join(this.folder, name), `${JSON.stringify(next)}\n`, 0o644)
  }

  private change(to: (state: SlotsState) => SlotsState): void {
    const before = this.state()
    const after = to(before)
    if (after !== before) this.write(after)
  }

  standing(place: string) {
    return readProgram(place, this.platform, standingIn(this.trust()))
  }

  versionIn(slot: SlotName): string | null {
    return this.standing(this.folderOf(slot))?.manifest.version ?? null
  }

  /** What was fetched takes the other slot. Killed in between, the next call goes on where this one was. */
  private swapIn(slot: SlotName): void {
    const old = path.join(this.folder, `${slot}.old`)
    if (!existsSync(this.stagingOf(slot))) return
    if (existsSync(this.folderOf(slot))) {
      rmSync(old, { recursive: true, force: true })
      renameSync(this.folderOf(slot), old)
    }
    renameSync(this.stagingOf(slot), this.folderOf(slot))
    syncFolder(this.folder)
  }

  /** False: what waits is not as it was signed, or its key was revoked meanwhile. */
  private async swapped(version: string, slot: SlotName): Promise<boolean> {
    const place = existsSync(this.stagingOf(slot)) ? this.stagingOf(slot) : this.folderOf(slot)
    const read = readProgram(place, this.platform, trustedIn(this.trust()))
    if (read === null || read.manifest.version !== version) return false
    if ((await firstDamaged(place, read.program)) !== null) return false
    this.swapIn(slot)
    return true
  }

  /** A backup that was put back may be older than a new version can bring up: the good one brings it up first. */
  private opens(slot: SlotName, schema: number | null): boolean {
    const waiting = this.standing(this.stagingOf(slot)) ?? this.standing(this.folderOf(slot))
    return schema === null || waiting === null || schema >= waiting.manifest.readsBack
  }

  private async tryPending(schema: number | null): Promise<StartDecision | null> {
    const at = this.state()
    const { pending, good } = at
    const order = readOrder(this.folder)
    if (pending === null || !((pending.isArmed && !isHeldAt(order, this.now())) || order?.kind === 'now')) return null
    const slot = otherSlot(good)
    if (!this.opens(slot, schema)) return null
    const from = this.versionIn(good) ?? '0.0.0'
    if (!(await this.swapped(pending.version, slot))) {
      // It is fetched anew: a file that a disk has spoilt is no fault of the version.
      rmSync(this.stagingOf(slot), { recursive: true, force: true })
      this.write({ ...at, pending: null })
      return null
    }
    const { version } = pending
    this.write(beginTrial(at, { slot, version, from, schemaBefore: schema, isBack: false }, this.time()))
    if (order?.kind === 'now') dropOrder(this.folder, order)
    return { kind: 'try', slot, version }
  }

  private async tryBefore(schema: number | null): Promise<StartDecision | null> {
    const order = readOrder(this.folder)
    if (order?.kind !== 'back') return null
    const at = this.state()
    const slot = otherSlot(at.good)
    const before = at.before === null ? null : this.standing(this.folderOf(slot))
    const isWhole =
      before !== null &&
      before.manifest.version === at.before?.version &&
      (await firstDamaged(this.folderOf(slot), before.program)) === null
    if (!isWhole) {
      dropOrder(this.folder, order)
      return null
    }
    const { version } = before.manifest
    const trial = { slot, version, from: this.versionIn(at.good) ?? '0.0.0', schemaBefore: schema, isBack: true }
    this.write(beginTrial(at, trial, this.time()))
    dropOrder(this.folder, order)
    return { kind: 'try', slot, version }
  }

  /** The trial that stands: once more, or given up. */
  private tryAgain(schema: number | null): StartDecision | null {
    const at = this.state()
    if (at.trial === null || !this.opens(at.trial.slot, schema)) return null
    const { slot, version, why } = at.trial
    const next = nextTry(at, at.trial, this.time())
    this.write(next.state)
    if (next.kind === 'try') return { kind: 'try', slot, version }
    return { kind: 'self', wentBack: { version, why: why ?? 'killed' } }
  }

  trusted() {
    return trustedIn(this.trust())
  }

  /**
   * The first lines of a start, with the data folder locked: whether the program in `own` goes on, or gives the other
   * slot's a try, which is counted before this returns. `schema`: of the database; null: there is none yet.
   */
  async decideStart(own: SlotName, schema: number | null): Promise<StartDecision> {
    if (own !== this.state().good) return { kind: 'self', wentBack: null }
    const decided = this.tryAgain(schema) ?? (await this.tryBefore(schema)) ?? (await this.tryPending(schema))
    return decided ?? { kind: 'self', wentBack: null }
  }

  /** A try that was watched has failed: `again`, or the good one goes on. Its program has ended. */
  noteFailure(why: WhyRefused): void {
    this.change((at) => (at.trial === null ? at : { ...at, trial: { ...at.trial, why } }))
  }

  /**
   * It came up and was ended in order before it was the good one, as at a store's closing: no try of its. `byItself`:
   * nobody asked for it from outside, as where its window is closed, by a person or by a fault of its own.
   */
  forgetTry({ byItself }: { readonly byItself: boolean }): void {
    this.change((at) => {
      if (at.trial === null) return at
      const trial = { ...at.trial, starts: Math.max(0, at.trial.starts - 1) }
      return { ...at, trial: byItself ? { ...trial, closings: trial.closings + 1, why: 'ended' } : trial }
    })
  }

  /** The backend of the program in `own` is ready. */
  began(own: SlotName): void {
    this.change((at) => (at.trial?.slot === own ? { ...at, trial: { ...at.trial, began: at.trial.began + 1 } } : at))
  }

  /** It has served: the good one from now on. False: it was none on trial. */
  confirm(own: SlotName): boolean {
    const at = this.state()
    if (at.trial?.slot !== own) return false
    this.write(confirmed(at, at.trial, this.time()))
    return true
  }

  /** Gives a trial up at once, as on an installer's word. */
  giveUp(why: WhyRefused): void {
    this.change((at) => (at.trial === null ? at : giveUp(at, at.trial, why, this.time())))
  }

  /** What was fetched stands whole in `stagingOf(otherSlot(good))`. */
  fetched(version: string, from: string | null = null): void {
    this.change((at) => ({ ...at, pending: { version, since: this.time(), isArmed: false, from } }))
  }

  /** A version that cannot be put on this lane at all. */
  failed(version: string, why: WhyRefused): void {
    this.change((at) => failed(at, version, this.versionIn(at.good) ?? '0.0.0', why, this.time()))
  }

  /**
   * What waits is not to be taken any more: its release was halted, or there is a newer one. What was ordered of it
   * is over: it would let another version in, some day, without a closing.
   */
  dropPending(): void {
    const order = readOrder(this.folder)
    if (order?.kind === 'now' || order?.kind === 'tonight') dropOrder(this.folder, order)
    this.change((at) => (at.pending === null ? at : { ...at, pending: null }))
  }

  /** Whether the next start tries what waits: the lane is closed and idle. */
  arm(isArmed: boolean): void {
    this.change((at) =>
      at.pending === null || at.pending.isArmed === isArmed ? at : { ...at, pending: { ...at.pending, isArmed } },
    )
  }

  seen(sequence: number): void {
    this.change((at) => (sequence > at.sequence ? { ...at, sequence } : at))
  }

  /** These were told to the controller. */
  told(outcomes: SlotsState['outcomes']): void {
    const sent = new Set(outcomes.map((each) => JSON.stringify(each)))
    this.change((at) => ({ ...at, outcomes: at.outcomes.filter((each) => !sent.has(JSON.stringify(each))) }))
  }

  /** What no start can need any more. While nothing is on trial. */
  clear(): void {
    const at = this.state()
    if (at.trial !== null) return
    const other = otherSlot(at.good)
    const parts = readdirSync(this.folder).filter((name) => /^[ab]\.new\.\d+\.part$/.test(name))
    for (const name of ['a.old', 'b.old', `${at.good}.new`, ...parts])
      rmSync(path.join(this.folder, name), { recursive: true, force: true })
    // A version that was refused goes with its time; what `back` would go to stays.
    const stands = this.versionIn(other)
    if (stands !== null && at.before?.version !== stands && at.pending?.version !== stands)
      rmSync(this.folderOf(other), { recursive: true, force: true })
  }
}

export const openSlots = (...args: ConstructorParameters<typeof Slots>) => new Slots(...args)
