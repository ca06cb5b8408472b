import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'

/** How a process ended. `code` is null when a signal ended it. */
export interface Exit {
  readonly code: number | null
  readonly signal: string | null
}

/** A started process as the supervision sees it: Node's child processes and Electron's utility processes both fit. */
export interface ServiceProcess {
  readonly pid: number | undefined
  readonly stdout: Readable
  readonly stderr: Readable
  readonly exited: Promise<Exit>
  /** Asks the process to finish its work and end. */
  stop(): void
  /** Ends it at once. */
  kill(): void
}

export interface ProcessRequest {
  /** The program's main file. */
  readonly script: string
  readonly args: readonly string[]
  /** Added to the environment: the place for a secret, which never stands in argv. */
  readonly env: Readonly<Record<string, string>>
}
export type Launch = (request: ProcessRequest) => ServiceProcess

/**
 * What the C library (glibc) does with memory that a program has freed: one pool, and its end goes back to the system
 * at once. Elsewhere it means nothing. docs/decisions/0012-memory-of-the-backend.md
 */
const GIVES_BACK = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' }

/**
 * Starts a program of this repository under the Node that runs this file.
 *
 * The child's standard input is a parent guard: it stays open as long as this process lives, and the child runs with
 * `--exit-with-stdin`, so that it ends even when this process is killed without a chance to clean up.
 * It gets its own process group, so that Ctrl-C reaches the supervisor alone, which then stops things in order.
 */
export const launchNode: Launch = ({ script, args, env }) => {
  const child = spawn(process.execPath, [script, ...args, '--exit-with-stdin'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...GIVES_BACK, ...env },
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
  // A child that dies early closes its end first; writing the end of the parent guard then fails harmlessly.
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
      // Windows knows no SIGTERM: there the end of standard input alone asks the child to finish.
      if (process.platform !== 'win32') child.kill('SIGTERM')
    },
    kill: () => void child.kill('SIGKILL'),
  }
}
