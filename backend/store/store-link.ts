import { EventEmitter } from 'node:events'
import type { z } from 'zod'
import type { StoreState } from '../../contracts/api/store.ts'
import {
  HeartbeatAnswer,
  HelloAnswer,
  MOST_FACTS,
  MOST_FACTS_BYTES,
  PullAnswer,
  PushAnswer,
  STORE_PATHS,
  STORE_PROTOCOL,
  StoreRefusal,
  type Fact,
  type HeartbeatRequest,
  type HelloRequest,
  type LaneHealth,
  type PullRequest,
  type PushRequest,
} from '../../contracts/store/protocol.ts'
import type { Clock, Rng } from '../clock.ts'
import type { Transact } from '../db/transact.ts'
import type { Logger } from '../log.ts'
import { createBackOff, pause } from './back-off.ts'
import type { StoreAnswer, StoreChannel } from './channel.ts'
import type { FactsRepository, Stream } from './facts/repository.ts'
import type { ReadFact } from './facts/read-fact.ts'
import type { ForeignGroups } from './foreign-groups.ts'
import type { StoreKey } from './store-key.ts'

/** Nothing at the checkout waits longer for the store, once; then the lane goes on alone (DESIGN section 8). */
export const ASK_MS = 300
/** Of what nobody waits for. */
const CALL_MS = 10_000
/** How long a heartbeat is held back, and how much later than that the connection is taken for dead. */
const HOLD_MS = 2_000
const LATE_MS = 2_000
/** Questions are asked again once the server has answered within this. */
const PROMPT_MS = 150
/** How often what is to be told is looked for, where nobody says so. */
const LOOK_MS = 500

/** What a question of the checkout was answered. `away`: nobody may know whether it was heard. */
export type Asked<Answer> =
  | { readonly kind: 'answer'; readonly body: Answer }
  | { readonly kind: 'refused'; readonly why: string; readonly body: unknown }
  | { readonly kind: 'away' }

/** What the lane says of itself with each heartbeat. */
export type LaneSays = () => Omit<LaneHealth, 'untold'>

export interface StoreLinkOptions {
  /** Null: this lane has no store server. */
  readonly channel: StoreChannel | null
  readonly facts: FactsRepository
  readonly readFact: ReadFact
  readonly foreign: ForeignGroups
  readonly key: StoreKey
  readonly transact: Transact
  readonly version: string
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
  /** Somebody reads at the server what this lane counts; with every heartbeat. */
  scraped: []
}

export type StoreLink = ReturnType<typeof createStoreLink>

/**
 * The lane's side of its store: tells what it has closed, hears what the others have, and asks what only the store
 * knows. Nothing of the checkout depends on it being there.
 */
export function createStoreLink(options: StoreLinkOptions) {
  const { channel, facts, foreign, key, transact, clock, rng, log } = options
  const events = new EventEmitter<LinkEvents>()
  const ending = new AbortController()
  const backOff = createBackOff({ clock, rng })
  let state: StoreState = { kind: channel === null ? 'none' : 'away', since: clock.now(), untold: 0, aside: 0 }
  let wake: () => void = () => undefined
  let running: Promise<void> = Promise.resolve()
  let health: LaneSays = () => {
    throw new Error('the link has not been started')
  }

  function become(kind: StoreState['kind']): void {
    const next = { kind, untold: facts.untold(), aside: foreign.aside() }
    if (next.kind === state.kind && next.untold === state.untold && next.aside === state.aside) return
    if (next.kind !== state.kind) log.info({ from: state.kind, to: kind }, 'the store is another way reachable')
    state = { ...next, since: next.kind === state.kind ? state.since : clock.now() }
    events.emit('changed', state)
  }

  /** Answers the body, or null where nobody answered or the server refused. */
  async function call<T>(path: string, body: unknown, schema: z.ZodType<T>, ms: number, signal?: AbortSignal) {
    if (channel === null) throw new Error('this lane has no store server')
    const answer = await channel.post(path, body, ms, signal)
    return read(path, answer, schema)
  }

  function read<T>(path: string, answer: StoreAnswer, schema: z.ZodType<T>): Asked<T> & { ms?: number } {
    if (answer.kind === 'away') return { kind: 'away' }
    if (answer.status !== 200) {
      const refusal = StoreRefusal.safeParse(answer.body)
      // A server that is busy, or another one in its place, is as good as away.
      if (!refusal.success || answer.status >= 500 || answer.status === 429) return { kind: 'away' }
      return { kind: 'refused', why: refusal.data.refused, body: answer.body }
    }
    const parsed = schema.safeParse(answer.body)
    if (parsed.success) return { kind: 'answer', body: parsed.data, ms: answer.ms }
    log.warn({ path }, 'the store answered what this program cannot read')
    return { kind: 'away' }
  }

  async function hello(): Promise<boolean> {
    const streams = facts.streams()
    const request: HelloRequest = {
      protocol: STORE_PROTOCOL,
      version: options.version,
      streams: streams.map(({ epoch, name }) => ({ epoch, name })),
    }
    const heard = await call(STORE_PATHS.hello, request, HelloAnswer, CALL_MS, ending.signal)
    if (heard.kind === 'refused') become('refused')
    else if (heard.kind === 'away') become('away')
    if (heard.kind !== 'answer') return false
    key.take(Buffer.from(heard.body.sealKey, 'base64'))
    confirm(streams, heard.body.applied)
    return true
  }

  /**
   * What the server says that it has. A restored lane may hear of more than it has itself: that is no gap. A restored
   * server has less than it had: it is told again.
   */
  function confirm(streams: readonly Stream[], applied: Readonly<Record<string, number>>): void {
    transact((tx) => {
      for (const { epoch, name, told } of streams) {
        const has = applied[name] ?? 0
        if (has !== told) facts.confirm(tx, epoch, has)
      }
    })
  }

  /** The next facts of a stream that fit into one push. */
  function nextOf(stream: Stream): Fact[] {
    const batch: Fact[] = []
    let bytes = 0
    for (const row of facts.next(stream, MOST_FACTS)) {
      const fact = options.readFact(row)
      bytes += JSON.stringify(fact).length
      if (batch.length > 0 && bytes > MOST_FACTS_BYTES) break
      batch.push(fact)
    }
    return batch
  }

  /** Tells everything there is. Answers whether the server took it. */
  async function pushAll(signal: AbortSignal): Promise<boolean> {
    for (const { epoch, name } of facts.streams()) {
      for (;;) {
        const stream = facts.streams().find((one) => one.epoch === epoch)
        const batch = stream ? nextOf(stream) : []
        if (batch.length === 0) break
        const request: PushRequest = { protocol: STORE_PROTOCOL, stream: name, epoch, facts: batch }
        const heard = await call(STORE_PATHS.facts, request, PushAnswer, CALL_MS, signal)
        if (heard.kind !== 'answer') {
          if (heard.kind === 'refused') log.error({ why: heard.why, stream: name }, 'the store refuses what it is told')
          return false
        }
        const { applied, aside } = heard.body
        if (aside.length > 0) log.warn({ stream: name, aside: aside.length }, 'the store has set facts aside')
        transact((tx) => {
          facts.confirm(tx, epoch, applied)
        })
        become(state.kind)
      }
    }
    return true
  }

  async function telling(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (facts.untold() > 0) {
        if (!(await pushAll(signal))) return
        events.emit('told')
      }
      await new Promise<void>((resolve) => {
        wake = resolve
        void pause(clock, LOOK_MS, signal).then(resolve)
      })
    }
  }

  async function hearing(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const isPrompt = state.kind === 'connected'
      const streams = facts.streams()
      const request: HeartbeatRequest = {
        protocol: STORE_PROTOCOL,
        health: { ...health(), untold: facts.untold() },
        vector: foreign.vector(),
        waitMs: isPrompt ? HOLD_MS : 0,
      }
      const heard = await call(STORE_PATHS.heartbeat, request, HeartbeatAnswer, HOLD_MS + LATE_MS, signal)
      if (heard.kind !== 'answer') return
      const { applied, metrics } = heard.body
      if (metrics) events.emit('scraped')
      // Its database came back from a backup: greeted anew, it is told again what it has lost.
      if (applied && streams.some(({ name, told }) => (applied[name] ?? 0) < told)) return
      if (heard.body.awaited === true) events.emit('awaited')
      if (!isPrompt && (heard.ms ?? 0) > PROMPT_MS) await pause(clock, HOLD_MS, signal)
      else become('connected')
      const vector = foreign.vector()
      const isNews = Object.entries(heard.body.heads).some(([stream, seq]) => seq > (vector[stream] ?? 0))
      if (isNews && foreign.kinds().length > 0 && !(await pullAll(signal))) return
      // Without anybody who follows it, news is no reason to ask at once again.
      if (isNews && foreign.kinds().length === 0) await pause(clock, HOLD_MS, signal)
    }
  }

  async function pullAll(signal: AbortSignal): Promise<boolean> {
    for (const group of foreign.pulled())
      for (let more = true; more;) {
        const request: PullRequest = { protocol: STORE_PROTOCOL, vector: group.vector(), kinds: group.kinds() }
        const heard = await call(STORE_PATHS.pull, request, PullAnswer, CALL_MS, signal)
        if (heard.kind !== 'answer') return false
        group.take(heard.body.facts, heard.body.vector)
        more = heard.body.more
      }
    return true
  }

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      if (await hello()) {
        backOff.reset()
        become('connected')
        events.emit('reached')
        const lost = new AbortController()
        const signal = AbortSignal.any([ending.signal, lost.signal])
        const both = [telling(signal), hearing(signal)]
        // Where one of the two ends, the connection is not what it was: begin anew.
        await Promise.race(both)
        lost.abort()
        await Promise.all(both)
        if (!ending.signal.aborted) become('away')
      }
      await backOff.wait(ending.signal)
    }
  }

  return {
    state: (): StoreState => ({ ...state, untold: facts.untold(), aside: foreign.aside() }),
    events,
    /** Sealed and hashed as every lane of the store does; null until it has spoken with the store once. */
    seal: key.current,
    follow: foreign.follow,
    /** There is something new to tell: soon, without anybody waiting. */
    kick: (): void => {
      wake()
    },
    /** Asks what only the store knows, for at most `ASK_MS`. Once nobody has answered in time, none is asked again. */
    async ask<T>(path: string, body: unknown, schema: z.ZodType<T>, ms: number = ASK_MS): Promise<Asked<T>> {
      if (channel === null || ending.signal.aborted || state.kind !== 'connected') return { kind: 'away' }
      const heard = await call(path, body, schema, ms, ending.signal)
      if (heard.kind === 'away' && !ending.signal.aborted && state.kind === 'connected') become('slow')
      return heard
    },
    /** Tells, or asks, what nobody waits for. What becomes of it says nothing of the checkout. */
    tell<T>(path: string, body: unknown, schema: z.ZodType<T>): Promise<Asked<T>> {
      return channel === null ? Promise.resolve({ kind: 'away' }) : call(path, body, schema, CALL_MS, ending.signal)
    },
    start(says: LaneSays): void {
      if (channel === null) return
      health = says
      foreign.followChanges()
      running = run().catch((error: unknown) => {
        log.error({ err: error }, 'the store is not spoken with any more')
        become('away')
      })
    },
    async close(): Promise<void> {
      ending.abort()
      wake()
      await running
      channel?.close()
    },
  }
}
