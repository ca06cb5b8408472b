import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'

export interface Exit {
  readonly code: number | null
  readonly signal: string | null
}

export interface ServiceProcess {
  readonly pid: number | undefined
  readonly stdout: Readable
  readonly stderr: Readable
  readonly exited: Promise<Exit>
  stop(): void
  kill(): void
}

export interface ProcessRequest {
  readonly script: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}
export type Launch = (request: ProcessRequest) => ServiceProcess

/**
 * Environment that makes glibc use one memory pool and return freed memory at its end to the system immediately. It has
 * no effect on other systems (docs/decisions/0012-memory-of-the-backend.md).
 */
const MALLOC_SETTINGS = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' }

/**
 * Starts a program of this repository with the Node that runs this file. The child’s standard input is a parent guard:
 * it stays open while this process lives, and `--exit-with-stdin` ends the child even if this process is killed. The
 * child has its own process group, so that Ctrl-C reaches only the supervising process, which then stops everything
 * gracefully.
 */
export const launchNode: Launch = ({ script, args, env }) => {
  const child = spawn(process.execPath, [script, ...args, '--exit-with-stdin'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...MALLOC_SETTINGS, ...env },
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
  // A child that exits early closes its end of the parent guard: the write error is ignored.
  child.stdin.on('error', () => {})
  const exited = new Promise<Exit>((resolve) => {
    child.once('error', (error) => {
      child.stderr.push(`could not start ${script}: ${error.message}\n`)
      resolve({ code: 127, signal: null })
    })
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  return {
    pid: child.pid,
    stdout: child.stdout,
    stderr: child.stderr,
    exited,
    stop: () => {
      child.stdin.end()
      // Windows has no SIGTERM, so only the end of standard input asks the child to finish.
      if (process.platform !== 'win32') child.kill('SIGTERM')
    },
    kill: () => void child.kill('SIGKILL'),
  }
}
