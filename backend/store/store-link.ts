import type { z } from 'zod'
import { HeartbeatAnswer, STORE_PATHS } from '../../contracts/store/protocol.ts'
import type { StoreState } from '../../contracts/store/status.ts'
import type { TerminalEvent } from '../../contracts/core/events.ts'
import { type Ctx, perLane, provided } from '../core/context.ts'
import { windowsOf } from '../core/http/events.ts'
import { laneTimeOf } from '../core/lane-time.ts'
import { type StoreResult, CALL_MS } from './channel.ts'
import { REQUEST_MS, type LaneHealthSource, setState, call, linkOf } from './link-state.ts'
import { heartbeatOf, run } from './store-session.ts'

/** Time in ms for which a manager page waits for the store server; no customer waits then. */
const PAGE_MS = 3_000

/** Events that start a push of facts; other facts are sent within `LOOK_MS`. */
const PUSHED_EVENTS: ReadonlySet<TerminalEvent['type']> = new Set([
  'sale-closed',
  'shifts-changed',
  'queue-changed',
  'staff-changed',
  'settings-changed',
  'catalog-changed',
])

/**
 * Requests what only the store server has, for at most `ms`. After one request that took too long, none is sent until
 * the link is fast again.
 */
async function ask<T>(
  ctx: Ctx,
  path: string,
  body: unknown,
  schema: z.ZodType<T>,
  ms: number,
): Promise<StoreResult<T>> {
  const link = linkOf(ctx)
  const { signal } = link.ending
  const isConnected = (): boolean => !signal.aborted && link.state.kind === 'connected'
  if (link.channel === null || !isConnected()) return { kind: 'no-answer' }
  const result = await call(ctx, path, body, schema, ms, signal)
  if (result.kind === 'no-answer' && result.isReached !== true && isConnected()) setState(ctx, 'slow')
  return result
}

/**
 * Requests data for a manager page, on connections other than the checkout's, and also while the checkout does not use
 * the server. A lane gets nothing from a store of another mode (training or production).
 */
async function page<T>(ctx: Ctx, path: string, body: unknown, schema: z.ZodType<T>): Promise<StoreResult<T>> {
  const { pages, ending, why, read } = linkOf(ctx)
  if (pages === null || ending.signal.aborted) return { kind: 'no-answer' }
  if (why === 'mode') return { kind: 'refused', why, body: null }
  return read(path, await pages.post(path, body, PAGE_MS, ending.signal), schema)
}

function start(ctx: Ctx, health: LaneHealthSource): void {
  const link = linkOf(ctx)
  if (link.channel === null) return
  link.events.on('time', laneTimeOf(ctx).onStoreTime)
  windowsOf(ctx).published.on('event', ({ type }) => {
    if (PUSHED_EVENTS.has(type)) link.wake()
  })
  link.health = health
  link.foreign.followChanges()
  link.running = run(ctx)
}

async function close(ctx: Ctx): Promise<void> {
  const link = linkOf(ctx)
  const isThere = link.state.kind === 'connected'
  link.lease.end()
  link.ending.abort()
  link.wake()
  await link.running
  // Reports that all facts are sent, so that a replacement lane could take over the value stored at this lane.
  if (isThere && link.facts.unconfirmed() === 0)
    await call(ctx, STORE_PATHS.heartbeat, heartbeatOf(ctx, 0, 0), HeartbeatAnswer, REQUEST_MS)
  link.channel?.close()
  link.pages?.close()
}

export type StoreLink = ReturnType<typeof storeLink>

/**
 * The lane's side of its store: sends closed documents, applies those of other lanes, and requests what only the store
 * has. The checkout works without it.
 */
export function storeLink(ctx: Ctx) {
  const link = linkOf(ctx)
  const { key, lease, facts, foreign } = link
  return {
    state: (): StoreState => ({ ...link.state, untold: facts.unconfirmed(), aside: foreign.skipped() }),
    events: link.events,
    holdsVersion: (): string | null => link.holds,
    /** Seals and hashes with the key that all lanes of the store share; null until the first connection. */
    seal: key.current,
    follow: foreign.follow,
    /** Whether the lane may pay with voucher value that it stores; always true before its first connection. */
    mayPayHere: (): boolean => key.current() === null || lease.isHeld(),
    kick: (): void => {
      link.wake()
    },
    ask: <T>(path: string, body: unknown, schema: z.ZodType<T>, ms: number = REQUEST_MS): Promise<StoreResult<T>> =>
      ask(ctx, path, body, schema, ms),
    page: <T>(path: string, body: unknown, schema: z.ZodType<T>): Promise<StoreResult<T>> =>
      page(ctx, path, body, schema),
    send: <T>(path: string, body: unknown, schema: z.ZodType<T>, ms: number = CALL_MS): Promise<StoreResult<T>> =>
      link.channel === null
        ? Promise.resolve({ kind: 'no-answer' })
        : call(ctx, path, body, schema, ms, link.ending.signal),
    start: (health: LaneHealthSource): void => start(ctx, health),
    close: (): Promise<void> => close(ctx),
  }
}

export const storeOf = provided<StoreLink>('the store')

export const storeLinkOf = perLane((ctx) => {
  const store = storeOf(ctx)
  return store.state().kind === 'none' ? null : store
})
