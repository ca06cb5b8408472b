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
 * Creates a log of JSON lines with level, time, msg, the fields of `contracts/core/log-fields.ts`, and `trace` inside a
 * trace. Every line is masked as a last defence against collector numbers.
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
