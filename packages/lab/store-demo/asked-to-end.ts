import { untilAskedToEnd } from '../../supervisor/launcher/run-terminal.ts'

const LOOK_MS = 500

/** As `untilAskedToEnd`, and when npm has gone that started this: the shell between the two hands no signal on. */
export const untilDemoIsToEnd = (): Promise<'asked'> => Promise.race([untilAskedToEnd(), untilNpmIsGone()])

function untilNpmIsGone(): Promise<'asked'> {
  const { promise, resolve } = Promise.withResolvers<'asked'>()
  const parent = process.ppid
  const look = (): void => {
    if (process.ppid !== parent) resolve('asked')
  }
  if (process.env['npm_lifecycle_event'] !== undefined) setInterval(look, LOOK_MS).unref()
  return promise
}
