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
 * Electron's utility process without Electron: a real Node without standard input, behind streams that Electron's
 * worst hour is played on. What the child wrote arrives only after its end was told, and by then every listener on the
 * streams has been dropped. An unhandled rejection is a warning; a signal is told as the number that waitpid gave.
 */
export function forkLikeElectron({ script, args, env }: ProcessRequest): UtilityChild {
  return forkModule(UTILITY_MAIN, [script, ...args], { ...process.env, ...env }, 'late')
}

/** `live`: what the child says arrives as it says it; its last words still come when its end has been told. */
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
    // As on Windows; on POSIX it is a SIGTERM that two seconds later has become this.
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
  // The channel lives as long as the child does: it is no reason for this process to stay.
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
