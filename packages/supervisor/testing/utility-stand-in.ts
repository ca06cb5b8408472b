import { spawn } from 'node:child_process'
import { EventEmitter } from 'node:events'
import os from 'node:os'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { ProcessRequest } from '../service.ts'
import type { UtilityChild } from '../shell/utility-streams.ts'

export const UTILITY_MAIN = fileURLToPath(new URL('../../../electron/utility-main.ts', import.meta.url))
const PARENT_PORT = fileURLToPath(new URL('./parent-port-stand-in.ts', import.meta.url))

/**
 * A replacement for Electron’s utility process: a real Node without standard input, with the worst case of Electron’s
 * streams. The child’s output arrives only after its exit event, when every listener has been removed. An unhandled
 * rejection is a warning; a signal is reported as the number from waitpid.
 */
export function forkLikeElectron({ script, args, env }: ProcessRequest): UtilityChild {
  return forkModule(UTILITY_MAIN, [script, ...args], { ...process.env, ...env }, 'late')
}

export function forkModule(
  script: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  output: 'late' | 'live',
): UtilityChild {
  const node = spawn(process.execPath, ['--unhandled-rejections=warn', '--import', PARENT_PORT, script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env,
  })
  const { stdout, stderr } = node
  if (stdout === null || stderr === null) throw new Error('no pipes')
  const child = Object.assign(new EventEmitter(), {
    pid: node.pid,
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    // Ends the child at once, like Electron on Windows. On POSIX, Electron sends SIGTERM, and SIGKILL after two
    // seconds.
    kill: () => node.kill('SIGKILL'),
    postMessage: (message: unknown) => {
      node.send({ data: message }, () => {})
    },
  })
  const relay = (): void => {
    stdout.pipe(child.stdout)
    stderr.pipe(child.stderr)
  }
  if (output === 'live') relay()
  // The message channel must not keep this process running.
  node.channel?.unref()
  node.once('exit', (code, signal) => {
    try {
      child.emit('exit', signal === null ? (code ?? 1) : os.constants.signals[signal])
    } finally {
      stdout.unpipe()
      stderr.unpipe()
      child.stdout.removeAllListeners()
      child.stderr.removeAllListeners()
      relay()
    }
  })
  return child
}
