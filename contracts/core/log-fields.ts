import { LOG_LEVELS } from '../operations/support-values.ts'

/**
 * The fields of a log line beside `level`, `time` and `msg`, in the logs of the lane and of the store server:
 * `scripts/log-fields.test.ts` finds what is logged under another name. No field has a card, a PIN, a token or a key.
 */
export const LOG_LINE_FIELDS = [
  'ahead',
  'aheadSeconds',
  'aside',
  'at',
  'backup',
  'behind',
  'buffered',
  'by',
  'bytes',
  'card',
  'cause',
  'channel',
  'checked',
  'claim',
  'code',
  'copy',
  'correlationId',
  'cursors',
  'delayMs',
  'detail',
  'draw',
  'edition',
  'entriesLost',
  'entryMode',
  'epoch',
  'err',
  'errorCode',
  'failed',
  'failures',
  'fields',
  'file',
  'folder',
  'freeMb',
  'from',
  'fromSchema',
  'heard',
  'issues',
  'kind',
  'kinds',
  'lane',
  'latencyMs',
  'left',
  'lines',
  'locale',
  'method',
  'ms',
  'name',
  'neededMb',
  'newestEntryAt',
  'operation',
  'outcome',
  'path',
  'place',
  'reason',
  'received',
  'reference',
  'reqId',
  'role',
  'route',
  'running',
  'said',
  'schema',
  'seconds',
  'seq',
  'service',
  'settled',
  'signal',
  'staff',
  'state',
  'status',
  'store',
  'stream',
  'to',
  'told',
  'trace',
  'type',
  'unproven',
  'version',
  'why',
] as const

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

/** What programs that have no logger write into a log; `npm run lab log-messages` finds the texts by their name. */
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

const COLLECTOR_NUMBER = /8\d{6}(\d{4})(?!\d)/g

/** Eleven digits that begin with 8 leave only their last four, whatever field or text of a log line they stand in. */
export const maskInLog = (text: string): string => text.replace(COLLECTOR_NUMBER, '•••••••$1')

/** Whether the log would not write the text as it is. */
export const isMaskedInLog = (text: string): boolean => text.search(COLLECTOR_NUMBER) >= 0
