import { pino, type DestinationStream, type Logger } from 'pino'
import { type LogCounts, maskInLog } from '../../contracts/core/log-fields.ts'
import { traceNow } from './trace.ts'

export type { Logger } from 'pino'

export interface LoggerOptions {
  readonly level: string
  readonly destination: DestinationStream
  /** Told of every line; left out where nobody asks for the counts. */
  readonly counts?: LogCounts
}

/**
 * JSON lines on stderr: level, time, msg, and fields by the names that `contracts/core/log-fields.ts` lists; `trace`
 * where something is done in one. Every line passes through the masker as a last line of defence.
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
