import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'

/** A program of this repository that prints one line of JSON when it is ready. */
export interface LaunchedProcess<Ready = unknown> {
  readonly child: ChildProcessWithoutNullStreams
  readonly pid: number
  /**
   * The parsed first line of output. Rejects with the process’s log if the process ends before, or if the first line
   * reports that it cannot start.
   */
  readonly ready: Promise<Ready>
  /** Resolves when the process ends, with its exit code or the name of the signal. */
  readonly ended: Promise<number | string>
  next(): Promise<unknown>
  /**
   * Writes a request to the process’s standard input and returns the next line of output. Requests run one after the
   * other.
   */
  ask(request: string): Promise<unknown>
  log(): string
  kill(): Promise<void>
  /**
   * Sends SIGTERM or another signal to the process. After SIGTERM, rejects unless the process ends in time with exit
   * code 0.
   */
  stop(signal?: NodeJS.Signals): Promise<void>
  /** Closes the process’s standard input. Rejects if the exit code is not 0. */
  end(): Promise<void>
}

export interface RunningProcess<Ready> extends Omit<LaunchedProcess, 'ready'> {
  readonly ready: Ready
}

export interface LaneReady {
  readonly url: string
  readonly launchUrl: string
}

const STOP_WITHIN_MS = 15_000
/** As the launcher of an installed lane does: Node 24 may crash in its compiler threads (nodejs/node#60755). */
const NODE_FLAGS = ['--no-concurrent-sparkplug']

/** Starts a Node program. `env` is added to the environment of this process. */
export function launch<Ready>(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): LaunchedProcess<Ready> {
  const child = spawn(process.execPath, [...NODE_FLAGS, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  const name = args.join(' ')
  let log = ''
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString()
  })
  // A killed process closes its standard input: ignore the error of a write to it.
  child.stdin.on('error', () => undefined)
  const ended = once(child, 'exit').then(([code, signal]: unknown[]) => (code ?? signal) as number | string)
  const lines = createInterface({ input: child.stdout })
  const next = async (): Promise<unknown> => JSON.parse(String((await once(lines, 'line'))[0]))
  const endedEarly = ended.then((end) => {
    throw new Error(`${name} ended with ${end} before it was ready:\n${log}`)
  })
  const ready = Promise.race([next(), endedEarly]).then((line) =>
    // A backend that cannot start prints a line with `ending` instead of the ready line.
    typeof line === 'object' && line !== null && 'ending' in line ? endedEarly : (line as Ready),
  )
  for (const promise of [endedEarly, ready]) promise.catch(() => undefined)
  const exitedCleanly = async (): Promise<void> => {
    const end = await ended
    if (end !== 0) throw new Error(`${name} ended with ${end} after the request to stop:\n${log}`)
  }
  async function answerAfter(before: Promise<unknown>, request: string): Promise<unknown> {
    await before
    const answer = next()
    child.stdin.write(`${request}\n`)
    return answer
  }
  let asked: Promise<unknown> = Promise.resolve()
  return {
    child,
    pid: child.pid ?? 0,
    ready,
    ended,
    next,
    ask(request) {
      const answer = answerAfter(asked, request)
      asked = answer.catch(() => undefined)
      return answer
    },
    log: () => log,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill(signal)
      const stuck = setTimeout(() => {
        log += `\nthe process did not stop within ${STOP_WITHIN_MS} ms`
        child.kill('SIGKILL')
      }, STOP_WITHIN_MS)
      await (signal === 'SIGTERM' ? exitedCleanly() : ended).finally(() => clearTimeout(stuck))
    },
    async end() {
      child.stdin.end()
      await exitedCleanly()
    },
  }
}

/** Starts a Node program like `launch`, but resolves once it is ready. */
export async function start<Ready>(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<RunningProcess<Ready>> {
  const launched = launch<Ready>(args, env)
  return { ...launched, ready: await launched.ready }
}

export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a Node program to its end. `env` is its whole environment; default: the environment of this process. */
export async function run(
  args: readonly string[],
  { typed = '', cwd, env = process.env }: { typed?: string; cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Outcome> {
  const child = spawn(process.execPath, [...NODE_FLAGS, ...args], { stdio: ['pipe', 'pipe', 'pipe'], cwd, env })
  // A program that refuses its arguments may end before it reads its input.
  child.stdin.on('error', () => undefined)
  child.stdin.end(typed)
  const [output, errorOutput, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ])
  return { code, stdout: output, stderr: errorOutput }
}
