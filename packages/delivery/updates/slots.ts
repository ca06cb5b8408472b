import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { Trusted } from '../signed.ts'
import { type TrustList, trustedIn } from '../trust.ts'
import { syncFolder, writeWhole } from '../whole-file.ts'
import type { Platform } from './formats.ts'
import { dropUpdateInstruction, isHeldAt, readUpdateInstruction } from './get.ts'
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
  /** The program's folder, which contains `slots`; not the data folder. */
  readonly root: string
  readonly platform: Platform
  /** Returns the trusted keys. Called each time, because a bundle may have brought a newer list. */
  readonly trust: () => TrustList
  readonly now: () => Date
}

/** Decision at the start of a program. `rolledBack`: the version that was given up just now. */
export type StartDecision =
  | { readonly kind: 'self'; readonly rolledBack: { readonly version: string; readonly why: WhyRefused } | null }
  | { readonly kind: 'try'; readonly slot: SlotName; readonly version: string }

/** Trusted keys for installed programs, which include revoked keys: a revocation must not close a store. */
const trustForInstalled = ({ keys, revoked }: TrustList): Trusted => ({ keys: [...keys, ...revoked], revoked: [] })

/** Reads the state in an installed program's folder `slots`; null if the file and its copy are lost or damaged. */
export const readSlots = (folder: string): SlotsState | null =>
  stateIn(path.join(folder, STATE_FILE)) ?? stateIn(path.join(folder, COPY_FILE))

const STATE_FILE = 'state.json'
/** A copy of the state, so that one damaged file does not make an untried version the good one. */
const COPY_FILE = 'state.kept.json'

function stateIn(file: string): SlotsState | null {
  try {
    return SlotsState.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

/**
 * The two programs of an installed lane and the choice between them. The state is one small file that is replaced
 * atomically, so that a power cut leaves either its old or its new content; a copy is next to it. Must have one writer
 * at a time: the start of a terminal with its data folder locked, then its backend. Throws file system errors
 * unchanged.
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

  /**
   * Returns the state of the slots. If both files are lost, returns that of a new lane: the program in slot a, else in
   * b, without a trial.
   */
  state(): SlotsState {
    return readSlots(this.folder) ?? firstState(existsSync(this.folderOf('a')) ? 'a' : 'b')
  }

  private write(next: SlotsState): void {
    // Writes the copy first and `state.json`, which decides, last: if the disk rejects the copy, nothing has changed.
    for (const name of [COPY_FILE, STATE_FILE])
      writeWhole(path.join(this.folder, name), `${JSON.stringify(next)}\n`, 0o644)
  }

  private change(to: (state: SlotsState) => SlotsState): void {
    const before = this.state()
    const after = to(before)
    if (after !== before) this.write(after)
  }

  installedIn(place: string) {
    return readProgram(place, this.platform, trustForInstalled(this.trust()))
  }

  versionIn(slot: SlotName): string | null {
    return this.installedIn(this.folderOf(slot))?.manifest.version ?? null
  }

  /** Moves the downloaded version into the other slot. After an interruption, the next call continues. */
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

  /** Moves the waiting version into a slot. Returns false if it was modified or its key was revoked in the meantime. */
  private async swapped(version: string, slot: SlotName): Promise<boolean> {
    const place = existsSync(this.stagingOf(slot)) ? this.stagingOf(slot) : this.folderOf(slot)
    const read = readProgram(place, this.platform, trustedIn(this.trust()))
    if (read === null || read.manifest.version !== version) return false
    if ((await firstDamaged(place, read.program)) !== null) return false
    this.swapIn(slot)
    return true
  }

  /**
   * Returns whether the version can open the database. A restored backup may be too old for it; then the good version
   * must migrate the backup first.
   */
  private opens(slot: SlotName, schema: number | null): boolean {
    const waiting = this.installedIn(this.stagingOf(slot)) ?? this.installedIn(this.folderOf(slot))
    return schema === null || waiting === null || schema >= waiting.manifest.readsBack
  }

  private async tryPending(schema: number | null): Promise<StartDecision | null> {
    const at = this.state()
    const { pending, good } = at
    const instruction = readUpdateInstruction(this.folder)
    if (pending === null || !((pending.isArmed && !isHeldAt(instruction, this.now())) || instruction?.kind === 'now'))
      return null
    const slot = otherSlot(good)
    if (!this.opens(slot, schema)) return null
    const from = this.versionIn(good) ?? '0.0.0'
    if (!(await this.swapped(pending.version, slot))) {
      // A damaged version is not refused but downloaded again, because a disk error does not show that the version is
      // faulty.
      rmSync(this.stagingOf(slot), { recursive: true, force: true })
      this.write({ ...at, pending: null })
      return null
    }
    const { version } = pending
    this.write(beginTrial(at, { slot, version, from, schemaBefore: schema, isBack: false }, this.time()))
    if (instruction?.kind === 'now') dropUpdateInstruction(this.folder, instruction)
    return { kind: 'try', slot, version }
  }

  private async tryBefore(schema: number | null): Promise<StartDecision | null> {
    const instruction = readUpdateInstruction(this.folder)
    if (instruction?.kind !== 'back') return null
    const at = this.state()
    const slot = otherSlot(at.good)
    const before = at.before === null ? null : this.installedIn(this.folderOf(slot))
    const isWhole =
      before !== null &&
      before.manifest.version === at.before?.version &&
      (await firstDamaged(this.folderOf(slot), before.program)) === null
    if (!isWhole) {
      dropUpdateInstruction(this.folder, instruction)
      return null
    }
    const { version } = before.manifest
    const trial = { slot, version, from: this.versionIn(at.good) ?? '0.0.0', schemaBefore: schema, isBack: true }
    this.write(beginTrial(at, trial, this.time()))
    dropUpdateInstruction(this.folder, instruction)
    return { kind: 'try', slot, version }
  }

  private tryAgain(schema: number | null): StartDecision | null {
    const at = this.state()
    if (at.trial === null || !this.opens(at.trial.slot, schema)) return null
    const { slot, version, why } = at.trial
    const next = nextTry(at, at.trial, this.time())
    this.write(next.state)
    if (next.kind === 'try') return { kind: 'try', slot, version }
    return { kind: 'self', rolledBack: { version, why: why ?? 'killed' } }
  }

  trusted() {
    return trustedIn(this.trust())
  }

  /**
   * Called first in a start, with the data folder locked. Decides whether the program in `own` continues, or the other
   * slot's program gets a try, which is counted before this returns. `schema`: of the database; null before the first
   * start.
   */
  async decideStart(own: SlotName, schema: number | null): Promise<StartDecision> {
    if (own !== this.state().good) return { kind: 'self', rolledBack: null }
    const decided = this.tryAgain(schema) ?? (await this.tryBefore(schema)) ?? (await this.tryPending(schema))
    return decided ?? { kind: 'self', rolledBack: null }
  }

  noteFailure(why: WhyRefused): void {
    this.change((at) => (at.trial === null ? at : { ...at, trial: { ...at.trial, why } }))
  }

  /**
   * Takes back the count of the current try: the version started and was closed normally before it was confirmed, as at
   * closing time. `byItself`: the program ended without an external request, because a person or a fault closed its
   * window.
   */
  forgetTry({ byItself }: { readonly byItself: boolean }): void {
    this.change((at) => {
      if (at.trial === null) return at
      const trial = { ...at.trial, starts: Math.max(0, at.trial.starts - 1) }
      return { ...at, trial: byItself ? { ...trial, closings: trial.closings + 1, why: 'ended' } : trial }
    })
  }

  noteReady(own: SlotName): void {
    this.change((at) => (at.trial?.slot === own ? { ...at, trial: { ...at.trial, began: at.trial.began + 1 } } : at))
  }

  /**
   * Makes the program in slot `own` the good one, because its backend has run long enough. Returns false if it was not
   * on trial.
   */
  confirm(own: SlotName): boolean {
    const at = this.state()
    if (at.trial?.slot !== own) return false
    this.write(confirmed(at, at.trial, this.time()))
    return true
  }

  giveUp(why: WhyRefused): void {
    this.change((at) => (at.trial === null ? at : giveUp(at, at.trial, why, this.time())))
  }

  fetched(version: string, from: string | null = null): void {
    this.change((at) => ({ ...at, pending: { version, since: this.time(), isArmed: false, from } }))
  }

  failed(version: string, why: WhyRefused): void {
    this.change((at) => failed(at, version, this.versionIn(at.good) ?? '0.0.0', why, this.time()))
  }

  /**
   * Drops the waiting version because it was halted or replaced. Also drops instructions to try it: they would later
   * start the trial of another version before the lane is closed.
   */
  dropPending(): void {
    const instruction = readUpdateInstruction(this.folder)
    if (instruction?.kind === 'now' || instruction?.kind === 'tonight') dropUpdateInstruction(this.folder, instruction)
    this.change((at) => (at.pending === null ? at : { ...at, pending: null }))
  }

  arm(isArmed: boolean): void {
    this.change((at) =>
      at.pending === null || at.pending.isArmed === isArmed ? at : { ...at, pending: { ...at.pending, isArmed } },
    )
  }

  seen(sequence: number): void {
    this.change((at) => (sequence > at.sequence ? { ...at, sequence } : at))
  }

  reported(outcomes: SlotsState['outcomes']): void {
    const sent = new Set(outcomes.map((each) => JSON.stringify(each)))
    this.change((at) => ({ ...at, outcomes: at.outcomes.filter((each) => !sent.has(JSON.stringify(each))) }))
  }

  clear(): void {
    const at = this.state()
    if (at.trial !== null) return
    const other = otherSlot(at.good)
    const partialFiles = readdirSync(this.folder).filter((name) => /^[ab]\.new\.\d+\.part$/.test(name))
    for (const name of ['a.old', 'b.old', `${at.good}.new`, ...partialFiles])
      rmSync(path.join(this.folder, name), { recursive: true, force: true })
    // Removes a refused version; keeps the one to which the instruction `back` returns.
    const version = this.versionIn(other)
    if (version !== null && at.before?.version !== version && at.pending?.version !== version)
      rmSync(this.folderOf(other), { recursive: true, force: true })
  }
}

export const openSlots = (...args: ConstructorParameters<typeof Slots>) => new Slots(...args)
