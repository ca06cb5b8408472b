import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { waitForOutput } from './wait-for-output.ts'

const STRACE = '/usr/bin/strace'

/** The reason why this machine cannot trace system calls or make them fail; null when it can. */
export function noTracer(): string | null {
  if (!existsSync(STRACE)) return 'strace is not installed'
  const tried = spawnSync(STRACE, ['-e', 'trace=none', '/bin/true'], { encoding: 'utf8' })
  return tried.status === 0 ? null : `strace may not trace here: ${tried.stderr.trim().split('\n')[0] ?? ''}`
}

export interface Tracer {
  detach(): Promise<void>
}

/** Traces a running process and all its threads; resolves once every further system call is recorded. */
export async function attach(pid: number, args: readonly string[]): Promise<Tracer> {
  const strace = spawn(STRACE, ['-f', ...args, '-p', String(pid)], { stdio: ['ignore', 'ignore', 'pipe'] })
  await waitForOutput(strace, /Process \d+ attached/)
  return {
    async detach() {
      if (strace.exitCode !== null || strace.signalCode !== null) throw new Error('strace detached too early')
      const exited = once(strace, 'exit')
      // SIGINT makes strace detach from a process that it did not start.
      strace.kill('SIGINT')
      await exited
    },
  }
}

/**
 * Returns the system calls of the process's main thread in order, one per line; `prefix` is that of strace's `-ff -o`.
 */
export const callsOf = async (prefix: string, pid: number): Promise<string[]> =>
  (await readFile(`${prefix}.${pid}`, 'latin1')).split('\n')
