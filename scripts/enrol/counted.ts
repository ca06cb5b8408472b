/** A number with its noun: `1 code`, `3 codes`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

interface Lane {
  readonly store: string
  readonly lane: string
}

/** As many as somebody reads. */
const MOST_NAMED = 20

/** Lanes by their names, each once. */
export function lanesOf(lanes: readonly Lane[]): string {
  const names = [...new Set(lanes.map(({ store, lane }) => `${store}/${lane}`))]
  const more = names.length - MOST_NAMED
  return `${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
