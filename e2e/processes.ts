import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A real process that says on its first line of standard output that it is ready. */
export interface RunningProcess<Ready> {
  readonly ready: Ready
  readonly child: ChildProcess
  /** What it prints next on standard output, read as the first line was. */
  next(): Promise<Ready>
  /** Everything that it wrote to standard error so far. */
  log(): string
  stop(signal?: NodeJS.Signals): Promise<void>
}

const STOP_WITHIN_MS = 15_000

export async function start<Ready>(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<RunningProcess<Ready>> {
  const child = spawn(process.execPath, [...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  })
  let log = ''
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString()
  })
  const lines = createInterface({ input: child.stdout })
  const gone = once(child, 'exit').then(([code]: unknown[]) => {
    throw new Error(`${args.join(' ')} ended with ${String(code)} before it was ready:\n${log}`)
  })
  const [line] = await Promise.race([once(lines, 'line'), gone])
  gone.catch(() => undefined)
  return {
    ready: JSON.parse(String(line)) as Ready,
    child,
    next: async () => JSON.parse(String((await once(lines, 'line'))[0])) as Ready,
    log: () => log,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill(signal)
      // A process that does not stop when asked is a defect: it is ended, and the scenario fails with what it said.
      const stuck = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS)
      const [code, ended] = (await exited) as [number | null, NodeJS.Signals | null]
      clearTimeout(stuck)
      if (signal === 'SIGTERM' && ended === 'SIGKILL')
        throw new Error(`${args.join(' ')} did not stop within ${STOP_WITHIN_MS} ms:\n${log}`)
      if (signal === 'SIGTERM' && code !== 0)
        throw new Error(`${args.join(' ')} was asked to stop and ended with ${code ?? ended}:\n${log}`)
    },
  }
}
