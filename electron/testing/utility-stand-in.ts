import { spawn } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import type { ProcessRequest } from '../service.ts'
import type { UtilityChild } from '../utility-streams.ts'

/**
 * Electron's utility process without Electron: a real Node without standard input, behind streams that Electron's
 * worst hour is played on. What the child wrote arrives only after its end was told, and by then every listener on the
 * streams has been dropped.
 */
export function forkLikeElectron({ script, args, env }: ProcessRequest): UtilityChild {
  const node = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  const child = Object.assign(new EventEmitter(), { pid: node.pid, stdout: new PassThrough(), stderr: new PassThrough(), kill: () => node.kill() })
  node.once('exit', (code) => {
    try {
      child.emit('exit', code ?? 1)
    } finally {
      child.stdout.removeAllListeners()
      child.stderr.removeAllListeners()
      node.stdout.pipe(child.stdout)
      node.stderr.pipe(child.stderr)
    }
  })
  return child
}
