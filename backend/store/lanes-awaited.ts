import { ProblemError } from '../http/problem.ts'

type Awaiting = 'held-sale-lanes-awaited' | 'return-lanes-awaited' | 'voucher-lanes-awaited'

/**
 * The store's data was restored, and nothing of this kind is done before these lanes have told what they did since: its
 * words name them. '' is a lane that the store does not know, and a server of the release before names none.
 */
export const lanesAwaited = (code: Awaiting, lanes: readonly string[] = []): ProblemError =>
  new ProblemError(
    code,
    lanes.map((lane) => ({ path: 'awaited', message: lane })),
  )
