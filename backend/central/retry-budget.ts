/**
 * What a lane may repeat at once of the calls that move nothing: one after a calm time, and one in twenty of what it
 * sends while each fails (Beyer et al., Site Reliability Engineering, ch. 21; gRFC A6 "retry throttling"). Pure.
 */
export type RetryBudget = number

const MOST = 1
const EARNED_BY_A_CALL = 0.05

export const FULL_BUDGET: RetryBudget = MOST

/** A call was sent for the first time. */
export const earned = (budget: RetryBudget): RetryBudget => Math.min(MOST, budget + EARNED_BY_A_CALL)

export const mayRepeat = (budget: RetryBudget): boolean => budget >= 1

/** A call was repeated. */
export const spent = (budget: RetryBudget): RetryBudget => budget - 1
