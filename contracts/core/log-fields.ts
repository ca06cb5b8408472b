import { LOG_LEVELS } from '../operations/support-values.ts'

/**
 * Fields of a log line in addition to `level`, `time` and `msg`, for the lane and the store server;
 * `scripts/log-fields.test.ts` finds fields that are missing here. No field holds a card number, a PIN, a token or a
 * key.
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
  'confirmed',
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
  'output',
  'path',
  'place',
  'reason',
  'received',
  'reference',
  'reported',
  'reqId',
  'role',
  'route',
  'running',
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
  'trace',
  'type',
  'unproven',
  'version',
  'why',
] as const

type Level = (typeof LOG_LEVELS)[keyof typeof LOG_LEVELS]

/** Counts the log lines since the program started: by level, and those from which a collector number was removed. */
export interface LogCounts {
  /** `masked`: whether a collector number was removed from the line. */
  line(line: string, masked: boolean): void
  readonly byLevel: ReadonlyMap<Level, number>
  readonly masked: number
}

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

/**
 * Log messages of programs without a logger; `npm run lab log-messages` finds the texts by the name of this constant.
 */
export const LOG_TEXTS = {
  unlogged: { msg: 'output outside the log' },
  lost: { msg: 'log lines were lost' },
  older: { msg: 'deleted an older log' },
  ended: { msg: 'the backend ended unexpectedly' },
  unclean: { msg: 'did not stop cleanly' },
} as const

const NUMBERS = new Map(Object.entries(LOG_LEVELS).map(([number, level]) => [level, Number(number)]))

/** Returns a line in the format of the backend's logger, without the line end. */
export const logLine = (
  level: Level,
  { msg }: { readonly msg: string },
  at: Date,
  fields: Readonly<Record<string, unknown>> = {},
): string => JSON.stringify({ level: NUMBERS.get(level), time: at.toISOString(), ...fields, msg })

/** Reports whether a text is a log line, not other output of a program or of Node. */
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

/**
 * Masks the first seven of eleven digits that begin with 8 and end their group of digits, in any field or text of a log
 * line.
 */
export const maskInLog = (text: string): string => text.replace(COLLECTOR_NUMBER, '•••••••$1')

export const isMaskedInLog = (text: string): boolean => text.search(COLLECTOR_NUMBER) >= 0
