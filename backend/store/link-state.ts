import { EventEmitter } from 'node:events'
import type { z } from 'zod'
import type { LaneHealth } from '../../contracts/store/protocol.ts'
import type { StoreState } from '../../contracts/store/status.ts'
import { type Ctx, provided } from '../core/context.ts'
import { type Asked, type StoreChannel, createBackOff, createReadAnswer } from './channel.ts'
import type { FactsRepository } from './facts.sql.ts'
import type { ForeignGroups } from './foreign-facts.ts'
import type { createLease } from './lease.ts'
import type { createRegisters } from './registers.ts'
import type { StoreKey } from './store-seal.ts'

/** Nothing at the checkout waits longer for the store, once; then the lane goes on alone (DESIGN section 8). */
export const ASK_MS = 300

/** What the lane says of itself with each heartbeat. */
export type LaneSays = () => Omit<LaneHealth, 'untold'>

interface LinkEvents {
  changed: [state: StoreState]
  /** The server was reached after it was not: whatever was left undecided with it can be asked now. */
  reached: []
  /** The server has everything that was closed here. */
  told: []
  /** Its database came back from a backup, and it asks whether this lane has told everything. */
  awaited: []
  /** What time it is at the server, epoch ms; with every answer that says it. */
  time: [at: number]
  /** The server sent the authority (PEM) of its store over a connection that was verified. */
  authority: [pem: string]
  /** Somebody reads at the server what this lane counts; with every heartbeat. */
  scraped: []
  /** Held sales of the store have changed. */
  holds: []
}

/** The connection to the store's server, and how it stands. */
export interface Link {
  /** Null: this lane has no store server. */
  readonly channel: StoreChannel | null
  /** Of the manager's pages, with connections of their own: null as well. */
  readonly pages: StoreChannel | null
  readonly version: string
  readonly facts: FactsRepository
  readonly foreign: ForeignGroups
  readonly key: StoreKey
  readonly lease: ReturnType<typeof createLease>
  readonly registers: ReturnType<typeof createRegisters>
  readonly read: ReturnType<typeof createReadAnswer>
  readonly backOff: ReturnType<typeof createBackOff>
  readonly events: EventEmitter<LinkEvents>
  readonly ending: AbortController
  /** The version of the held sales that the server named last; null: it names none. */
  holds: string | null
  /** The number of the greeting that the heartbeats belong to. */
  session: number | undefined
  /** Why the last greeting was refused. */
  why: StoreState['why']
  state: StoreState
  wake: () => void
  running: Promise<void>
  health: LaneSays
}

export const linkOf = provided<Link>('the link to the store')

export const newLink = (
  ctx: Ctx,
  parts: Pick<Link, 'channel' | 'pages' | 'version' | 'facts' | 'foreign' | 'key' | 'lease' | 'registers'>,
): Link => ({
  ...parts,
  read: createReadAnswer(ctx.log),
  backOff: createBackOff(ctx),
  events: new EventEmitter<LinkEvents>(),
  ending: new AbortController(),
  holds: null,
  session: undefined,
  why: null,
  state: { kind: parts.channel === null ? 'none' : 'away', since: ctx.clock.now(), why: null, untold: 0, aside: 0 },
  wake: () => undefined,
  running: Promise.resolve(),
  health: () => {
    throw new Error('the link has not been started')
  },
})

export function become(ctx: Ctx, kind: StoreState['kind']): void {
  const link = linkOf(ctx)
  const { state, why } = link
  const next = { kind, why, untold: link.facts.untold(), aside: link.foreign.aside() }
  if (kind === state.kind && why === state.why && next.untold === state.untold && next.aside === state.aside) return
  if (next.kind !== state.kind) ctx.log.info({ from: state.kind, to: kind }, 'the store is another way reachable')
  link.state = { ...next, since: next.kind === state.kind ? state.since : ctx.clock.now() }
  link.events.emit('changed', link.state)
}

/** One question to the server. */
export async function call<T>(
  ctx: Ctx,
  path: string,
  body: unknown,
  schema: z.ZodType<T>,
  ms: number,
  signal?: AbortSignal,
): Promise<Asked<T> & { ms?: number }> {
  const { channel, read, lease } = linkOf(ctx)
  if (channel === null) throw new Error('this lane has no store server')
  const heard = read(path, await channel.post(path, body, ms, signal), schema)
  if (heard.kind === 'refused' && heard.why === 'token') lease.end()
  return heard
}
