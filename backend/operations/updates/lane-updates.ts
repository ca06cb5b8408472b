import { type Checked, checkForUpdate } from '../../../packages/delivery/updates/check.ts'
import type { Source } from '../../../packages/delivery/updates/ask.ts'
import type { Progress } from '../../../packages/delivery/updates/fetch-program.ts'
import { dropOrder, isHeldAt, readCheck, readOrder } from '../../../packages/delivery/updates/get.ts'
import { sendReports } from '../../../packages/delivery/updates/send-reports.ts'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { openShelf } from '../../../packages/delivery/shelf.ts'
import { ownTrust } from '../../../packages/delivery/trust.ts'
import { lanesBeside } from '../../../packages/delivery/updates/beside.ts'
import { placeOf, platformIn } from '../../../packages/delivery/updates/program-files.ts'
import { type Slots, openSlots } from '../../../packages/delivery/updates/slots.ts'
import type { SlotName } from '../../../packages/delivery/updates/slots-state.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { onStart } from '../../core/lifecycle.ts'
import { sessionsOf } from '../../core/http/sessions.ts'
import { programOf } from '../../core/program/lane-program.ts'
import { laneStoreOf } from '../enrolment/lane-store.ts'
import { updateSource } from './update-source.ts'

/** How long a new program serves before it is the good one. */
const SERVED_MS = 30_000
const LOOK_MS = 30_000
const FIRST_CHECK_MS = 120_000
const CHECK_MS = 3_600_000
/** A look that is older may not know that a version was halted: most lanes of a wave close in the same hours. */
const FRESH_MS = 600_000
const USUAL: ReadonlySet<Checked['kind']> = new Set(['newest', 'waiting', 'on-trial', 'held-back'])

/** What the lane looks for, fetches and waits with, for whoever looks. */
export interface UpdateActivity {
  readonly fetching: ({ readonly version: string } & Progress) | null
  readonly checked: (Looked & { readonly at: number }) | null
}

/** `not-written`: the program's folder takes nothing, as where root has installed it. */
export type Looked = Checked | { readonly kind: 'not-written' }

const isOfDisk = (error: unknown): boolean => error instanceof Error && 'syscall' in error

/** The updates of an installed lane, beside its sales. */
export class LaneUpdates {
  readonly slots: Slots
  readonly #ctx: Ctx
  readonly #own: SlotName
  readonly #beside: () => readonly string[]
  /** Where releases are published; null: nowhere, and what was fetched by a command is applied all the same. */
  readonly #source: Omit<Source, 'signal'> | null
  readonly #lane: { readonly store: string; readonly lane: string }
  readonly #gate: UpdateGate
  readonly #ended = new AbortController()
  readonly #waits = new Map<string, () => void>()
  #activity: UpdateActivity = { fetching: null, checked: null }
  #isChecking = false
  #lookedAt = -Infinity
  #reported = Promise.resolve()

  constructor(ctx: Ctx, { slots, own, beside = () => [] }: LaneSlots) {
    this.slots = slots
    this.#ctx = ctx
    this.#own = own
    this.#beside = beside
    this.#source = updateSource(ctx.profile.updates.url, laneStoreOf(ctx).device())
    this.#lane = { store: ctx.profile.store.id, lane: ctx.lane.id }
    this.#gate = createUpdateGate(ctx)
  }

  /** When the backend is ready. */
  start(): void {
    this.slots.began(this.#own)
    // What was armed was for this start, which has come to another program: by now the lane may be selling.
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

  /** Never rejects: what came of it is told by `activity`, and logged. */
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
      log[USUAL.has(checked.kind) ? 'info' : 'warn']({ checked }, 'looked for a new program')
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

  /** The program is ended in order: the next start tries what waits, where the lane was closed. */
  stop(): void {
    this.#ended.abort()
    for (const callOff of this.#waits.values()) callOff()
    this.#guarded(() => {
      const { trial, pending } = this.slots.state()
      const isByOrder = pending?.isArmed === true
      if (trial === null && !isByOrder) this.slots.arm(!this.#isHeld() && this.#gate.isClosedAtEnd())
    })
  }

  #now(): Date {
    return new Date(this.#ctx.clock.now())
  }

  #later(what: string, ms: number, work: () => void): void {
    this.#waits.set(
      what,
      this.#ctx.clock.after(ms, () => {
        this.#guarded(work)
      }),
    )
  }

  #guarded(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#ctx.log.error({ err: error }, 'the updates of this lane could not be looked after')
    }
  }

  #confirm(): void {
    // After a storage error this program is not the good one.
    if (this.#ctx.outbox.failStop.reason !== null) return
    // Once more where the disk refuses it: whoever watches would end a program that serves.
    this.#later('served', SERVED_MS, () => {
      this.#confirm()
    })
    if (this.slots.confirm(this.#own))
      this.#ctx.log.info({ version: this.slots.versionIn(this.#own) }, 'the new program has served and stays')
    this.#waits.get('served')?.()
    // What is being fetched is not in the way.
    if (!this.#isChecking && !this.#isShared()) this.slots.clear()
    void this.#report()
  }

  /** One at a time: nothing is told twice. Never rejects. */
  #report(): Promise<void> {
    const source = this.#source
    this.#reported = this.#reported.then(async () => {
      try {
        if (source !== null) await sendReports(this.slots, { ...source, signal: this.#ended.signal }, this.#lane)
      } catch (error) {
        // What was told is told once more: the other end counts it once.
        this.#ctx.log.error({ err: error }, 'it could not be noted that an update was reported')
      }
    })
    return this.#reported
  }

  /** Whether an end of this program now would let the next start try another one. */
  #isDue(): boolean {
    const gate = this.#gate
    const { pending, before, trial } = this.slots.state()
    const order = readOrder(this.slots.folder)
    if (trial !== null || this.#isShared()) return false
    // The version before stands here already: a place that answers slowly is not waited for.
    if (order?.kind === 'back') return before !== null && gate.isIdle()
    if (this.#isChecking || pending === null) return false
    if (order?.kind === 'now') return gate.isIdle()
    return !this.#isHeld() && this.#activity.checked?.kind !== 'held-back' && gate.isClosed()
  }

  /** Whether it is to be seen first that the version may still be taken. An installer’s word waits for nothing. */
  #isStale(): boolean {
    const order = readOrder(this.slots.folder)
    const isByHand = order?.kind === 'now' || order?.kind === 'back'
    return this.#source !== null && !isByHand && Math.abs(this.#ctx.clock.now() - this.#lookedAt) > FRESH_MS
  }

  #isHeld(): boolean {
    return isHeldAt(readOrder(this.slots.folder), this.#now())
  }

  #isShared(): boolean {
    return this.#beside().length > 0
  }

  #look(): void {
    // Before all else: a disk that refuses a note ends this look and no later one.
    this.#later('look', LOOK_MS, () => {
      this.#look()
    })
    const order = readCheck(this.slots.folder)
    if (order !== null) {
      dropOrder(this.slots.folder, order)
      void this.check()
    }
    if (!this.#isDue()) return
    if (this.#isStale()) void this.check()
    else {
      this.#ctx.log.info('another version of the program is due: the lane starts again')
      this.slots.arm(true)
      this.#waits.get('look')?.()
      programOf(this.#ctx).restartForUpdate?.()
    }
  }

  /** Every lane at its own time: no two thousand ask in the same second. */
  #checkByTheHour(ms: number): void {
    this.#later('check', ms * (0.5 + this.#ctx.rng.fraction()), () => {
      void this.check()
      this.#checkByTheHour(CHECK_MS)
    })
  }
}

export interface LaneSlots {
  readonly slots: Slots
  /** Of this program. */
  readonly own: SlotName
  /** Data folders of other lanes that run from the same slots: meanwhile nothing is fetched, and none is tried. */
  readonly beside?: () => readonly string[]
}

/**
 * The slots of the installed program that this backend is a part of, and whom it believes. Null in a checkout, and
 * where an installer has left no keys: nothing is updated there.
 */
export function findLaneSlots(programFolder: string, dataFolder: string, now: () => Date): LaneSlots | null {
  const place = placeOf(programFolder)
  const platform = place && platformIn(path.join(place.root, 'slots', place.slot))
  if (place === null || platform === null) return null
  const first = [path.join(place.root, 'store'), path.join(programFolder, 'store')]
    .map((folder) => path.join(folder, 'trust.keys'))
    .find((file) => existsSync(file))
  const list = first === undefined ? null : ownTrust(readFileSync(first))
  if (list === null) return null
  const { trust } = openShelf(dataFolder, list)
  const slots = openSlots({ root: place.root, platform, trust, now })
  return { slots, own: place.slot, beside: () => lanesBeside(slots.folder, dataFolder) }
}

/** Somebody is served, or money or miles have an outcome still to come. A sale on hold has nobody who waits. */
const SERVED = [
  "SELECT 1 FROM sale WHERE state = 'open' AND held_at IS NULL LIMIT 1",
  "SELECT 1 FROM operation WHERE open = 1 AND kind = 'redemption' AND state IN ('intent', 'retry') LIMIT 1",
  "SELECT 1 FROM card_transaction WHERE state IN ('asked', 'unknown') LIMIT 1",
]
/** A drawer that is counted, or still has to be. */
const OPEN_SHIFT = 'SELECT 1 FROM shift WHERE closed_at IS NULL LIMIT 1'
/** A start signs everybody out and forgets what was typed. */
const QUIET_MS = 60_000

type UpdateGate = ReturnType<typeof createUpdateGate>

/** When a new program may take this one's place. */
function createUpdateGate(ctx: Ctx) {
  const { db, outbox } = ctx
  /** How long nobody who is signed in has done anything; Infinity where nobody is. */
  const quietMs = (): number => sessionsOf(ctx).quietMs()
  const served = SERVED.map((sql) => db.prepare(sql))
  const shift = db.prepare(OPEN_SHIFT)
  const isBetweenCustomers = (): boolean =>
    outbox.collectorMutex.idle() && served.every((statement) => statement.get() === undefined)

  return {
    /** Nobody would notice, as an installer wants it: a drawer may be open. */
    isIdle: (): boolean => quietMs() >= QUIET_MS && isBetweenCustomers(),
    /** The day is over here: nobody is signed in, and no drawer is open. */
    isClosed: (): boolean => quietMs() === Infinity && shift.get() === undefined && isBetweenCustomers(),
    /** As above, while the program is being ended: whoever was signed in has gone with it. */
    isClosedAtEnd: (): boolean => shift.get() === undefined && isBetweenCustomers(),
  }
}

/** Where this program is an installed one that updates itself; null where it is not. */
export const laneSlotsOf = perLane((): LaneSlots | null => null)

/** The updates of the lane; null where the program is no installed one. */
export const updatesOf = perLane((ctx) => {
  const slots = laneSlotsOf(ctx)
  if (slots === null) return null
  const updates = new LaneUpdates(ctx, slots)
  onStart(ctx, () => updates.start())
  return updates
})
