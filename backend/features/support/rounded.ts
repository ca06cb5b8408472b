/** Smaller numbers stay as they are: no PIN is so short, and a status of HTTP is one. */
const EXACT = 1_000

/** Four digits and more to two: what is left says how much it was, and is no PIN and no part of a card's number. */
export function rounded(value: number): number {
  if (Math.abs(value) < EXACT) return value
  const step = 10 ** (Math.floor(Math.log10(Math.abs(value))) - 1)
  return Math.round(value / step) * step
}

/** The same value with every number in it rounded, wherever it came from. */
export function withRounded(value: unknown): unknown {
  if (typeof value === 'number') return rounded(value)
  if (Array.isArray(value)) return value.map(withRounded)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withRounded(part)]))
}

/** The most that a support file holds once it is rounded: 999,999,999 would become one more. */
export const MOST_ROUNDED = 990_000_000

/** Whole seconds, no more than a support file holds: thirty years say as much as fifty. */
export const boundedSeconds = (seconds: number): number =>
  Math.max(-MOST_ROUNDED, Math.min(MOST_ROUNDED, Math.round(seconds)))

/** An id in plain letters and digits, as a support file and its name take it. A store may be called anything. */
export const plainId = (id: string): string =>
  id
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\w.-]+/g, '.')
    .slice(0, 64)
