import type { FastifyBaseLogger } from 'fastify'
import { pino } from 'pino'

export type Log = Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>

/** Lines of JSON on standard error. */
export const createLog = (level: string): FastifyBaseLogger =>
  pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination({ dest: 2, sync: true }))
