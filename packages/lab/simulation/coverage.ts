import {
  MANUAL_TRANSITIONS,
  ISSUANCE_TRANSITIONS,
  OFFER_STATE_TRANSITIONS,
  REDEMPTION_TRANSITIONS,
} from '../../../backend/core/outbox/states.ts'

const named = (transitions: Readonly<Record<string, readonly string[]>>): string[] =>
  Object.entries(transitions).flatMap(([from, targets]) => targets.map((to) => ` ${from}→${to}`))

/**
 * Every transition of all state machines, in the form in which the journal’s observer reports it after the operation
 * type.
 */
export const ALL_TRANSITIONS: readonly string[] = [
  ...named(REDEMPTION_TRANSITIONS),
  ...named(ISSUANCE_TRANSITIONS),
  ...named(OFFER_STATE_TRANSITIONS),
  ...Object.values(MANUAL_TRANSITIONS).flatMap((transitions) =>
    Object.entries(transitions).map(([from, to]) => ` ${from}→${to}`),
  ),
]
