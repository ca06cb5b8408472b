import type { z } from 'zod'
import { StoreRefusal } from '../../contracts/store/protocol.ts'
import type { Logger } from '../log.ts'
import type { Asked, StoreAnswer } from './channel.ts'

/** Reads what came back by its schema; `ms` is how long an answer took. */
export const createReadAnswer =
  (log: Pick<Logger, 'warn'>) =>
  <T>(path: string, answer: StoreAnswer, schema: z.ZodType<T>): Asked<T> & { ms?: number } => {
    if (answer.kind === 'away') return { kind: 'away', isReached: answer.isReached === true }
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
