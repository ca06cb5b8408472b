import { EventEmitter } from 'node:events'
import type { z } from 'zod'
import type { LaneHealth } from '../../contracts/store/protocol.ts'
import type { StoreState } from '../../contracts/store/status.ts'
import { type Ctx, provided } from '../core/context.ts'
import { type StoreResult, type StoreChannel, createBackOff, createReadAnswer } from './channel.ts'
import type { FactsRepository } from './facts.sql.ts'
import type { ForeignGroups } from './foreign-facts.ts'
import type { createLease } from './lease.ts'
import type { createRegisters } from './registers.ts'
import type { StoreKey } from './store-seal.ts'

/** Maximum time in ms for which the checkout waits for the store server, once; then the lane works alone. */
export const REQUEST_MS = 300

export type LaneHealthSource = () => Omit<LaneHealth, 'untold'>

interface LinkEvents {
  changed: [state: StoreState]
  /** The server can be reached again: requests without a known outcome are then repeated. */
  reached: []
  confirmed: []
  awaited: []
  /** Server time in epoch ms, for every answer that has it. */
  time: [at: number]
  authority: [pem: string]
  /** Emitted with each heartbeat while a client reads this lane's metrics at the server. */
  scraped: []
  holds: []
}

export interface Link {
  readonly channel: StoreChannel | null
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
  holds: string | null
  session: number | undefined
  why: StoreState['why']
  state: StoreState
  wake: () => void
  running: Promise<void>
  health: LaneHealthSource
}

export const linkOf = provided<Link>('the link to the store')

export const newLink = (
  ctx: Ctx,
  components: Pick<Link, 'channel' | 'pages' | 'version' | 'facts' | 'foreign' | 'key' | 'lease' | 'registers'>,
): Link => ({
  ...components,
  read: createReadAnswer(ctx.log),
  backOff: createBackOff(ctx),
  events: new EventEmitter<LinkEvents>(),
  ending: new AbortController(),
  holds: null,
  session: undefined,
  why: null,
  state: {
    kind: components.channel === null ? 'none' : 'away',
    since: ctx.clock.now(),
    why: null,
    untold: 0,
    aside: 0,
  },
  wake: () => undefined,
  running: Promise.resolve(),
  health: () => {
    throw new Error('the link has not been started')
  },
})

export function setState(ctx: Ctx, kind: StoreState['kind']): void {
  const link = linkOf(ctx)
  const { state, why } = link
  const next = { kind, why, untold: link.facts.unconfirmed(), aside: link.foreign.skipped() }
  if (kind === state.kind && why === state.why && next.untold === state.untold && next.aside === state.aside) return
  if (next.kind !== state.kind) ctx.log.info({ from: state.kind, to: kind }, 'the connection to the store changed')
  link.state = { ...next, since: next.kind === state.kind ? state.since : ctx.clock.now() }
  link.events.emit('changed', link.state)
}

export async function call<T>(
  ctx: Ctx,
  path: string,
  body: unknown,
  schema: z.ZodType<T>,
  ms: number,
  signal?: AbortSignal,
): Promise<StoreResult<T> & { ms?: number }> {
  const { channel, read, lease } = linkOf(ctx)
  if (channel === null) throw new Error('this lane has no store server')
  const result = read(path, await channel.post(path, body, ms, signal), schema)
  if (result.kind === 'refused' && result.why === 'token') lease.end()
  return result
}
