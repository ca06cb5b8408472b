import type { z } from 'zod'
import { HeartbeatAnswer, STORE_PATHS } from '../../contracts/store/protocol.ts'
import type { StoreState } from '../../contracts/store/status.ts'
import type { TerminalEvent } from '../../contracts/core/events.ts'
import { type Ctx, perLane, provided } from '../core/context.ts'
import { windowsOf } from '../core/http/events.ts'
import { laneTimeOf } from '../core/lane-time.ts'
import { type Asked, CALL_MS } from './channel.ts'
import { ASK_MS, type LaneSays, become, call, linkOf } from './link-state.ts'
import { beat, run } from './store-session.ts'

/** So long a page of the manager waits for the store: nobody stands at the counter for it. */
const PAGE_MS = 3_000

/** Events that are pushed to the store at once. All others wait for the next push. */
const TELLS_STORE: ReadonlySet<TerminalEvent['type']> = new Set([
  'sale-closed',
  'shifts-changed',
  'queue-changed',
  'staff-changed',
  'settings-changed',
  'catalog-changed',
])

/** Asks what only the store knows, for at most `ms`. Once nobody has answered in time, none is asked again. */
async function ask<T>(ctx: Ctx, path: string, body: unknown, schema: z.ZodType<T>, ms: number): Promise<Asked<T>> {
  const link = linkOf(ctx)
  const { signal } = link.ending
  const isConnected = (): boolean => !signal.aborted && link.state.kind === 'connected'
  if (link.channel === null || !isConnected()) return { kind: 'away' }
  const heard = await call(ctx, path, body, schema, ms, signal)
  if (heard.kind === 'away' && heard.isReached !== true && isConnected()) become(ctx, 'slow')
  return heard
}

/**
 * Asks for a page of the manager, however the checkout stands with the store: what becomes of it says nothing of the
 * checkout, and takes no connection from it. A lane that trains is shown no store that sells.
 */
async function page<T>(ctx: Ctx, path: string, body: unknown, schema: z.ZodType<T>): Promise<Asked<T>> {
  const { pages, ending, why, read } = linkOf(ctx)
  if (pages === null || ending.signal.aborted) return { kind: 'away' }
  if (why === 'mode') return { kind: 'refused', why, body: null }
  return read(path, await pages.post(path, body, PAGE_MS, ending.signal), schema)
}

function start(ctx: Ctx, says: LaneSays): void {
  const link = linkOf(ctx)
  if (link.channel === null) return
  link.events.on('time', laneTimeOf(ctx).hearStore)
  windowsOf(ctx).published.on('event', ({ type }) => {
    if (TELLS_STORE.has(type)) link.wake()
  })
  link.health = says
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
  // A successor receives at once what lies at a lane that has stopped in good order.
  if (isThere && link.facts.untold() === 0)
    await call(ctx, STORE_PATHS.heartbeat, beat(ctx, 0, 0), HeartbeatAnswer, ASK_MS)
  link.channel?.close()
  link.pages?.close()
}

export type StoreLink = ReturnType<typeof storeLink>

/**
 * The lane's side of its store: tells what it has closed, hears what the others have, and asks what only the store
 * knows. Nothing of the checkout depends on it being there.
 */
export function storeLink(ctx: Ctx) {
  const link = linkOf(ctx)
  const { key, lease, facts, foreign } = link
  return {
    state: (): StoreState => ({ ...link.state, untold: facts.untold(), aside: foreign.aside() }),
    events: link.events,
    /** The version of the store's held sales; null: its server does not name one. */
    holdsVersion: (): string | null => link.holds,
    /** Sealed and hashed as every lane of the store does; null until it has spoken with the store once. */
    seal: key.current,
    follow: foreign.follow,
    /** Whether value that lies at this lane may be paid with; always before the lane has ever spoken with its store. */
    mayPayHere: (): boolean => key.current() === null || lease.isHeld(),
    /** There is something new to tell: soon, without anybody waiting. */
    kick: (): void => {
      link.wake()
    },
    ask: <T>(path: string, body: unknown, schema: z.ZodType<T>, ms: number = ASK_MS): Promise<Asked<T>> =>
      ask(ctx, path, body, schema, ms),
    page: <T>(path: string, body: unknown, schema: z.ZodType<T>): Promise<Asked<T>> => page(ctx, path, body, schema),
    /** Tells, or asks, what nobody waits for. What becomes of it says nothing of the checkout. */
    tell: <T>(path: string, body: unknown, schema: z.ZodType<T>, ms: number = CALL_MS): Promise<Asked<T>> =>
      link.channel === null ? Promise.resolve({ kind: 'away' }) : call(ctx, path, body, schema, ms, link.ending.signal),
    start: (says: LaneSays): void => start(ctx, says),
    close: (): Promise<void> => close(ctx),
  }
}

/** The lane's way to its store; its state is `none` at a lane that is alone. */
export const storeOf = provided<StoreLink>('the store')

/** The way to the store; null at a lane that is alone. */
export const storeLinkOf = perLane((ctx) => {
  const store = storeOf(ctx)
  return store.state().kind === 'none' ? null : store
})
