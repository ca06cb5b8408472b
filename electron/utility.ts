import { PassThrough } from 'node:stream'
import { utilityProcess } from 'electron'
import type { Exit, Launch } from './service.ts'

/**
 * Starts a program in Electron's utility process: a Node that reads its code out of the archive and ends with the
 * shell, so that it needs no leash. It is the only Node there is in a package, whose own run-as-node is switched off.
 */
export const launchUtility: Launch = ({ script, args, env }) => {
  const child = utilityProcess.fork(script, [...args], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env }, serviceName: 'Milepost' })
  // Electron types the streams as possibly absent; with `pipe` they are there. An empty stream keeps the types honest.
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  child.stdout?.pipe(stdout)
  child.stderr?.pipe(stderr)
  const exited = new Promise<Exit>((resolve) => { child.once('exit', (code) => resolve({ code, signal: null })) })
  return {
    pid: child.pid,
    stdout,
    stderr,
    exited,
    stop: () => void child.kill(),
    kill: () => { if (child.pid !== undefined) process.kill(child.pid, 'SIGKILL') },
  }
}
