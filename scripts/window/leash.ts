import { spawn } from 'node:child_process'

/**
 * `node leash.ts PROGRAM ARGS…` runs a program that knows no leash of its own, a browser for instance, and ends it
 * when standard input closes: that is, when whoever started this is gone, even by SIGKILL. Ends with the program's code.
 */
const [program, ...args] = process.argv.slice(2)
if (program === undefined) {
  console.error('leash: name the program to run')
  process.exit(2)
}
const onWindows = process.platform === 'win32'
const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: !onWindows })
child.once('error', (error) => {
  console.error(`could not start ${program}: ${error.message}`)
  process.exit(127)
})
child.once('exit', (code) => process.exit(code ?? 1))

let asked = false
const end = (): void => {
  if (asked || child.pid === undefined) return
  asked = true
  if (onWindows) child.kill()
  // Its own process group: a browser's helpers go with it.
  else process.kill(-child.pid, 'SIGTERM')
  setTimeout(() => { if (!onWindows && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL') }, 5_000)
}
process.stdin.once('end', end)
process.stdin.once('error', end)
process.stdin.resume()
process.on('SIGTERM', end)
