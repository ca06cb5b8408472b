import { EventEmitter } from 'node:events'
import type { z } from 'zod'
import type { StoreState } from '../../contracts/store/status.ts'
import {
  HeartbeatAnswer,
  HelloAnswer,
  PullAnswer,
  STORE_PATHS,
  STORE_PROTOCOL,
  type HeartbeatRequest,
  type HelloRequest,
  type LaneHealth,
  type LaneMode,
  type PullRequest,
  type Vector,
} from '../../contracts/store/protocol.ts'
import type { Clock, Rng } from '../core/clock.ts'
import type { Transact } from '../core/db/transact.ts'
import type { Logger } from '../core/log.ts'
import { type Asked, CALL_MS, type StoreChannel, createBackOff, createReadAnswer, pause } from './channel.ts'
import type { Changes } from './changes/changes.ts'
import type { FactsRepository, Stream } from './facts.sql.ts'
import type { ReadFact } from './read-fact.ts'
import type { ForeignGroups } from './foreign-facts.ts'
import { createLease } from './lease.ts'
import { createRegisters } from './registers.ts'
import type { StoreKey } from './store-seal.ts'
import { createTellFacts } from './push-facts.ts'
import { perLane, provided } from '../core/context.ts'

/** Nothing at the checkout waits longer for the store, once; then the lane goes on alone (DESIGN section 8). */
export const ASK_MS = 300
/** So long a page of the manager waits for the store: nobody stands at the counter for it. */
const PAGE_MS = 3_000
/** How long a heartbeat is held back, and how much later than that the connection is taken for dead. */
const HOLD_MS = 2_000
const LATE_MS = 2_000
/** How often what is to be told is looked for, where nobody says so. */
const LOOK_MS = 500
/** What was closed at the counter is told so much later: its paper comes first, and a sale’s facts go together. */
const PAPER_FIRST_MS = 100

/** What the lane says of itself with each heartbeat. */
export type LaneSays = () => Omit<LaneHealth, 'untold'>

export interface StoreLinkOptions {
  /** Null: this lane has no store server. */
  readonly channel: StoreChannel | null
  /** Of the manager's pages, with connections of their own: null as well. */
  readonly pages: StoreChannel | null
  readonly facts: FactsRepository
  readonly readFact: ReadFact
  readonly foreign: ForeignGroups
  readonly changes: Changes
  readonly key: StoreKey
  readonly transact: Transact
  readonly version: string
  readonly mode: LaneMode
  readonly leaseMs: number
  readonly clock: Clock
  readonly rng: Rng
  readonly log: Logger
}

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

export type StoreLink = ReturnType<typeof createStoreLink>

/**
 * The lane's side of its store: tells what it has closed, hears what the others have, and asks what only the store
 * knows. Nothing of the checkout depends on it being there.
 */
export function createStoreLink(options: StoreLinkOptions) {
  const { channel, pages, facts, foreign, key, transact, clock, rng, log } = options
  const events = new EventEmitter<LinkEvents>()
  const ending = new AbortController()
  const read = createReadAnswer(log)
  const backOff = createBackOff({ clock, rng })
  const lease = createLease(options)
  const registers = createRegisters({ ...options, readAgain: foreign.readChangesAgain })
  /** The version of the held sales that the server named last; null: it names none. */
  let holds: string | null = null
  /** The number of the greeting that the heartbeats belong to. */
  let session: number | undefined
  /** Why the last greeting was refused. */
  let why: StoreState['why'] = null
  let state: StoreState = { kind: channel === null ? 'none' : 'away', since: clock.now(), why, untold: 0, aside: 0 }
  let wake: () => void = () => undefined
  let running: Promise<void> = Promise.resolve()
  let health: LaneSays = () => {
    throw new Error('the link has not been started')
  }

  function become(kind: StoreState['kind']): void {
    const next = { kind, why, untold: facts.untold(), aside: foreign.aside() }
    if (kind === state.kind && why === state.why && next.untold === state.untold && next.aside === state.aside) return
    if (next.kind !== state.kind) log.info({ from: state.kind, to: kind }, 'the store is another way reachable')
    state = { ...next, since: next.kind === state.kind ? state.since : clock.now() }
    events.emit('changed', state)
  }

  /** Answers the body, or null where nobody answered or the server refused. */
  async function call<T>(path: string, body: unknown, schema: z.ZodType<T>, ms: number, signal?: AbortSignal) {
    if (channel === null) throw new Error('this lane has no store server')
    const heard = read(path, await channel.post(path, body, ms, signal), schema)
    if (heard.kind === 'refused' && heard.why === 'token') lease.end()
    return heard
  }

  /** Questions are asked again once a heartbeat that is not held back, one every few seconds, is answered in time. */
  const isPromptly = (ms: number | undefined): boolean => ms !== undefined && ms < ASK_MS

  const tellFacts = createTellFacts({ ...options, call, onTold: () => become(state.kind) })

  /** Answers how the store can be reached now. What it refused to be told it is told first. */
  async function hello(): Promise<'connected' | 'slow' | 'away' | 'refused'> {
    const streams = facts.streams()
    const request: HelloRequest = {
      protocol: STORE_PROTOCOL,
      version: options.version,
      mode: options.mode,
      streams: streams.map(({ epoch, name }) => ({ epoch, name, newest: facts.newest(epoch) })),
    }
    const heard = await call(STORE_PATHS.hello, request, HelloAnswer, CALL_MS, ending.signal)
    why = heard.kind === 'refused' && heard.why === 'mode' ? 'mode' : null
    if (heard.kind === 'refused') lease.end()
    if (heard.kind !== 'answer') return heard.kind
    session = heard.body.session
    key.take(Buffer.from(heard.body.sealKey, 'base64'))
    events.emit('time', Date.parse(heard.body.serverTime))
    const { applied, authority } = heard.body
    if (authority !== undefined) events.emit('authority', authority)
    lower(streams, applied)
    if (isBehind(streams, applied)) {
      lease.end()
      return 'refused'
    }
    if (tellFacts.isRefused()) {
      const told = await tellFacts.all(ending.signal)
      if (told !== 'told') return told === 'greet' ? 'away' : told
    }
    return isPromptly(heard.ms) ? 'connected' : 'slow'
  }

  /**
   * A restored server has less than it had: it is told again. That it has more than this lane knows of raises nothing:
   * what it answers when that is told shows whether it is the same history.
   */
  function lower(streams: readonly Stream[], applied: Readonly<Record<string, number>>): void {
    const less = streams.filter(({ name, told }) => (applied[name] ?? 0) < told)
    if (less.length === 0) return
    transact((tx) => {
      for (const { epoch, name } of less) facts.confirm(tx, epoch, applied[name] ?? 0)
    })
  }

  /**
   * The server has heard more of the newest history than this lane has written: the data folder was set back from
   * outside, or another lane goes on from a copy of it. A restored backup goes on under a history of its own.
   */
  function isBehind(streams: readonly Stream[], applied: Readonly<Record<string, number>>): boolean {
    const newest = streams.at(-1)
    if (newest === undefined || (applied[newest.name] ?? 0) <= facts.newest(newest.epoch)) return false
    log.error({ stream: newest.name }, 'the store has heard more of this lane than the lane knows itself')
    return true
  }

  /** A push that fails is tried again, later each time: whether the server is there the heartbeats show. */
  async function telling(signal: AbortSignal): Promise<void> {
    const again = createBackOff({ clock, rng })
    while (!signal.aborted) {
      if (facts.untold() > 0) {
        const told = await tellFacts.all(signal)
        if (told === 'refused' || told === 'greet') return
        if (told === 'away') {
          await again.wait(signal)
          continue
        }
        again.reset()
        events.emit('told')
      }
      await new Promise<void>((resolve) => {
        wake = resolve
        void pause(clock, LOOK_MS, signal).then(resolve)
      })
      await pause(clock, PAPER_FIRST_MS, signal)
    }
  }

  async function hearing(signal: AbortSignal): Promise<void> {
    let wasSlow = false
    let isFirst = true
    while (!signal.aborted) {
      // A held heartbeat returns news and does not measure latency. The first is not held: it confirms the lease.
      const isHeld: boolean = !isFirst && (wasSlow || state.kind === 'connected')
      isFirst = false
      const streams = facts.streams()
      const request = beat(isHeld ? HOLD_MS : 0, lease.leaseMs)
      const sent = lease.moment()
      const heard = await call(STORE_PATHS.heartbeat, request, HeartbeatAnswer, HOLD_MS + LATE_MS, signal)
      if (heard.kind !== 'answer') return
      lease.confirm(sent)
      if (facts.untold() === 0) backOff.reset()
      const { applied, metrics, serverTime } = heard.body
      events.emit('time', Date.parse(serverTime))
      if (metrics) events.emit('scraped')
      // Its database came back from a backup: greeted anew, it is told again what it has lost.
      if (applied && streams.some(({ name, told }) => (applied[name] ?? 0) < told)) return
      if (heard.body.proven) foreign.hear(heard.body.proven)
      if (heard.body.registers && Object.keys(heard.body.registers).length > 0) registers.repair(heard.body.registers)
      if (heard.body.awaited === true) events.emit('awaited')
      wasSlow = !isHeld && !isPromptly(heard.ms)
      become(isHeld || wasSlow ? state.kind : 'connected')
      noteHolds(heard.body.holds ?? null)
      const vector = foreign.vector()
      const isNews = Object.entries(heard.body.heads).some(([stream, seq]) => seq > (vector[stream] ?? 0))
      if (isNews && foreign.kinds().length > 0 && !(await pullAll(signal))) return
      // Without anybody who follows it, news is no reason to ask at once again.
      if (isNews && foreign.kinds().length === 0) await pause(clock, HOLD_MS, signal)
    }
  }

  function noteHolds(version: string | null): void {
    if (version === holds) return
    holds = version
    events.emit('holds')
  }

  const beat = (waitMs: number, leaseMs: number): HeartbeatRequest => ({
    protocol: STORE_PROTOCOL,
    health: { ...health(), untold: facts.untold() },
    vector: foreign.vector(),
    heard: foreign.heard(),
    own: own(),
    ...(foreign.kinds().length > 0 && { kinds: foreign.kinds() }),
    registers: registers.digests(),
    holds: holds ?? '',
    waitMs,
    session,
    leaseMs,
  })

  const own = (): Vector => Object.fromEntries(facts.streams().map(({ epoch, name }) => [name, facts.newest(epoch)]))

  async function pullAll(signal: AbortSignal): Promise<boolean> {
    for (const group of foreign.pulled())
      for (let more = true; more;) {
        const request: PullRequest = {
          protocol: STORE_PROTOCOL,
          vector: group.vector(),
          own: own(),
          kinds: group.kinds(),
        }
        const heard = await call(STORE_PATHS.pull, request, PullAnswer, CALL_MS, signal)
        if (heard.kind !== 'answer') return false
        await group.takeAll(heard.body.facts, heard.body.vector, heard.body.proofs)
        more = heard.body.more
      }
    return true
  }

  /** Speaks with the store for as long as it is there. */
  async function speak(): Promise<void> {
    const reached = await hello()
    become(reached)
    if (reached !== 'connected' && reached !== 'slow') return
    events.emit('reached')
    const lost = new AbortController()
    const signal = AbortSignal.any([ending.signal, lost.signal])
    const both = [telling(signal), hearing(signal)]
    // Where one of the two ends, the connection is not what it was: begin anew.
    await Promise.race(both).finally(() => lost.abort())
    await Promise.all(both)
    if (!ending.signal.aborted) become(tellFacts.isRefused() ? 'refused' : 'away')
  }

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      await speak().catch((error: unknown) => {
        log.error({ err: error }, 'the store could not be spoken with')
        become('away')
      })
      await backOff.wait(ending.signal)
    }
  }

  return {
    state: (): StoreState => ({ ...state, untold: facts.untold(), aside: foreign.aside() }),
    events,
    /** The version of the store's held sales; null: its server does not name one. */
    holdsVersion: (): string | null => holds,
    /** Sealed and hashed as every lane of the store does; null until it has spoken with the store once. */
    seal: key.current,
    follow: foreign.follow,
    /** Whether value that lies at this lane may be paid with; always before the lane has ever spoken with its store. */
    mayPayHere: (): boolean => key.current() === null || lease.isHeld(),
    /** There is something new to tell: soon, without anybody waiting. */
    kick: (): void => {
      wake()
    },
    /** Asks what only the store knows, for at most `ASK_MS`. Once nobody has answered in time, none is asked again. */
    async ask<T>(path: string, body: unknown, schema: z.ZodType<T>, ms: number = ASK_MS): Promise<Asked<T>> {
      if (channel === null || ending.signal.aborted || state.kind !== 'connected') return { kind: 'away' }
      const heard = await call(path, body, schema, ms, ending.signal)
      if (heard.kind === 'away' && heard.isReached !== true && !ending.signal.aborted && state.kind === 'connected')
        become('slow')
      return heard
    },
    /**
     * Asks for a page of the manager, however the checkout stands with the store: what becomes of it says nothing of
     * the checkout, and takes no connection from it. A lane that trains is shown no store that sells.
     */
    async page<T>(path: string, body: unknown, schema: z.ZodType<T>): Promise<Asked<T>> {
      if (pages === null || ending.signal.aborted) return { kind: 'away' }
      if (why === 'mode') return { kind: 'refused', why, body: null }
      return read(path, await pages.post(path, body, PAGE_MS, ending.signal), schema)
    },
    /** Tells, or asks, what nobody waits for. What becomes of it says nothing of the checkout. */
    tell<T>(path: string, body: unknown, schema: z.ZodType<T>, ms = CALL_MS): Promise<Asked<T>> {
      return channel === null ? Promise.resolve({ kind: 'away' }) : call(path, body, schema, ms, ending.signal)
    },
    start(says: LaneSays): void {
      if (channel === null) return
      health = says
      foreign.followChanges()
      running = run()
    },
    async close(): Promise<void> {
      const isThere = state.kind === 'connected'
      lease.end()
      ending.abort()
      wake()
      await running
      // A successor receives at once what lies at a lane that has stopped in good order.
      if (isThere && facts.untold() === 0) await call(STORE_PATHS.heartbeat, beat(0, 0), HeartbeatAnswer, ASK_MS)
      channel?.close()
      pages?.close()
    },
  }
}

/** The lane's way to its store; its state is `none` at a lane that is alone. */
export const storeOf = provided<StoreLink>('the store')

/** The way to the store; null at a lane that is alone. */
export const storeLinkOf = perLane((ctx) => {
  const store = storeOf(ctx)
  return store.state().kind === 'none' ? null : store
})
