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

/** Maximum time in ms that the checkout waits for the store server, once; then the lane works alone. */
export const ASK_MS = 300

export type LaneHealthSource = () => Omit<LaneHealth, 'untold'>

interface LinkEvents {
  changed: [state: StoreState]
  /** Emitted when the server is reachable again: requests without a known outcome are then retried. */
  reached: []
  /** Emitted when the server has confirmed every fact of this lane. */
  confirmed: []
  /** Emitted when the server's database was restored, and the server asks whether this lane has pushed everything. */
  awaited: []
  /** Server time in epoch ms, emitted for every answer that has it. */
  time: [at: number]
  /** Emitted when the server sent the authority (PEM) of its store over a verified connection. */
  authority: [pem: string]
  /** Emitted with each heartbeat while a client scrapes this lane's metrics at the server. */
  scraped: []
  holds: []
}

export interface Link {
  /** Channel to the store server; null at a lane without one. */
  readonly channel: StoreChannel | null
  /** Channel for the manager's pages, with its own connections; null at a lane without a store server. */
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
  /** Version of the held sales that the server sent last; null when it sends none. */
  holds: string | null
  /** Session number of the last hello, which heartbeats carry; null before a hello was accepted. */
  session: number | undefined
  /** Reason for which the server refused the last hello. */
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
): Promise<Asked<T> & { ms?: number }> {
  const { channel, read, lease } = linkOf(ctx)
  if (channel === null) throw new Error('this lane has no store server')
  const result = read(path, await channel.post(path, body, ms, signal), schema)
  if (result.kind === 'refused' && result.why === 'token') lease.end()
  return result
}
