import { earned, FULL_BUDGET, mayRepeat, spent, type RetryBudget } from './retry-budget.ts'
import { isTurnedAway } from './retry-after.ts'
import type { Answer } from './transport.ts'

/** What a lane may repeat at once: one for all of its calls that move nothing. */
export interface Repeats {
  /** A call goes out for the first time. */
  sent(): void
  /** Whether it may be repeated; counts it as repeated. */
  take(): boolean
}

export function createRepeats(): Repeats {
  let budget: RetryBudget = FULL_BUDGET
  return {
    sent() {
      budget = earned(budget)
    },
    take() {
      if (!mayRepeat(budget)) return false
      budget = spent(budget)
      return true
    },
  }
}

/**
 * Whether a call that moves nothing goes once more at once, identical: after 0008, 0096 or silence (specification 3
 * §4.5 rule 6, §7.2), after silence as far as the budget goes. What provably never left is not sent again: nobody is
 * silent there. Nor is what was turned away for now, since whoever has too many calls is not helped by one more.
 */
export function isRepeated(
  first: Answer,
  isDoubtful: (answer: Extract<Answer, { kind: 'answer' }>) => boolean,
  repeats: Pick<Repeats, 'take'>,
): boolean {
  if (first.kind === 'answer') return !isTurnedAway(first) && isDoubtful(first)
  return first.kind === 'unknown' && repeats.take()
}

/** Sends a call that moves nothing, and once more as `isRepeated` says. */
export async function sendWithRetry(
  send: () => Promise<Answer>,
  isDoubtful: (answer: Extract<Answer, { kind: 'answer' }>) => boolean,
  repeats: Repeats,
): Promise<Answer> {
  repeats.sent()
  const first = await send()
  return isRepeated(first, isDoubtful, repeats) ? send() : first
}
