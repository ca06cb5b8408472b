import type { TerminalEvent } from '../../contracts/core/events.ts'
import type { Lane, Profile } from '../../contracts/core/profile.ts'
import type { Staff } from '../../contracts/staff/session.ts'
import type { AuditTrail } from './audit.ts'
import type { Clock, Rng } from './clock.ts'
import type { Database } from './db/database.ts'
import type { Transact } from './db/transact.ts'
import type { Seal } from './integrity/seal.ts'
import type { Logger } from './log.ts'
import type { Outbox } from './outbox/outbox.ts'
import { EventEmitter } from 'node:events'
import type { Dropped } from '../../contracts/operations/lane-metrics.ts'

/**
 * What every part of a lane works with. The type is closed: a feature adds no field. What a feature keeps for itself is
 * a part of its own (`perLane`).
 */
export interface Ctx {
  readonly db: Database
  /** One IMMEDIATE transaction; see `Transact`. */
  readonly transact: Transact
  readonly outbox: Outbox
  /** Seals and hashes collector numbers and other secrets. */
  readonly seal: Seal
  readonly audit: AuditTrail
  readonly clock: Clock
  readonly rng: Rng
  readonly log: Logger
  /** The profile with the settings that are in force now. */
  readonly profile: Profile
  readonly lane: Lane
  /**
   * Informs the windows once the open transaction is on the disk, or at once outside of one. `stream` names a single
   * window.
   */
  readonly publish: (event: TerminalEvent, stream?: string) => void
  readonly signedIn: () => Staff | null
  /** The name of a member of staff, also of one who has left. */
  readonly staffName: (id: string) => string
}

/** A part of the lane: the same one for every caller with the same context. */
export interface LanePart<Part> {
  (ctx: Ctx): Part
  /** Takes this in place of the part that would be made. Call it before the part is first used. */
  readonly provide: (ctx: Ctx, part: Part) => void
}

/**
 * A part that has state of its own, or statements that are prepared once: made when it is first asked for, once for
 * each lane.
 */
export function perLane<Part>(make: (ctx: Ctx) => Part): LanePart<Part> {
  const parts = new WeakMap<Ctx, { readonly part: Part }>()
  const partOf = (ctx: Ctx): Part => {
    const made = parts.get(ctx)
    if (made) return made.part
    const part = make(ctx)
    parts.set(ctx, { part })
    return part
  }
  return Object.assign(partOf, {
    provide: (ctx: Ctx, part: Part): void => {
      parts.set(ctx, { part })
    },
  })
}

type Bound<Functions> = {
  readonly [Name in keyof Functions]: Functions[Name] extends (first: never, ...rest: infer Rest) => infer Result
    ? (...rest: Rest) => Result
    : never
}

/** These functions of a feature as a part: each takes the context, or what stands in its place, first. */
export function bound<First, Functions extends Readonly<Record<string, (first: First, ...rest: never[]) => unknown>>>(
  first: First,
  functions: Functions,
): Bound<Functions> {
  const entries = Object.entries(functions).map(([name, run]) => [name, (...rest: never[]) => run(first, ...rest)])
  return Object.fromEntries(entries) as Bound<Functions>
}

/** A part that is opened with the lane, such as its devices. Asking for it earlier is a mistake in the program. */
export const provided = <Part>(name: string): LanePart<Part> =>
  perLane((): Part => {
    throw new Error(`${name} is not open yet`)
  })

/** Emits each time a bounded list drops entries, for the metrics. */
export const droppedOf = perLane(() => new EventEmitter<{ dropped: [what: Dropped, count: number] }>())

/** Tells of an event once the open transaction is on the disk, so that no window shows what is not. */
export const tellAfterCommit =
  (transact: Transact, tell: Ctx['publish']): Ctx['publish'] =>
  (event, stream) => {
    transact.afterCommit(() => {
      tell(event, stream)
    })
  }
