import { pathToFileURL } from 'node:url'
import { raiseExitCode } from '../packages/supervisor/shell/utility-streams.ts'

/**
 * Entry point of a utility process: `utility-main SCRIPT ARGS…`. Gives the program the exits that it has under Node: it
 * finishes its work on a stop message; an unhandled rejection ends it, where Electron only warns (electron#45921); and
 * its exit code can be distinguished from a signal.
 */
const script = process.argv[2]
// The path of this file is removed, so that the program finds its arguments where it would without this file.
process.argv.splice(1, 1)

process.on('exit', (code) => {
  process.exitCode = raiseExitCode(code)
})
process.on('unhandledRejection', (reason) => {
  const text = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)
  process.stderr.write(`${text}\n`, () => process.exit(1))
})
// The shell asks the program to stop by a message: Windows has no SIGTERM, and on POSIX Electron kills a process two
// seconds after sending it.
process.parentPort.on('message', ({ data }: { data: unknown }) => {
  if (data !== 'stop') return
  if (process.listenerCount('SIGTERM') === 0) process.exit(0)
  process.emit('SIGTERM')
})

if (script === undefined) throw new Error('utility-main: name the program to run')
await import(pathToFileURL(script).href)
