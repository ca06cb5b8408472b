import ret, { types, type Root, type Token } from 'ret'

/** The tokenizer is the module itself, although the package's types declare it as the default export. */
const tokenizer = ret as unknown as (source: string) => Root

const LONGEST_TEXT = 512
/**
 * Maximum number of paths: those of one unbounded repetition over the longest text with a few alternatives, which take
 * some milliseconds at most.
 */
const MAX_PATHS = 8 * LONGEST_TEXT

/**
 * Whether matching a pattern of the profile takes bounded time for any card or barcode, because backtracking would
 * freeze the whole lane. Counts the paths that the engine may try: `(\d+)+` has 2^511 over the longest text, the
 * patterns of a program's cards have one.
 */
export function isBoundedPattern(source: string): boolean {
  // The parser reads an empty class as the start of a longer one, which would give a wrong count, so it is refused.
  if (source.includes('[]') || source.includes('[^]')) return false
  try {
    return pathsOf(source) <= MAX_PATHS
  } catch {
    // Refuses patterns whose paths cannot be counted: lookbehind, and flags inside the pattern.
    return false
  }
}

/** Upper bound of the number of paths through the pattern over the longest text, possibly Infinity. */
export function pathsOf(source: string): number {
  const root = tokenizer(source)
  const starts = sequencesOf(root).every(([first]) => first?.type === types.POSITION && first.value === '^')
    ? 1
    : LONGEST_TEXT
  return starts * pathsOfGroup(root)
}

interface Sequences {
  readonly stack?: Token[]
  readonly options?: Token[][]
}
const sequencesOf = ({ stack, options }: Sequences): Token[][] => options ?? [stack ?? []]

const pathsOfGroup = (group: Sequences): number =>
  sequencesOf(group).reduce(
    (sum, sequence) => sum + sequence.reduce((product, token) => product * pathsOfToken(token), 1),
    0,
  )

function pathsOfToken(token: Token): number {
  switch (token.type) {
    case types.GROUP:
      return pathsOfGroup(token)
    case types.REPETITION:
      return pathsOfRepetition(token.min, Math.min(token.max ?? Infinity, LONGEST_TEXT), pathsOfToken(token.value))
    case types.POSITION:
    case types.SET:
    case types.REFERENCE:
    case types.CHAR:
      return 1
  }
}

/** Paths of `min` to `max` repetitions of a group that has `once` paths: the sum of once^k. */
function pathsOfRepetition(min: number, max: number, once: number): number {
  if (once === 1) return Math.max(1, max - min + 1)
  let ways = 0
  for (let times = min; times <= max && ways <= MAX_PATHS; times += 1) ways += once ** times
  return ways
}
