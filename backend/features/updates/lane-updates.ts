import { checkForUpdate, type Checked } from '../../../delivery/updates/check.ts'
import type { Source } from '../../../delivery/updates/ask.ts'
import type { Progress } from '../../../delivery/updates/fetch-program.ts'
import { dropOrder, isHeldAt, readCheck, readOrder } from '../../../delivery/updates/order.ts'
import { sendReports } from '../../../delivery/updates/send-reports.ts'
import type { Clock, Rng } from '../../clock.ts'
import type { Logger } from '../../log.ts'
import type { LaneSlots } from './lane-slots.ts'
import type { UpdateGate } from './update-gate.ts'

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
export type LaneUpdates = ReturnType<typeof createLaneUpdates>
