import type { FastifyBaseLogger } from 'fastify'
import { DatabaseError } from 'pg'
import { pino } from 'pino'
import type { LogCounts } from '../contracts/log-counts.ts'
import { maskInLog } from '../contracts/log-masking.ts'

export type Log = Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>

/** Told of the lines of a log; `lost`: of one that could not be written. */
export interface WatchedLog {
  readonly counts: Pick<LogCounts, 'line'>
  readonly lost: () => void
}

/** What standard error does not take is kept up to so many bytes, and written with the next line that it takes. */
const MOST_KEPT = 64 * 1024

/**
 * Lines of JSON on standard error: level, time, msg, and fields by the names that `contracts/log-fields.ts` lists;
 * `trace` where a lane gave one. A disk that is full keeps nobody from being served.
 */
export function createLog(level: string, watched?: WatchedLog): FastifyBaseLogger {
  const destination = pino.destination({ dest: 2, sync: true, maxLength: MOST_KEPT })
  destination.on('error', () => undefined)
  destination.on('drop', () => watched?.lost())
  const masked = {
    write(line: string) {
      const written = maskInLog(line)
      watched?.counts.line(line, written !== line)
      destination.write(written)
    },
  }
  const serializers = { err: errorInLog }
  return pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime, serializers }, masked)
}

/** The database quotes in its words what it was given, and whose row was in the way: of them its code is enough. */
function errorInLog(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error }
  const { name: type, message, stack = '' } = error
  const frames = stack.slice(stack.indexOf('\n    at ') + 1)
  if (!(error instanceof DatabaseError)) return { type, message, stack: frames }
  const { code, table, constraint } = error
  return { type: 'DatabaseError', code, table, constraint, stack: frames }
}
