import type { Say } from './words.ts'

interface Lane {
  readonly store: string
  readonly lane: string
}

/** As many as somebody reads. */
const MOST_NAMED = 20

/** Lanes by their names, each once. */
export function lanesOf(lanes: readonly Lane[], say: Say): string {
  const names = [...new Set(lanes.map(({ store, lane }) => `${store}/${lane}`))]
  const more = names.length - MOST_NAMED
  const some = names.slice(0, MOST_NAMED).join(', ')
  return more > 0 ? say('more', { lanes: some, count: String(more) }) : some
}
