import {
  MOST_FACTS,
  MOST_FACTS_BYTES,
  PushAnswer,
  STORE_PATHS,
  STORE_PROTOCOL,
  type Fact,
  type PushRequest,
} from '../../contracts/store/protocol.ts'
import { type Ctx, provided } from '../core/context.ts'
import { CALL_MS } from './channel.ts'
import { become, call, linkOf } from './link-state.ts'
import { unreadableFact, type ReadFact } from './read-fact.ts'
import type { FactsRepository, Stream } from './facts.sql.ts'

/** Of one fact, with room in the largest push that the server reads. */
const MOST_FACT_BYTES = 3 * 1024 * 1024
/** Why a push is refused that the next greeting mends, or refuses in its turn. */
const GREET_ANEW: readonly string[] = ['gap', 'unknown-stream', 'token', 'proof', 'protocol']

/** Nothing more is taken of this history; nobody answered, or it failed there; the next greeting mends it. */
type Untold = 'refused' | 'away' | 'greet'

/** Tells the server what this lane has closed, in order. */
export const tellFactsOf = provided<ReturnType<typeof createTellFacts>>('the link to the store')

export function createTellFacts(ctx: Ctx, facts: FactsRepository, readFact: ReadFact) {
  const { transact, log } = ctx
  let isRefused = false

  /** The next facts of a stream that fit into one push. One that never will says so, and nothing behind it waits. */
  function nextOf(stream: Stream): Fact[] {
    const batch: Fact[] = []
    let bytes = 0
    for (const row of facts.next(stream, MOST_FACTS)) {
      let fact = readFact(row)
      let size = sizeOf(fact)
      if (size > MOST_FACT_BYTES) {
        fact = unreadableFact(row, 'it is too large')
        size = sizeOf(fact)
      }
      bytes += size
      if (batch.length > 0 && bytes > MOST_FACTS_BYTES) break
      batch.push(fact)
    }
    return batch
  }

  /** False: there is nothing more to tell. */
  async function push(epoch: number, signal: AbortSignal): Promise<boolean | Untold> {
    const stream = facts.streams().find((one) => one.epoch === epoch)
    const batch = stream ? nextOf(stream) : []
    if (!stream || batch.length === 0) return false
    const { name } = stream
    const request: PushRequest = { protocol: STORE_PROTOCOL, stream: name, epoch, facts: batch }
    const heard = await call(ctx, STORE_PATHS.facts, request, PushAnswer, CALL_MS, signal)
    if (heard.kind === 'away') return 'away'
    if (heard.kind === 'refused' && GREET_ANEW.includes(heard.why)) return 'greet'
    if (heard.kind === 'refused' && heard.why === 'other-history' && epoch !== facts.streams().at(-1)?.epoch) {
      log.warn({ stream: name }, 'facts of an earlier history are told in the newest one')
      transact((tx) => {
        facts.leave(tx, epoch)
      })
      return true
    }
    if (heard.kind === 'refused') {
      if (!isRefused) log.error({ why: heard.why, stream: name }, 'the store refuses what it is told')
      isRefused = true
      return 'refused'
    }
    isRefused = false
    const { applied, aside } = heard.body
    if (aside.length > 0) log.warn({ stream: name, aside: aside.length }, 'the store has set facts aside')
    transact((tx) => {
      facts.confirm(tx, epoch, applied)
    })
    become(ctx, linkOf(ctx).state.kind)
    return true
  }

  return {
    /** Whether the server takes nothing more of this history: two lanes go on from one, or it reads none of it. */
    isRefused: (): boolean => isRefused,
    /** Tells everything there is. */
    async all(signal: AbortSignal): Promise<'told' | Untold> {
      for (const { epoch } of facts.streams())
        for (let more = true; more;) {
          const pushed = await push(epoch, signal)
          if (typeof pushed === 'string') return pushed
          more = pushed
        }
      isRefused = false
      return 'told'
    },
  }
}

const sizeOf = (fact: Fact): number => Buffer.byteLength(JSON.stringify(fact))
