import ret, { types, type Root, type Token } from 'ret'

/** The package is its tokenizer; its types call that the package's default. */
const tokenizer = ret as unknown as (source: string) => Root

/** As many characters as a reader or a scanner hands on at most. */
const LONGEST_TEXT = 512
/**
 * One open choice (`*`, `+`) over the longest text, and a few alternatives beside it: some milliseconds at the worst.
 */
const MOST_WAYS = 8 * LONGEST_TEXT

/**
 * Whether a pattern of the profile can be matched in bounded work, whatever a card or barcode says: the engine goes
 * back and tries every way there is before it gives up, and on a lane nothing else happens meanwhile. Its ways are
 * counted instead of its time: `(\d+)+` has 2^511 of them on the longest text, the patterns of a program's cards have
 * one.
 */
export function isBoundedPattern(source: string): boolean {
  // The parser takes an empty class for the beginning of a longer one, and would count what is not there.
  if (source.includes('[]') || source.includes('[^]')) return false
  try {
    return waysOf(source) <= MOST_WAYS
  } catch {
    // What cannot be counted is not let in: looking behind, and flags inside the pattern.
    return false
  }
}

/** In how many ways the engine can walk the pattern over the longest text: an upper bound, Infinity included. */
export function waysOf(source: string): number {
  const root = tokenizer(source)
  const starts = sequencesOf(root).every(([first]) => first?.type === types.POSITION && first.value === '^')
    ? 1
    : LONGEST_TEXT
  return starts * waysOfGroup(root)
}

interface Sequences {
  readonly stack?: Token[]
  readonly options?: Token[][]
}
const sequencesOf = ({ stack, options }: Sequences): Token[][] => options ?? [stack ?? []]

/** One alternative or another, and in each of them one thing after the other. */
const waysOfGroup = (group: Sequences): number =>
  sequencesOf(group).reduce(
    (sum, sequence) => sum + sequence.reduce((product, token) => product * waysOfToken(token), 1),
    0,
  )

function waysOfToken(token: Token): number {
  switch (token.type) {
    case types.GROUP:
      return waysOfGroup(token)
    case types.REPETITION:
      return waysOfRepetition(token.min, Math.min(token.max ?? Infinity, LONGEST_TEXT), waysOfToken(token.value))
    case types.POSITION:
    case types.SET:
    case types.REFERENCE:
    case types.CHAR:
      return 1
  }
}

/** Anything from `min` to `max` times: the sum of once^k. */
function waysOfRepetition(min: number, max: number, once: number): number {
  if (once === 1) return Math.max(1, max - min + 1)
  let ways = 0
  for (let times = min; times <= max && ways <= MOST_WAYS; times += 1) ways += once ** times
  return ways
}
