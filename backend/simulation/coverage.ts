import { ARROWS_OF_PEOPLE, ISSUANCE_ARROWS, REDEMPTION_ARROWS } from '../outbox/states.ts'

const named = (arrows: Readonly<Record<string, readonly string[]>>): string[] =>
  Object.entries(arrows).flatMap(([from, targets]) => targets.map((to) => ` ${from}→${to}`))

/** Every arrow of both state machines, as the journal's witness names it after the intention. */
export const ARROWS_SEEN_BY_NAME: readonly string[] = [
  ...named(REDEMPTION_ARROWS),
  ...named(ISSUANCE_ARROWS),
  ...Object.values(ARROWS_OF_PEOPLE).flatMap((arrows) => Object.entries(arrows).map(([from, to]) => ` ${from}→${to}`)),
]
