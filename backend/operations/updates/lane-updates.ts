import { type Checked, checkForUpdate } from '../../../packages/delivery/updates/check.ts'
import type { Source } from '../../../packages/delivery/updates/request.ts'
import type { Progress } from '../../../packages/delivery/updates/fetch-program.ts'
import {
  dropUpdateInstruction,
  isHeldAt,
  readCheck,
  readUpdateInstruction,
} from '../../../packages/delivery/updates/get.ts'
import { sendReports } from '../../../packages/delivery/updates/send-reports.ts'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { openBundleStore } from '../../../packages/delivery/bundle-store.ts'
import { firstTrust } from '../../../packages/delivery/trust.ts'
import { otherLanes } from '../../../packages/delivery/updates/running.ts'
import { placeOf, platformIn } from '../../../packages/delivery/updates/program-files.ts'
import { type Slots, openSlots } from '../../../packages/delivery/updates/slots.ts'
import type { SlotName } from '../../../packages/delivery/updates/slots-state.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { onStart } from '../../core/lifecycle.ts'
import { sessionsOf } from '../../core/http/sessions.ts'
import { programOf } from '../../core/program/lane-program.ts'
import { laneStoreOf } from '../enrolment/lane-store.ts'
import { updateSource } from './update-source.ts'

/** Time in ms for which a new program must run until it is confirmed. */
const SERVED_MS = 30_000
const LOOK_MS = 30_000
const FIRST_CHECK_MS = 120_000
const CHECK_MS = 3_600_000
/**
 * Maximum age in ms of the last check before an installation: since an older one, the version may have been halted,
 * because most lanes of a wave close in the same hours.
 */
const FRESH_MS = 600_000
const USUAL: ReadonlySet<Checked['kind']> = new Set(['newest', 'waiting', 'on-trial', 'held-back'])

export interface UpdateActivity {
  readonly fetching: ({ readonly version: string } & Progress) | null
  readonly checked: (CheckResult & { readonly at: number }) | null
}

/** Result of a check. `not-written`: the program's folder is not writable, for example because root installed it. */
export type CheckResult = Checked | { readonly kind: 'not-written' }

const isOfDisk = (error: unknown): boolean => error instanceof Error && 'syscall' in error

export class LaneUpdates {
  readonly slots: Slots
  readonly #ctx: Ctx
  readonly #own: SlotName
  readonly #otherLanes: () => readonly string[]
  /** Release server; null for a lane without one: a version that a CLI command fetched is still installed. */
  readonly #source: Omit<Source, 'signal'> | null
  readonly #lane: { readonly store: string; readonly lane: string }
  readonly #gate: UpdateGate
  readonly #ended = new AbortController()
  readonly #waits = new Map<string, () => void>()
  #activity: UpdateActivity = { fetching: null, checked: null }
  #isChecking = false
  #lookedAt = -Infinity
  #reported = Promise.resolve()

  constructor(ctx: Ctx, { slots, own, otherLanes = () => [] }: LaneSlots) {
    this.slots = slots
    this.#ctx = ctx
    this.#own = own
    this.#otherLanes = otherLanes
    this.#source = updateSource(ctx.profile.updates.url, laneStoreOf(ctx).device())
    this.#lane = { store: ctx.profile.store.id, lane: ctx.lane.id }
    this.#gate = createUpdateGate(ctx)
  }

  start(): void {
    this.slots.noteReady(this.#own)
    // A version that this start did not try must not be tried while the lane sells.
    this.#guarded(() => this.slots.arm(false))
    this.#later('served', SERVED_MS, () => {
      this.#confirm()
    })
    this.#later('look', LOOK_MS, () => {
      this.#look()
    })
    this.#checkByTheHour(FIRST_CHECK_MS)
  }

  activity(): UpdateActivity {
    return this.#activity
  }

  /**
   * Asks the release server for another version, and fetches it. Never rejects: the result is in `activity` and in the
   * log.
   */
  async check(): Promise<void> {
    const { db, clock, log } = this.#ctx
    const { signal } = this.#ended
    const source = this.#source
    if (source === null || this.#isChecking || signal.aborted || this.#isShared()) return
    this.#isChecking = true
    try {
      const checked = await checkForUpdate({
        slots: this.slots,
        own: this.#own,
        lane: { ...this.#lane, schema: Number(db.pragma('user_version', { simple: true })) },
        source: { ...source, signal },
        now: () => this.#now(),
        onProgress: (version, progress) => (this.#activity = { ...this.#activity, fetching: { version, ...progress } }),
      })
      this.#activity = { fetching: null, checked: { ...checked, at: clock.now() } }
      log[USUAL.has(checked.kind) ? 'info' : 'warn']({ checked }, 'checked for a new program')
      await this.#report()
    } catch (error) {
      const checked = isOfDisk(error) ? ({ kind: 'not-written', at: clock.now() } as const) : this.#activity.checked
      this.#activity = { fetching: null, checked }
      if (!signal.aborted) log.error({ err: error }, 'a new program could not be fetched')
    } finally {
      this.#isChecking = false
      this.#lookedAt = clock.now()
    }
  }

  /** Called at the end of the program: if the lane is closed, the next start tries the pending version. */
  stop(): void {
    this.#ended.abort()
    for (const callOff of this.#waits.values()) callOff()
    this.#guarded(() => {
      const { trial, pending } = this.slots.state()
      const isRequested = pending?.isArmed === true
      if (trial === null && !isRequested) this.slots.arm(!this.#isHeld() && this.#gate.isClosedAtEnd())
    })
  }

  #now(): Date {
    return new Date(this.#ctx.clock.now())
  }

  #later(name: string, ms: number, work: () => void): void {
    this.#waits.set(
      name,
      this.#ctx.clock.after(ms, () => {
        this.#guarded(work)
      }),
    )
  }

  #guarded(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#ctx.log.error({ err: error }, 'updates of this lane failed')
    }
  }

  #confirm(): void {
    // A new program with failed storage must not be confirmed.
    if (this.#ctx.outbox.failStop.reason !== null) return
    // Schedule the next try before this one, which a disk error may end: without a confirmation the supervisor would go
    // back from a program that works.
    this.#later('served', SERVED_MS, () => {
      this.#confirm()
    })
    if (this.slots.confirm(this.#own))
      this.#ctx.log.info({ version: this.slots.versionIn(this.#own) }, 'the new program is confirmed')
    this.#waits.get('served')?.()
    // A version that is being downloaded is not deleted.
    if (!this.#isChecking && !this.#isShared()) this.slots.clear()
    void this.#report()
  }

  /** Sends one report at a time, so that simultaneous calls do not send one twice. Never rejects. */
  #report(): Promise<void> {
    const source = this.#source
    this.#reported = this.#reported.then(async () => {
      try {
        if (source !== null) await sendReports(this.slots, { ...source, signal: this.#ended.signal }, this.#lane)
      } catch (error) {
        // The report is then sent again, and the server counts it once.
        this.#ctx.log.error({ err: error }, 'the sent report of an update could not be recorded')
      }
    })
    return this.#reported
  }

  #isDue(): boolean {
    const gate = this.#gate
    const { pending, before, trial } = this.slots.state()
    const instruction = readUpdateInstruction(this.slots.folder)
    if (trial !== null || this.#isShared()) return false
    // The previous version is still installed, so that going back needs no answer of the release server.
    if (instruction?.kind === 'back') return before !== null && gate.isIdle()
    if (this.#isChecking || pending === null) return false
    if (instruction?.kind === 'now') return gate.isIdle()
    return !this.#isHeld() && this.#activity.checked?.kind !== 'held-back' && gate.isClosed()
  }

  /**
   * Whether the release server must be asked again before the installation. An order of an installer is not checked
   * again.
   */
  #isStale(): boolean {
    const instruction = readUpdateInstruction(this.slots.folder)
    const isManual = instruction?.kind === 'now' || instruction?.kind === 'back'
    return this.#source !== null && !isManual && Math.abs(this.#ctx.clock.now() - this.#lookedAt) > FRESH_MS
  }

  #isHeld(): boolean {
    return isHeldAt(readUpdateInstruction(this.slots.folder), this.#now())
  }

  #isShared(): boolean {
    return this.#otherLanes().length > 0
  }

  #look(): void {
    // Scheduled first, because a disk error may end this check.
    this.#later('look', LOOK_MS, () => {
      this.#look()
    })
    const instruction = readCheck(this.slots.folder)
    if (instruction !== null) {
      dropUpdateInstruction(this.slots.folder, instruction)
      void this.check()
    }
    if (!this.#isDue()) return
    if (this.#isStale()) void this.check()
    else {
      this.#ctx.log.info('restarting for another version of the program')
      this.slots.arm(true)
      this.#waits.get('look')?.()
      programOf(this.#ctx).restartForUpdate?.()
    }
  }

  /** Checks at random intervals, so that lanes do not ask in the same second. */
  #checkByTheHour(ms: number): void {
    this.#later('check', ms * (0.5 + this.#ctx.rng.fraction()), () => {
      void this.check()
      this.#checkByTheHour(CHECK_MS)
    })
  }
}

export interface LaneSlots {
  readonly slots: Slots
  readonly own: SlotName
  /**
   * Data folders of other lanes that use the same program slots. While there are any, no version is fetched or tried.
   */
  readonly otherLanes?: () => readonly string[]
}

/**
 * Finds the program slots of this backend, and its trusted keys. Null when it gets no updates: outside of an
 * installation, and without keys of an installer.
 */
export function findLaneSlots(programFolder: string, dataFolder: string, now: () => Date): LaneSlots | null {
  const place = placeOf(programFolder)
  const platform = place && platformIn(path.join(place.root, 'slots', place.slot))
  if (place === null || platform === null) return null
  const first = [path.join(place.root, 'store'), path.join(programFolder, 'store')]
    .map((folder) => path.join(folder, 'trust.keys'))
    .find((file) => existsSync(file))
  const list = first === undefined ? null : firstTrust(readFileSync(first))
  if (list === null) return null
  const { trust } = openBundleStore(dataFolder, list)
  const slots = openSlots({ root: place.root, platform, trust, now })
  return { slots, own: place.slot, otherLanes: () => otherLanes(slots.folder, dataFolder) }
}

/**
 * SQL for open work: a sale, or money or miles without an outcome. A held sale does not count, because no customer
 * waits for it.
 */
const SERVED = [
  "SELECT 1 FROM sale WHERE state = 'open' AND held_at IS NULL LIMIT 1",
  "SELECT 1 FROM operation WHERE open = 1 AND kind = 'redemption' AND state IN ('intent', 'retry') LIMIT 1",
  "SELECT 1 FROM card_transaction WHERE state IN ('asked', 'unknown') LIMIT 1",
]
const OPEN_SHIFT = 'SELECT 1 FROM shift WHERE closed_at IS NULL LIMIT 1'
const QUIET_MS = 60_000

type UpdateGate = ReturnType<typeof createUpdateGate>

function createUpdateGate(ctx: Ctx) {
  const { db, outbox } = ctx
  const quietMs = (): number => sessionsOf(ctx).quietMs()
  const served = SERVED.map((sql) => db.prepare(sql))
  const shift = db.prepare(OPEN_SHIFT)
  const isBetweenCustomers = (): boolean =>
    outbox.collectorMutex.idle() && served.every((statement) => statement.get() === undefined)

  return {
    isIdle: (): boolean => quietMs() >= QUIET_MS && isBetweenCustomers(),
    isClosed: (): boolean => quietMs() === Infinity && shift.get() === undefined && isBetweenCustomers(),
    isClosedAtEnd: (): boolean => shift.get() === undefined && isBetweenCustomers(),
  }
}

export const laneSlotsOf = perLane((): LaneSlots | null => null)

export const updatesOf = perLane((ctx) => {
  const slots = laneSlotsOf(ctx)
  if (slots === null) return null
  const updates = new LaneUpdates(ctx, slots)
  onStart(ctx, () => updates.start())
  return updates
})
