import { spawn } from 'node:child_process'
import os from 'node:os'

/**
 * `node parent-guard.ts [--in-order] PROGRAM ARGS…` runs a program without its own parent guard, such as a browser, and
 * ends the program when standard input closes: when its parent has ended, even by SIGKILL. Exits with the program’s
 * code, or as a shell with 128 plus the number of the signal. With `--in-order` only the program itself is asked to end
 * and gets more time, because it ends its own processes.
 */
const given = process.argv.slice(2)
const endsGracefully = given[0] === '--in-order'
const [program, ...args] = endsGracefully ? given.slice(1) : given
if (program === undefined) {
  console.error('parent guard: name the program to run')
  process.exit(2)
}
const onWindows = process.platform === 'win32'
const GRACE_MS = endsGracefully ? 20_000 : 5_000
const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: !onWindows })
child.once('error', (error) => {
  console.error(`could not start ${program}: ${error.message}`)
  process.exit(127)
})
child.once('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 128 + os.constants.signals[signal])))

let isStopping = false
const end = (): void => {
  if (isStopping || child.pid === undefined) return
  isStopping = true
  if (onWindows || endsGracefully) child.kill()
  // The program has its own process group, so that a browser’s helper processes end too.
  else process.kill(-child.pid, 'SIGTERM')
  setTimeout(() => {
    if (!onWindows && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }, GRACE_MS)
}
process.stdin.once('end', end)
process.stdin.once('error', end)
process.stdin.resume()
process.on('SIGTERM', end)
