import { pino, type DestinationStream, type Logger } from 'pino'
import { type LogCounts, maskInLog } from '../../contracts/core/log-fields.ts'
import { traceNow } from './trace.ts'

export type { Logger } from 'pino'

export interface LoggerOptions {
  readonly level: string
  readonly destination: DestinationStream
  readonly counts?: LogCounts
}

/**
 * Logs JSON lines with level, time, msg, and the fields of `contracts/core/log-fields.ts`; `trace` inside a trace.
 * Masks every line as a last defence.
 */
export function createLogger({ level, destination, counts }: LoggerOptions): Logger {
  const masked: DestinationStream = {
    write: (line) => {
      const written = maskInLog(line)
      counts?.line(line, written !== line)
      destination.write(written)
    },
  }
  return pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin() {
        const trace = traceNow()
        return trace === null ? {} : { trace }
      },
    },
    masked,
  )
}
