import { type Checked, checkForUpdate } from '../../../packages/delivery/updates/check.ts'
import type { Source } from '../../../packages/delivery/updates/ask.ts'
import type { Progress } from '../../../packages/delivery/updates/fetch-program.ts'
import { dropOrder, isHeldAt, readCheck, readOrder } from '../../../packages/delivery/updates/get.ts'
import { sendReports } from '../../../packages/delivery/updates/send-reports.ts'
import type { Clock, Rng } from '../../core/clock.ts'
import type { Logger } from '../../core/log.ts'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { openShelf } from '../../../packages/delivery/shelf.ts'
import { ownTrust } from '../../../packages/delivery/trust.ts'
import { lanesBeside } from '../../../packages/delivery/updates/beside.ts'
import { placeOf, platformIn } from '../../../packages/delivery/updates/program-files.ts'
import { type Slots, openSlots } from '../../../packages/delivery/updates/slots.ts'
import type { SlotName } from '../../../packages/delivery/updates/slots-state.ts'
import type { Database } from '../../core/db/database.ts'
import { perLane } from '../../core/context.ts'
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

export interface LaneUpdatesOptions extends LaneSlots {
  /** Where releases are published; null: nowhere, and what was fetched by a command is applied all the same. */
  readonly source: Omit<Source, 'signal'> | null
  readonly lane: { readonly store: string; readonly lane: string }
  /** Schema of the database. */
  readonly schema: number
  readonly gate: UpdateGate
  /** False after a storage error: such a program is not the good one. */
  readonly isSound: () => boolean
  /** Ends the program in order; whoever started it starts it again, and that start decides. */
  readonly restart: () => void
  readonly clock: Clock
  readonly rng: Pick<Rng, 'fraction'>
  readonly log: Logger
}

/** What the lane looks for, fetches and waits with, for whoever looks. */
export interface UpdateActivity {
  readonly fetching: ({ readonly version: string } & Progress) | null
  readonly checked: (Looked & { readonly at: number }) | null
}

/** `not-written`: the program's folder takes nothing, as where root has installed it. */
export type Looked = Checked | { readonly kind: 'not-written' }

const isOfDisk = (error: unknown): boolean => error instanceof Error && 'syscall' in error

/** The updates of an installed lane, beside its sales. */
export function createLaneUpdates(options: LaneUpdatesOptions) {
  const { slots, own, source, lane, schema, gate, isSound, clock, rng, log } = options
  const ended = new AbortController()
  const waits = new Map<string, () => void>()
  let activity: UpdateActivity = { fetching: null, checked: null }
  let isChecking = false
  let lookedAt = -Infinity
  let telling = Promise.resolve()

  const now = (): Date => new Date(clock.now())
  /** Every lane at its own time: no two thousand ask in the same second. */
  const spread = (ms: number): number => ms * (0.5 + rng.fraction())
  function later(what: string, ms: number, work: () => void): void {
    waits.set(what, clock.after(ms, guarded(work)))
  }
  const guarded = (work: () => void) => (): void => {
    try {
      work()
    } catch (error) {
      log.error({ err: error }, 'the updates of this lane could not be looked after')
    }
  }

  function confirm(): void {
    if (!isSound()) return
    // Once more where the disk refuses it: whoever watches would end a program that serves.
    later('served', SERVED_MS, confirm)
    if (slots.confirm(own)) log.info({ version: slots.versionIn(own) }, 'the new program has served and stays')
    waits.get('served')?.()
    // What is being fetched is not in the way.
    if (!isChecking && !isShared()) slots.clear()
    void report()
  }

  /** One at a time: nothing is told twice. Never rejects. */
  function report(): Promise<void> {
    telling = telling.then(async () => {
      try {
        if (source !== null) await sendReports(slots, { ...source, signal: ended.signal }, lane)
      } catch (error) {
        // What was told is told once more: the other end counts it once.
        log.error({ err: error }, 'it could not be noted that an update was reported')
      }
    })
    return telling
  }

  /** Never rejects: what came of it is told by `activity`, and logged. */
  async function check(): Promise<void> {
    if (source === null || isChecking || ended.signal.aborted || isShared()) return
    isChecking = true
    try {
      const checked = await checkForUpdate({
        slots,
        own,
        lane: { ...lane, schema },
        source: { ...source, signal: ended.signal },
        now,
        onProgress: (version, progress) => (activity = { ...activity, fetching: { version, ...progress } }),
      })
      activity = { fetching: null, checked: { ...checked, at: clock.now() } }
      const isUsual = USUAL.has(checked.kind)
      log[isUsual ? 'info' : 'warn']({ checked }, 'looked for a new program')
      await report()
    } catch (error) {
      const checked = isOfDisk(error) ? ({ kind: 'not-written', at: clock.now() } as const) : activity.checked
      activity = { fetching: null, checked }
      if (!ended.signal.aborted) log.error({ err: error }, 'a new program could not be fetched')
    } finally {
      isChecking = false
      lookedAt = clock.now()
    }
  }

  /** Whether an end of this program now would let the next start try another one. */
  function isDue(): boolean {
    const { pending, before, trial } = slots.state()
    const order = readOrder(slots.folder)
    if (trial !== null || isShared()) return false
    // The version before stands here already: a place that answers slowly is not waited for.
    if (order?.kind === 'back') return before !== null && gate.isIdle()
    if (isChecking || pending === null) return false
    if (order?.kind === 'now') return gate.isIdle()
    return !isHeld() && activity.checked?.kind !== 'held-back' && gate.isClosed()
  }

  /** Whether it is to be seen first that the version may still be taken. An installer’s word waits for nothing. */
  function isStale(): boolean {
    const order = readOrder(slots.folder)
    const isByHand = order?.kind === 'now' || order?.kind === 'back'
    return source !== null && !isByHand && Math.abs(clock.now() - lookedAt) > FRESH_MS
  }

  const isHeld = (): boolean => isHeldAt(readOrder(slots.folder), now())
  const isShared = (): boolean => (options.beside?.() ?? []).length > 0

  function look(): void {
    // Before all else: a disk that refuses a note ends this look and no later one.
    later('look', LOOK_MS, look)
    const order = readCheck(slots.folder)
    if (order !== null) {
      dropOrder(slots.folder, order)
      void check()
    }
    if (isDue() && isStale()) {
      void check()
    } else if (isDue()) {
      log.info('another version of the program is due: the lane starts again')
      slots.arm(true)
      waits.get('look')?.()
      options.restart()
    }
  }

  function checkByTheHour(): void {
    void check()
    later('check', spread(CHECK_MS), checkByTheHour)
  }

  return {
    /** When the backend is ready. */
    start(): void {
      slots.began(own)
      // What was armed was for this start, which has come to another program: by now the lane may be selling.
      guarded(() => slots.arm(false))()
      later('served', SERVED_MS, confirm)
      later('look', LOOK_MS, look)
      later('check', spread(FIRST_CHECK_MS), checkByTheHour)
    },
    check,
    activity: () => activity,
    slots,
    /** The program is ended in order: the next start tries what waits, where the lane was closed. */
    stop(): void {
      ended.abort()
      for (const callOff of waits.values()) callOff()
      guarded(() => {
        const { trial, pending } = slots.state()
        const isByOrder = pending?.isArmed === true
        if (trial === null && !isByOrder) slots.arm(!isHeld() && gate.isClosedAtEnd())
      })()
    },
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

export interface UpdateGateOptions {
  readonly db: Database
  /** How long nobody who is signed in has done anything; Infinity where nobody is. */
  readonly quietMs: () => number
  /** No call to the program's services is on its way. */
  readonly isQueueIdle: () => boolean
}

export type UpdateGate = ReturnType<typeof createUpdateGate>

/** When a new program may take this one's place. */
export function createUpdateGate({ db, quietMs, isQueueIdle }: UpdateGateOptions) {
  const served = SERVED.map((sql) => db.prepare(sql))
  const shift = db.prepare(OPEN_SHIFT)
  const isBetweenCustomers = (): boolean => isQueueIdle() && served.every((statement) => statement.get() === undefined)

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
  const { db, profile, lane, outbox } = ctx
  const slots = laneSlotsOf(ctx)
  if (!slots) return null
  return createLaneUpdates({
    ...ctx,
    ...slots,
    source: updateSource(profile.updates.url, laneStoreOf(ctx).device()),
    lane: { store: profile.store.id, lane: lane.id },
    schema: Number(db.pragma('user_version', { simple: true })),
    gate: createUpdateGate({ db, quietMs: () => sessionsOf(ctx).quietMs(), isQueueIdle: outbox.collectorMutex.idle }),
    isSound: () => outbox.failStop.reason === null,
    restart: () => programOf(ctx).restartForUpdate?.(),
  })
})
