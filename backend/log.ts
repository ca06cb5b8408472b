import { pino, type DestinationStream, type Logger } from 'pino'

export type { Logger } from 'pino'

const COLLECTOR_NUMBER = /8\d{6}(\d{4})(?!\d)/g

/**
 * JSON lines on stderr. Every line passes through the masker as a last line of defence:
 * eleven digits that begin with 8 leave only their last four, whatever field or text they stood in.
 */
export function createLogger(options: { level: string; destination: DestinationStream }): Logger {
  const masked: DestinationStream = {
    write: (line) => {
      options.destination.write(maskNumbers(line))
    },
  }
  return pino({ level: options.level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, masked)
}

export const maskNumbers = (text: string): string => text.replace(COLLECTOR_NUMBER, '•••••••$1')
