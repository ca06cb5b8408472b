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

export type Slots = ReturnType<typeof openSlots>

/**
 * The two programs of an installed lane and which of them runs. What counts is one small file that is replaced as a
 * whole, so that a power cut leaves the one or the other; a copy stands beside it.
 * One writer at a time: the start of a terminal with its data folder locked, then its backend. Errors of the file
 * system are thrown as they are.
 */
export function openSlots({ root, platform, trust, now }: SlotsOptions) {
  const folder = path.join(root, 'slots')
  const folderOf = (slot: SlotName): string => path.join(folder, slot)
  const stagingOf = (slot: SlotName): string => path.join(folder, `${slot}.new`)
  const time = (): string => now().toISOString()

  /** Where both are lost it is that of a new lane: the program in slot a, else in b. Nothing is tried by it. */
  const state = (): SlotsState => readSlots(folder) ?? firstState(existsSync(folderOf('a')) ? 'a' : 'b')

  function write(next: SlotsState): void {
    // What counts comes last: where the disk refuses the first, nothing has changed.
    for (const name of [KEPT_FILE, STATE_FILE]) writeWhole(path.join(folder, name), `${JSON.stringify(next)}\n`, 0o644)
  }
  const change = (to: (state: SlotsState) => SlotsState): void => {
    const before = state()
    const after = to(before)
    if (after !== before) write(after)
  }

  const standing = (place: string) => readProgram(place, platform, standingIn(trust()))
  const versionIn = (slot: SlotName): string | null => standing(folderOf(slot))?.manifest.version ?? null

  /** What was fetched takes the other slot. Killed in between, the next call goes on where this one was. */
  function swapIn(slot: SlotName): void {
    const old = path.join(folder, `${slot}.old`)
    if (!existsSync(stagingOf(slot))) return
    if (existsSync(folderOf(slot))) {
      rmSync(old, { recursive: true, force: true })
      renameSync(folderOf(slot), old)
    }
    renameSync(stagingOf(slot), folderOf(slot))
    syncFolder(folder)
  }

  /** False: what waits is not as it was signed, or its key was revoked meanwhile. */
  async function swapped(version: string, slot: SlotName): Promise<boolean> {
    const place = existsSync(stagingOf(slot)) ? stagingOf(slot) : folderOf(slot)
    const read = readProgram(place, platform, trustedIn(trust()))
    if (read === null || read.manifest.version !== version) return false
    if ((await firstDamaged(place, read.program)) !== null) return false
    swapIn(slot)
    return true
  }

  /** A backup that was put back may be older than a new version can bring up: the good one brings it up first. */
  function opens(slot: SlotName, schema: number | null): boolean {
    const waiting = standing(stagingOf(slot)) ?? standing(folderOf(slot))
    return schema === null || waiting === null || schema >= waiting.manifest.readsBack
  }

  async function tryPending(schema: number | null): Promise<StartDecision | null> {
    const at = state()
    const { pending, good } = at
    const order = readOrder(folder)
    if (pending === null || !((pending.isArmed && !isHeldAt(order, now())) || order?.kind === 'now')) return null
    const slot = otherSlot(good)
    if (!opens(slot, schema)) return null
    const from = versionIn(good) ?? '0.0.0'
    if (!(await swapped(pending.version, slot))) {
      // It is fetched anew: a file that a disk has spoilt is no fault of the version.
      rmSync(stagingOf(slot), { recursive: true, force: true })
      write({ ...at, pending: null })
      return null
    }
    const { version } = pending
    write(beginTrial(at, { slot, version, from, schemaBefore: schema, isBack: false }, time()))
    if (order?.kind === 'now') dropOrder(folder, order)
    return { kind: 'try', slot, version }
  }

  async function tryBefore(schema: number | null): Promise<StartDecision | null> {
    const order = readOrder(folder)
    if (order?.kind !== 'back') return null
    const at = state()
    const slot = otherSlot(at.good)
    const before = at.before === null ? null : standing(folderOf(slot))
    const isWhole =
      before !== null &&
      before.manifest.version === at.before?.version &&
      (await firstDamaged(folderOf(slot), before.program)) === null
    if (!isWhole) {
      dropOrder(folder, order)
      return null
    }
    const { version } = before.manifest
    const trial = { slot, version, from: versionIn(at.good) ?? '0.0.0', schemaBefore: schema, isBack: true }
    write(beginTrial(at, trial, time()))
    dropOrder(folder, order)
    return { kind: 'try', slot, version }
  }

  /** The trial that stands: once more, or given up. */
  function tryAgain(schema: number | null): StartDecision | null {
    const at = state()
    if (at.trial === null || !opens(at.trial.slot, schema)) return null
    const { slot, version, why } = at.trial
    const next = nextTry(at, at.trial, time())
    write(next.state)
    if (next.kind === 'try') return { kind: 'try', slot, version }
    return { kind: 'self', wentBack: { version, why: why ?? 'killed' } }
  }

  return {
    root,
    folder,
    platform,
    folderOf,
    stagingOf,
    state,
    trusted: () => trustedIn(trust()),
    standing,
    versionIn,

    /**
     * The first lines of a start, with the data folder locked: whether the program in `own` goes on, or gives the other
     * slot's a try, which is counted before this returns. `schema`: of the database; null: there is none yet.
     */
    async decideStart(own: SlotName, schema: number | null): Promise<StartDecision> {
      if (own !== state().good) return { kind: 'self', wentBack: null }
      const decided = tryAgain(schema) ?? (await tryBefore(schema)) ?? (await tryPending(schema))
      return decided ?? { kind: 'self', wentBack: null }
    },

    /** A try that was watched has failed: `again`, or the good one goes on. Its program has ended. */
    noteFailure(why: WhyRefused): void {
      change((at) => (at.trial === null ? at : { ...at, trial: { ...at.trial, why } }))
    },

    /**
     * It came up and was ended in order before it was the good one, as at a store's closing: no try of its. `byItself`:
     * nobody asked for it from outside, as where its window is closed, by a person or by a fault of its own.
     */
    forgetTry({ byItself }: { readonly byItself: boolean }): void {
      change((at) => {
        if (at.trial === null) return at
        const trial = { ...at.trial, starts: Math.max(0, at.trial.starts - 1) }
        return { ...at, trial: byItself ? { ...trial, closings: trial.closings + 1, why: 'ended' } : trial }
      })
    },

    /** The backend of the program in `own` is ready. */
    began(own: SlotName): void {
      change((at) => (at.trial?.slot === own ? { ...at, trial: { ...at.trial, began: at.trial.began + 1 } } : at))
    },

    /** It has served: the good one from now on. False: it was none on trial. */
    confirm(own: SlotName): boolean {
      const at = state()
      if (at.trial?.slot !== own) return false
      write(confirmed(at, at.trial, time()))
      return true
    },

    /** Gives a trial up at once, as on an installer's word. */
    giveUp(why: WhyRefused): void {
      change((at) => (at.trial === null ? at : giveUp(at, at.trial, why, time())))
    },

    /** What was fetched stands whole in `stagingOf(otherSlot(good))`. */
    fetched(version: string, from: string | null = null): void {
      change((at) => ({ ...at, pending: { version, since: time(), isArmed: false, from } }))
    },

    /** A version that cannot be put on this lane at all. */
    failed(version: string, why: WhyRefused): void {
      change((at) => failed(at, version, versionIn(at.good) ?? '0.0.0', why, time()))
    },

    /**
     * What waits is not to be taken any more: its release was halted, or there is a newer one. What was ordered of it
     * is over: it would let another version in, some day, without a closing.
     */
    dropPending(): void {
      const order = readOrder(folder)
      if (order?.kind === 'now' || order?.kind === 'tonight') dropOrder(folder, order)
      change((at) => (at.pending === null ? at : { ...at, pending: null }))
    },

    /** Whether the next start tries what waits: the lane is closed and idle. */
    arm(isArmed: boolean): void {
      change((at) =>
        at.pending === null || at.pending.isArmed === isArmed ? at : { ...at, pending: { ...at.pending, isArmed } },
      )
    },

    seen(sequence: number): void {
      change((at) => (sequence > at.sequence ? { ...at, sequence } : at))
    },

    /** These were told to the controller. */
    told(outcomes: SlotsState['outcomes']): void {
      const sent = new Set(outcomes.map((each) => JSON.stringify(each)))
      change((at) => ({ ...at, outcomes: at.outcomes.filter((each) => !sent.has(JSON.stringify(each))) }))
    },

    /** What no start can need any more. While nothing is on trial. */
    clear(): void {
      const at = state()
      if (at.trial !== null) return
      const other = otherSlot(at.good)
      const parts = readdirSync(folder).filter((name) => /^[ab]\.new\.\d+\.part$/.test(name))
      for (const name of ['a.old', 'b.old', `${at.good}.new`, ...parts])
        rmSync(path.join(folder, name), { recursive: true, force: true })
      // A version that was refused goes with its time; what `back` would go to stays.
      const stands = versionIn(other)
      if (stands !== null && at.before?.version !== stands && at.pending?.version !== stands)
        rmSync(folderOf(other), { recursive: true, force: true })
    },
  }
}
