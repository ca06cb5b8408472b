import { LOG_LEVELS } from './support-values.ts'

type Level = (typeof LOG_LEVELS)[keyof typeof LOG_LEVELS]

/** How many lines the log was given since the program started. */
export interface LogCounts {
  /** `masked`: a collector number was taken out of it. */
  line(line: string, masked: boolean): void
  readonly byLevel: ReadonlyMap<Level, number>
  readonly masked: number
}

/** As pino begins each line. */
const LEVEL = /^\{"level":(\d+)/
const LEVELS = new Map(Object.entries(LOG_LEVELS))

export function createLogCounts(): LogCounts {
  const byLevel = new Map<Level, number>()
  let maskedLines = 0
  return {
    line(line, masked) {
      const level = LEVELS.get(LEVEL.exec(line)?.[1] ?? '')
      if (level !== undefined) byLevel.set(level, (byLevel.get(level) ?? 0) + 1)
      if (masked) maskedLines += 1
    },
    byLevel,
    get masked() {
      return maskedLines
    },
  }
}
