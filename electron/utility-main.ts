import { pathToFileURL } from 'node:url'
import { raiseExitCode } from '../packages/supervisor/shell/utility-streams.ts'

/**
 * What runs first in a utility process: `utility-main SCRIPT ARGS…`. It gives the program the ends that it has
 * under Node: asked to end, it finishes its work; a rejection that nobody handles ends it, which
 * Electron turns into a mere warning (electron#45921); and its exit code is told apart from a signal.
 */
const script = process.argv[2]
// The program finds its arguments where it would without this file.
process.argv.splice(1, 1)

process.on('exit', (code) => {
  process.exitCode = raiseExitCode(code)
})
process.on('unhandledRejection', (reason) => {
  const words = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)
  process.stderr.write(`${words}\n`, () => process.exit(1))
})
// On Windows there is no SIGTERM, and on POSIX Electron kills two seconds after its own: the shell asks in words.
process.parentPort.on('message', ({ data }: { data: unknown }) => {
  if (data !== 'stop') return
  if (process.listenerCount('SIGTERM') === 0) process.exit(0)
  process.emit('SIGTERM')
})

if (script === undefined) throw new Error('utility-main: name the program to run')
await import(pathToFileURL(script).href)
