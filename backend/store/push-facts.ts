import {
  MAX_FACTS,
  MAX_FACTS_BYTES,
  PushAnswer,
  STORE_PATHS,
  STORE_PROTOCOL,
  type Fact,
  type PushRequest,
} from '../../contracts/store/protocol.ts'
import { type Ctx, provided } from '../core/context.ts'
import { CALL_MS } from './channel.ts'
import { setState, call, linkOf } from './link-state.ts'
import { unreadableFact, type ReadFact } from './read-fact.ts'
import type { FactsRepository, Stream } from './facts.sql.ts'

/** Maximum size of a fact in bytes; the largest push that the server accepts has room for it. */
const MAX_FACT_BYTES = 3 * 1024 * 1024
/** Reasons of a refusal after which the lane reconnects. The reconnect removes the reason, or is itself refused. */
const RECONNECT_REASONS: readonly string[] = ['gap', 'unknown-stream', 'token', 'proof', 'protocol']

/**
 * Why a push ended early. `refused`: the server accepts no more facts of this stream; `reconnect`: the lane must
 * reconnect; `no-answer`: the server did not answer.
 */
type PushFailure = 'refused' | 'no-answer' | 'reconnect'

export const factPusherOf = provided<ReturnType<typeof createFactPusher>>('the link to the store')

export function createFactPusher(ctx: Ctx, facts: FactsRepository, readFact: ReadFact) {
  const { transact, log } = ctx
  let isRefused = false

  /**
   * Returns the next facts of a stream that fit into one push. A fact that is too large is replaced by a marker, so
   * that it does not block later ones.
   */
  function nextOf(stream: Stream): Fact[] {
    const batch: Fact[] = []
    let bytes = 0
    for (const row of facts.next(stream, MAX_FACTS)) {
      let fact = readFact(row)
      let size = sizeOf(fact)
      if (size > MAX_FACT_BYTES) {
        fact = unreadableFact(row, 'the fact is too large')
        size = sizeOf(fact)
      }
      bytes += size
      if (batch.length > 0 && bytes > MAX_FACTS_BYTES) break
      batch.push(fact)
    }
    return batch
  }

  async function push(epoch: number, signal: AbortSignal): Promise<boolean | PushFailure> {
    const stream = facts.streams().find((one) => one.epoch === epoch)
    const batch = stream ? nextOf(stream) : []
    if (!stream || batch.length === 0) return false
    const { name } = stream
    const request: PushRequest = { protocol: STORE_PROTOCOL, stream: name, epoch, facts: batch }
    const result = await call(ctx, STORE_PATHS.facts, request, PushAnswer, CALL_MS, signal)
    if (result.kind === 'no-answer') return 'no-answer'
    if (result.kind === 'refused' && RECONNECT_REASONS.includes(result.why)) return 'reconnect'
    if (result.kind === 'refused' && result.why === 'other-history' && epoch !== facts.streams().at(-1)?.epoch) {
      log.warn({ stream: name }, 'pushing facts of an earlier history in the newest one')
      transact((tx) => {
        facts.leave(tx, epoch)
      })
      return true
    }
    if (result.kind === 'refused') {
      if (!isRefused) log.error({ why: result.why, stream: name }, 'the store refuses the facts of this lane')
      isRefused = true
      return 'refused'
    }
    isRefused = false
    const { applied, aside } = result.body
    if (aside.length > 0)
      log.warn({ stream: name, aside: aside.length }, 'the store skipped facts that it could not apply')
    transact((tx) => {
      facts.confirm(tx, epoch, applied)
    })
    setState(ctx, linkOf(ctx).state.kind)
    return true
  }

  return {
    /** Whether the server refuses this stream: two lanes run on copies of one folder, or the server cannot read it. */
    isRefused: (): boolean => isRefused,
    async all(signal: AbortSignal): Promise<'sent' | PushFailure> {
      for (const { epoch } of facts.streams())
        for (let more = true; more;) {
          const pushed = await push(epoch, signal)
          if (typeof pushed === 'string') return pushed
          more = pushed
        }
      isRefused = false
      return 'sent'
    },
  }
}

const sizeOf = (fact: Fact): number => Buffer.byteLength(JSON.stringify(fact))
