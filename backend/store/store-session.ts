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
import { ASK_MS, become, call, linkOf } from './link-state.ts'
import { tellFactsOf } from './push-facts.ts'

/** How long a heartbeat is held back, and how much later than that the connection is taken for dead. */
const HOLD_MS = 2_000
const LATE_MS = 2_000
/** How often what is to be told is looked for, where nobody says so. */
const LOOK_MS = 500
/** What was closed at the counter is told so much later: its paper comes first, and a sale’s facts go together. */
const PAPER_FIRST_MS = 100

/** Questions are asked again once a heartbeat that is not held back, one every few seconds, is answered in time. */
const isPromptly = (ms: number | undefined): boolean => ms !== undefined && ms < ASK_MS

/** Answers how the store can be reached now. What it refused to be told it is told first. */
async function hello(ctx: Ctx): Promise<'connected' | 'slow' | 'away' | 'refused'> {
  const link = linkOf(ctx)
  const streams = link.facts.streams()
  const request: HelloRequest = {
    protocol: STORE_PROTOCOL,
    version: link.version,
    mode: ctx.profile.mode,
    streams: streams.map(({ epoch, name }) => ({ epoch, name, newest: link.facts.newest(epoch) })),
  }
  const heard = await call(ctx, STORE_PATHS.hello, request, HelloAnswer, CALL_MS, link.ending.signal)
  link.why = heard.kind === 'refused' && heard.why === 'mode' ? 'mode' : null
  if (heard.kind === 'refused') link.lease.end()
  if (heard.kind !== 'answer') return heard.kind
  link.session = heard.body.session
  link.key.take(Buffer.from(heard.body.sealKey, 'base64'))
  link.events.emit('time', Date.parse(heard.body.serverTime))
  const { applied, authority } = heard.body
  if (authority !== undefined) link.events.emit('authority', authority)
  lower(ctx, streams, applied)
  if (isBehind(ctx, streams, applied)) {
    link.lease.end()
    return 'refused'
  }
  if (tellFactsOf(ctx).isRefused()) {
    const told = await tellFactsOf(ctx).all(link.ending.signal)
    if (told !== 'told') return told === 'greet' ? 'away' : told
  }
  return isPromptly(heard.ms) ? 'connected' : 'slow'
}

/**
 * A restored server has less than it had: it is told again. That it has more than this lane knows of raises nothing:
 * what it answers when that is told shows whether it is the same history.
 */
function lower(ctx: Ctx, streams: readonly Stream[], applied: Readonly<Record<string, number>>): void {
  const link = linkOf(ctx)
  const less = streams.filter(({ name, told }) => (applied[name] ?? 0) < told)
  if (less.length === 0) return
  ctx.transact((tx) => {
    for (const { epoch, name } of less) link.facts.confirm(tx, epoch, applied[name] ?? 0)
  })
}

/**
 * The server has heard more of the newest history than this lane has written: the data folder was set back from
 * outside, or another lane goes on from a copy of it. A restored backup goes on under a history of its own.
 */
function isBehind(ctx: Ctx, streams: readonly Stream[], applied: Readonly<Record<string, number>>): boolean {
  const link = linkOf(ctx)
  const newest = streams.at(-1)
  if (newest === undefined || (applied[newest.name] ?? 0) <= link.facts.newest(newest.epoch)) return false
  ctx.log.error({ stream: newest.name }, 'the store has heard more of this lane than the lane knows itself')
  return true
}

/** A push that fails is tried again, later each time: whether the server is there the heartbeats show. */
async function telling(ctx: Ctx, signal: AbortSignal): Promise<void> {
  const link = linkOf(ctx)
  const again = createBackOff(ctx)
  while (!signal.aborted) {
    if (link.facts.untold() > 0) {
      const told = await tellFactsOf(ctx).all(signal)
      if (told === 'refused' || told === 'greet') return
      if (told === 'away') {
        await again.wait(signal)
        continue
      }
      again.reset()
      link.events.emit('told')
    }
    await new Promise<void>((resolve) => {
      link.wake = resolve
      void pause(ctx.clock, LOOK_MS, signal).then(resolve)
    })
    await pause(ctx.clock, PAPER_FIRST_MS, signal)
  }
}

async function hearing(ctx: Ctx, signal: AbortSignal): Promise<void> {
  const link = linkOf(ctx)
  let wasSlow = false
  let isFirst = true
  while (!signal.aborted) {
    // A held heartbeat returns news and does not measure latency. The first is not held: it confirms the lease.
    const isHeld: boolean = !isFirst && (wasSlow || link.state.kind === 'connected')
    isFirst = false
    const streams = link.facts.streams()
    const request = beat(ctx, isHeld ? HOLD_MS : 0, link.lease.leaseMs)
    const sent = link.lease.moment()
    const heard = await call(ctx, STORE_PATHS.heartbeat, request, HeartbeatAnswer, HOLD_MS + LATE_MS, signal)
    if (heard.kind !== 'answer') return
    link.lease.confirm(sent)
    if (link.facts.untold() === 0) link.backOff.reset()
    const { applied, metrics, serverTime } = heard.body
    link.events.emit('time', Date.parse(serverTime))
    if (metrics) link.events.emit('scraped')
    // Its database came back from a backup: greeted anew, it is told again what it has lost.
    if (applied && streams.some(({ name, told }) => (applied[name] ?? 0) < told)) return
    if (heard.body.proven) link.foreign.hear(heard.body.proven)
    if (heard.body.registers && Object.keys(heard.body.registers).length > 0)
      link.registers.repair(heard.body.registers)
    if (heard.body.awaited === true) link.events.emit('awaited')
    wasSlow = !isHeld && !isPromptly(heard.ms)
    become(ctx, isHeld || wasSlow ? link.state.kind : 'connected')
    noteHolds(ctx, heard.body.holds ?? null)
    const vector = link.foreign.vector()
    const isNews = Object.entries(heard.body.heads).some(([stream, seq]) => seq > (vector[stream] ?? 0))
    if (isNews && link.foreign.kinds().length > 0 && !(await pullAll(ctx, signal))) return
    // Without anybody who follows it, news is no reason to ask at once again.
    if (isNews && link.foreign.kinds().length === 0) await pause(ctx.clock, HOLD_MS, signal)
  }
}

function noteHolds(ctx: Ctx, version: string | null): void {
  const link = linkOf(ctx)
  if (version === link.holds) return
  link.holds = version
  link.events.emit('holds')
}

export function beat(ctx: Ctx, waitMs: number, leaseMs: number): HeartbeatRequest {
  const link = linkOf(ctx)
  return {
    protocol: STORE_PROTOCOL,
    health: { ...link.health(), untold: link.facts.untold() },
    vector: link.foreign.vector(),
    heard: link.foreign.heard(),
    own: own(ctx),
    ...(link.foreign.kinds().length > 0 && { kinds: link.foreign.kinds() }),
    registers: link.registers.digests(),
    holds: link.holds ?? '',
    waitMs,
    session: link.session,
    leaseMs,
  }
}

function own(ctx: Ctx): Vector {
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
        own: own(ctx),
        kinds: group.kinds(),
      }
      const heard = await call(ctx, STORE_PATHS.pull, request, PullAnswer, CALL_MS, signal)
      if (heard.kind !== 'answer') return false
      await group.takeAll(heard.body.facts, heard.body.vector, heard.body.proofs)
      more = heard.body.more
    }
  return true
}

/** Speaks with the store for as long as it is there. */
async function speak(ctx: Ctx): Promise<void> {
  const link = linkOf(ctx)
  const reached = await hello(ctx)
  become(ctx, reached)
  if (reached !== 'connected' && reached !== 'slow') return
  link.events.emit('reached')
  const lost = new AbortController()
  const signal = AbortSignal.any([link.ending.signal, lost.signal])
  const both = [telling(ctx, signal), hearing(ctx, signal)]
  // Where one of the two ends, the connection is not what it was: begin anew.
  await Promise.race(both).finally(() => lost.abort())
  await Promise.all(both)
  if (!link.ending.signal.aborted) become(ctx, tellFactsOf(ctx).isRefused() ? 'refused' : 'away')
}

export async function run(ctx: Ctx): Promise<void> {
  const link = linkOf(ctx)
  while (!link.ending.signal.aborted) {
    await speak(ctx).catch((error: unknown) => {
      ctx.log.error({ err: error }, 'the store could not be spoken with')
      become(ctx, 'away')
    })
    await link.backOff.wait(link.ending.signal)
  }
}
