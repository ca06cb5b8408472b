import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { waitForOutput } from './wait-for-output.ts'

const STRACE = '/usr/bin/strace'

/** Why system calls cannot be watched or failed here; null when they can. */
export function noTracer(): string | null {
  if (!existsSync(STRACE)) return 'strace is not installed'
  const tried = spawnSync(STRACE, ['-e', 'trace=none', '/bin/true'], { encoding: 'utf8' })
  return tried.status === 0 ? null : `strace may not trace here: ${tried.stderr.trim().split('\n')[0] ?? ''}`
}

export interface Tracer {
  /** Lets the process go on untraced. */
  detach(): Promise<void>
}

/** Traces a process that runs already, all its threads; answers once every system call from now on is seen. */
export async function attach(pid: number, args: readonly string[]): Promise<Tracer> {
  const strace = spawn(STRACE, ['-f', ...args, '-p', String(pid)], { stdio: ['ignore', 'ignore', 'pipe'] })
  await waitForOutput(strace, /Process \d+ attached/)
  return {
    async detach() {
      if (strace.exitCode !== null || strace.signalCode !== null) throw new Error('strace let go before its time')
      const exited = once(strace, 'exit')
      // SIGINT is strace's own word for letting go of a process that it did not start.
      strace.kill('SIGINT')
      await exited
    },
  }
}

/** What the process's main thread did, one system call a line, in order; `prefix` as given to `-ff -o`. */
export const callsOf = async (prefix: string, pid: number): Promise<string[]> =>
  (await readFile(`${prefix}.${pid}`, 'latin1')).split('\n')
