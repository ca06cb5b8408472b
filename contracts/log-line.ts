import { LOG_LEVELS } from './support-values.ts'

type Level = (typeof LOG_LEVELS)[keyof typeof LOG_LEVELS]

/** What programs that have no logger write into a log; `npm run log-messages` finds the texts by their name. */
export const LOG_TEXTS = {
  beside: { msg: 'something was said beside the log' },
  lost: { msg: 'lines of the log were lost' },
  older: { msg: 'an older log was thrown away' },
  ended: { msg: 'the backend ended unexpectedly' },
  unclean: { msg: 'did not stop cleanly' },
} as const

const NUMBERS = new Map(Object.entries(LOG_LEVELS).map(([number, level]) => [level, Number(number)]))

/** A line as the logger of the backend writes it, without its end. */
export const logLine = (
  level: Level,
  { msg }: { readonly msg: string },
  at: Date,
  fields: Readonly<Record<string, unknown>> = {},
): string => JSON.stringify({ level: NUMBERS.get(level), time: at.toISOString(), ...fields, msg })

/** Whether a text is a line of a log, and not what a program or Node itself has said beside it. */
export function isLogLine(text: string): boolean {
  if (!text.startsWith('{"level":')) return false
  try {
    const line: unknown = JSON.parse(text)
    return typeof line === 'object' && line !== null && 'msg' in line
  } catch {
    return false
  }
}
