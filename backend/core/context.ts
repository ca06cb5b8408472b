import type { TerminalEvent } from '../../contracts/core/events.ts'
import type { LaneSettings, Profile } from '../../contracts/core/profile.ts'
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
 * Context that every component of a lane works with. The type is closed: a feature adds no fields but stores its state
 * in a component of its own (`perLane`).
 */
export interface Ctx {
  readonly db: Database
  readonly transact: Transact
  readonly outbox: Outbox
  readonly seal: Seal
  readonly audit: AuditTrail
  readonly clock: Clock
  readonly rng: Rng
  readonly log: Logger
  readonly profile: Profile
  readonly lane: LaneSettings
  /**
   * Sends an event to the windows after the open transaction commits, or at once when none is open. `stream`: only to
   * this window.
   */
  readonly publish: (event: TerminalEvent, stream?: string) => void
  readonly signedIn: () => Staff | null
  readonly staffName: (id: string) => string
}

export interface LaneComponent<Component> {
  (ctx: Ctx): Component
  readonly provide: (ctx: Ctx, component: Component) => void
}

/** Declares a component with state or prepared statements: created at first use, once per lane. */
export function perLane<Component>(make: (ctx: Ctx) => Component): LaneComponent<Component> {
  const components = new WeakMap<Ctx, { readonly component: Component }>()
  const componentOf = (ctx: Ctx): Component => {
    const made = components.get(ctx)
    if (made) return made.component
    const component = make(ctx)
    components.set(ctx, { component })
    return component
  }
  return Object.assign(componentOf, {
    provide: (ctx: Ctx, component: Component): void => {
      components.set(ctx, { component })
    },
  })
}

type Bound<Functions> = {
  readonly [Name in keyof Functions]: Functions[Name] extends (first: never, ...rest: infer Rest) => infer Result
    ? (...rest: Rest) => Result
    : never
}

export function bound<First, Functions extends Readonly<Record<string, (first: First, ...rest: never[]) => unknown>>>(
  first: First,
  functions: Functions,
): Bound<Functions> {
  const entries = Object.entries(functions).map(([name, run]) => [name, (...rest: never[]) => run(first, ...rest)])
  return Object.fromEntries(entries) as Bound<Functions>
}

/**
 * Declares a component that is created when the lane opens, such as its devices. Using it earlier is a programming
 * error.
 */
export const provided = <Component>(name: string): LaneComponent<Component> =>
  perLane((): Component => {
    throw new Error(`${name} is not open yet`)
  })

/** Notifies the metrics when a list of limited length drops entries, with their kind and number. */
export const droppedOf = perLane(() => new EventEmitter<{ dropped: [what: Dropped, count: number] }>())

export const publishAfterCommit =
  (transact: Transact, publish: Ctx['publish']): Ctx['publish'] =>
  (event, stream) => {
    transact.afterCommit(() => {
      publish(event, stream)
    })
  }
