import { untilStopRequested } from '../../supervisor/launcher/run-terminal.ts'

const LOOK_MS = 500

/**
 * Resolves at a stop signal, and also when the parent npm process ends, because the shell between them forwards no
 * signal.
 */
export const untilEndRequested = (): Promise<'asked'> => Promise.race([untilStopRequested(), untilNpmEnds()])

function untilNpmEnds(): Promise<'asked'> {
  const { promise, resolve } = Promise.withResolvers<'asked'>()
  const parent = process.ppid
  const look = (): void => {
    if (process.ppid !== parent) resolve('asked')
  }
  if (process.env['npm_lifecycle_event'] !== undefined) setInterval(look, LOOK_MS).unref()
  return promise
}
