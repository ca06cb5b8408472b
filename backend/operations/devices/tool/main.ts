import { StartRefusedError } from '../../../core/program/data-folder.ts'
import { readProfileLane } from '../../../core/profile/profile-lane.ts'
import { inspectDevices } from './inspect.ts'
import { parseToolOptions, USAGE } from './options.ts'

/**
 * `npm run milepost devices`: shows an installer the devices and the disk space of a lane. Opens no data folder and
 * calls no service.
 */
async function run(): Promise<number> {
  const options = parseToolOptions(process.argv.slice(2))
  if (options === 'help') {
    process.stdout.write(`${USAGE}\n`)
    return 0
  }
  const { profile, lane } = readProfileLane(options.profile, options.lane, options.locale)

  const enough = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      enough.abort()
    })
  // The reader of the output has closed the pipe (`| head`).
  process.stdout.on('error', () => {
    enough.abort()
  })

  return inspectDevices(options, profile, lane, enough.signal)
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
