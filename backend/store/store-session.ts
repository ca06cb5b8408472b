import {
  HeartbeatAnswer,
  HelloAnswer,
  PullAnswer,
  STORE_PATHS,
  STORE_PROTOCOL,
  type HeartbeatRequest,
  type HelloRequest,
  type PullRequest,
  type Vector,
} from '../../contracts/store/protocol.ts'
import type { Ctx } from '../core/context.ts'
import { CALL_MS, createBackOff, pause } from './channel.ts'
import type { Stream } from './facts.sql.ts'
import { REQUEST_MS, setState, call, linkOf } from './link-state.ts'
import { factPusherOf } from './push-facts.ts'

/**
 * Time in ms for which the server may hold a heartbeat, and additional time after which the connection counts as dead.
 */
const HOLD_MS = 2_000
const LATE_MS = 2_000
/** Interval in ms at which the lane looks for facts to send. */
const LOOK_MS = 500
/** Delay in ms after a sale closes: the receipt is printed first, and all facts of the sale are sent together. */
const PAPER_FIRST_MS = 100

/**
 * Whether the answer to a heartbeat was fast enough for the checkout to send requests again. Only heartbeats that the
 * server does not hold show this: on a slow link every second one.
 */
const isPromptly = (ms: number | undefined): boolean => ms !== undefined && ms < REQUEST_MS

/**
 * Connects to the store server and returns the state of the link. Facts that the server refused before are sent first.
 */
async function openSession(ctx: Ctx): Promise<'connected' | 'slow' | 'away' | 'refused'> {
  const link = linkOf(ctx)
  const streams = link.facts.streams()
  const request: HelloRequest = {
    protocol: STORE_PROTOCOL,
    version: link.version,
    mode: ctx.profile.mode,
    streams: streams.map(({ epoch, name }) => ({ epoch, name, newest: link.facts.newest(epoch) })),
  }
  const result = await call(ctx, STORE_PATHS.hello, request, HelloAnswer, CALL_MS, link.ending.signal)
  link.why = result.kind === 'refused' && result.why === 'mode' ? 'mode' : null
  if (result.kind === 'refused') {
    link.lease.end()
    return 'refused'
  }
  if (result.kind === 'no-answer') return 'away'
  link.session = result.body.session
  link.key.take(Buffer.from(result.body.sealKey, 'base64'))
  link.events.emit('time', Date.parse(result.body.serverTime))
  const { applied, authority } = result.body
  if (authority !== undefined) link.events.emit('authority', authority)
  lowerConfirmed(ctx, streams, applied)
  if (isBehind(ctx, streams, applied)) {
    link.lease.end()
    return 'refused'
  }
  if (factPusherOf(ctx).isRefused()) {
    const pushed = await factPusherOf(ctx).all(link.ending.signal)
    if (pushed !== 'sent') return pushed === 'refused' ? 'refused' : 'away'
  }
  return isPromptly(result.ms) ? 'connected' : 'slow'
}

/**
 * Lowers confirmed positions to those of a restored server, so that the facts are sent again. Higher positions of the
 * server are ignored here: the answer to the next push shows whether the stream is the same.
 */
function lowerConfirmed(ctx: Ctx, streams: readonly Stream[], applied: Readonly<Record<string, number>>): void {
  const link = linkOf(ctx)
  const less = streams.filter(({ name, confirmed }) => (applied[name] ?? 0) < confirmed)
  if (less.length === 0) return
  ctx.transact((tx) => {
    for (const { epoch, name } of less) link.facts.confirm(tx, epoch, applied[name] ?? 0)
  })
}

/**
 * Whether the server has more of the newest stream than this lane wrote: the data folder was replaced by an older copy,
 * or another lane runs on a copy. (A restored backup starts a new stream.)
 */
function isBehind(ctx: Ctx, streams: readonly Stream[], applied: Readonly<Record<string, number>>): boolean {
  const link = linkOf(ctx)
  const newest = streams.at(-1)
  if (newest === undefined || (applied[newest.name] ?? 0) <= link.facts.newest(newest.epoch)) return false
  ctx.log.error(
    { stream: newest.name },
    'the store has more facts of this lane than the lane itself; its data folder is an old copy',
  )
  return true
}

/**
 * Sends facts, and repeats failed pushes after growing waits. Only heartbeats decide whether the server counts as
 * reachable.
 */
async function pushLoop(ctx: Ctx, signal: AbortSignal): Promise<void> {
  const link = linkOf(ctx)
  const again = createBackOff(ctx)
  while (!signal.aborted) {
    if (link.facts.unconfirmed() > 0) {
      const pushed = await factPusherOf(ctx).all(signal)
      if (pushed === 'refused' || pushed === 'reconnect') return
      if (pushed === 'no-answer') {
        await again.wait(signal)
        continue
      }
      again.reset()
      link.events.emit('confirmed')
    }
    await new Promise<void>((resolve) => {
      link.wake = resolve
      void pause(ctx.clock, LOOK_MS, signal).then(resolve)
    })
    await pause(ctx.clock, PAPER_FIRST_MS, signal)
  }
}

async function heartbeatLoop(ctx: Ctx, signal: AbortSignal): Promise<void> {
  const link = linkOf(ctx)
  let wasSlow = false
  let isFirst = true
  while (!signal.aborted) {
    // The server answers a held heartbeat when it has news or `HOLD_MS` are over, so its duration does not show how
    // fast the link is. The first one is not held, because its answer confirms the lease.
    const isHeld: boolean = !isFirst && (wasSlow || link.state.kind === 'connected')
    isFirst = false
    const streams = link.facts.streams()
    const request = heartbeatOf(ctx, isHeld ? HOLD_MS : 0, link.lease.leaseMs)
    const sent = link.lease.moment()
    const result = await call(ctx, STORE_PATHS.heartbeat, request, HeartbeatAnswer, HOLD_MS + LATE_MS, signal)
    if (result.kind !== 'answer') return
    link.lease.confirm(sent)
    if (link.facts.unconfirmed() === 0) link.backOff.reset()
    const { applied, metrics, serverTime } = result.body
    link.events.emit('time', Date.parse(serverTime))
    if (metrics) link.events.emit('scraped')
    // The server was restored, so the lane reconnects and sends its facts again.
    if (applied && streams.some(({ name, confirmed }) => (applied[name] ?? 0) < confirmed)) return
    if (result.body.proven) link.foreign.recordProofs(result.body.proven)
    if (result.body.registers && Object.keys(result.body.registers).length > 0)
      link.registers.repair(result.body.registers)
    if (result.body.awaited === true) link.events.emit('awaited')
    wasSlow = !isHeld && !isPromptly(result.ms)
    setState(ctx, isHeld || wasSlow ? link.state.kind : 'connected')
    noteHolds(ctx, result.body.holds ?? null)
    const vector = link.foreign.vector()
    const hasNewFacts = Object.entries(result.body.heads).some(([stream, seq]) => seq > (vector[stream] ?? 0))
    if (hasNewFacts && link.foreign.kinds().length > 0 && !(await pullAll(ctx, signal))) return
    // Wait: no handler reads these facts yet, and the server answers each heartbeat at once while it has unread ones.
    if (hasNewFacts && link.foreign.kinds().length === 0) await pause(ctx.clock, HOLD_MS, signal)
  }
}

function noteHolds(ctx: Ctx, version: string | null): void {
  const link = linkOf(ctx)
  if (version === link.holds) return
  link.holds = version
  link.events.emit('holds')
}

export function heartbeatOf(ctx: Ctx, waitMs: number, leaseMs: number): HeartbeatRequest {
  const link = linkOf(ctx)
  return {
    protocol: STORE_PROTOCOL,
    health: { ...link.health(), untold: link.facts.unconfirmed() },
    vector: link.foreign.vector(),
    heard: link.foreign.provenPositions(),
    own: ownStreams(ctx),
    ...(link.foreign.kinds().length > 0 && { kinds: link.foreign.kinds() }),
    registers: link.registers.digests(),
    holds: link.holds ?? '',
    waitMs,
    session: link.session,
    leaseMs,
  }
}

function ownStreams(ctx: Ctx): Vector {
  const { facts } = linkOf(ctx)
  return Object.fromEntries(facts.streams().map(({ epoch, name }) => [name, facts.newest(epoch)]))
}

async function pullAll(ctx: Ctx, signal: AbortSignal): Promise<boolean> {
  const link = linkOf(ctx)
  for (const group of link.foreign.pulled())
    for (let more = true; more;) {
      const request: PullRequest = {
        protocol: STORE_PROTOCOL,
        vector: group.vector(),
        own: ownStreams(ctx),
        kinds: group.kinds(),
      }
      const result = await call(ctx, STORE_PATHS.pull, request, PullAnswer, CALL_MS, signal)
      if (result.kind !== 'answer') return false
      await group.takeAll(result.body.facts, result.body.vector, result.body.proofs)
      more = result.body.more
    }
  return true
}

async function runConnection(ctx: Ctx): Promise<void> {
  const link = linkOf(ctx)
  const reached = await openSession(ctx)
  setState(ctx, reached)
  if (reached !== 'connected' && reached !== 'slow') return
  link.events.emit('reached')
  const lost = new AbortController()
  const signal = AbortSignal.any([link.ending.signal, lost.signal])
  const both = [pushLoop(ctx, signal), heartbeatLoop(ctx, signal)]
  await Promise.race(both).finally(() => lost.abort())
  await Promise.all(both)
  if (!link.ending.signal.aborted) setState(ctx, factPusherOf(ctx).isRefused() ? 'refused' : 'away')
}

export async function run(ctx: Ctx): Promise<void> {
  const link = linkOf(ctx)
  while (!link.ending.signal.aborted) {
    await runConnection(ctx).catch((error: unknown) => {
      ctx.log.error({ err: error }, 'the connection to the store failed')
      setState(ctx, 'away')
    })
    await link.backOff.wait(link.ending.signal)
  }
}
