import { spawn } from 'node:child_process'
import os from 'node:os'

/**
 * `node parent-guard.ts [--in-order] PROGRAM ARGS…` runs a program that knows no parent guard of its own, a browser for
 * instance, and ends it when standard input closes: that is, when whoever started this is gone, even by SIGKILL. Ends
 * with the program's code, and as a shell does with 128 and the number of the signal that ended it. With `--in-order`
 * the program alone is asked to end, and has longer to: it ends its own processes itself.
 */
const given = process.argv.slice(2)
const inOrder = given[0] === '--in-order'
const [program, ...args] = inOrder ? given.slice(1) : given
if (program === undefined) {
  console.error('parent guard: name the program to run')
  process.exit(2)
}
const onWindows = process.platform === 'win32'
const GRACE_MS = inOrder ? 20_000 : 5_000
const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: !onWindows })
child.once('error', (error) => {
  console.error(`could not start ${program}: ${error.message}`)
  process.exit(127)
})
child.once('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 128 + os.constants.signals[signal])))

let asked = false
const end = (): void => {
  if (asked || child.pid === undefined) return
  asked = true
  if (onWindows || inOrder) child.kill()
  // Its own process group: a browser's helpers go with it.
  else process.kill(-child.pid, 'SIGTERM')
  setTimeout(() => {
    if (!onWindows && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }, GRACE_MS)
}
process.stdin.once('end', end)
process.stdin.once('error', end)
process.stdin.resume()
process.on('SIGTERM', end)
