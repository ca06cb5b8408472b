import { destination } from 'pino'
import { systemClock } from '../../../core/clock.ts'
import { StartRefusedError } from '../../../core/program/data-folder.ts'
import { createLogger } from '../../../core/log.ts'
import { readProfileLane } from '../../../core/profile/profile-lane.ts'
import { laneDiskSpace, usualFolder } from './report.ts'
import { inspectDevices } from './inspect.ts'
import { parseToolOptions, USAGE } from './options.ts'
import { jsonReporter, lineReporter, screenReporter } from './reporters.ts'
import { toolMessages } from './messages.ts'

/**
 * `npm run milepost devices`: the installer looks at the devices and the disk of a lane. Opens no data folder and
 * speaks to no service.
 */
async function run(): Promise<number> {
  const options = parseToolOptions(process.argv.slice(2))
  if (options === 'help') {
    process.stdout.write(`${USAGE}\n`)
    return 0
  }
  const { profile, lane } = readProfileLane(options.profile, options.lane, options.locale)

  const words = toolMessages(options.locale, profile, lane)
  const write = (text: string): void => {
    process.stdout.write(text)
  }
  const { now } = systemClock
  const room = () => laneDiskSpace(options.data ?? usualFolder(profile.store.id, lane.id))
  const redraws = process.stdout.isTTY && !options.once && !options.json
  const enough = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      enough.abort()
    })
  // Whoever read the output has gone.
  process.stdout.on('error', () => {
    enough.abort()
  })

  return inspectDevices({
    ...options,
    room,
    profile,
    profileFile: options.profile,
    lane,
    words,
    redraws,
    clock: systemClock,
    enough: enough.signal,
    log: createLogger({ level: 'silent', destination: destination({ fd: 2, sync: true }) }),
    reporter: options.json
      ? jsonReporter(write, room)
      : redraws
        ? screenReporter(write, words, now, room)
        : lineReporter(write, words, now, room),
    complain: (text) => {
      process.stderr.write(`${text}\n`)
    },
  })
}

run().then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    const refused = error instanceof StartRefusedError
    process.stderr.write(
      `${refused ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    )
    process.exitCode = refused ? error.exitCode : 1
  },
)
