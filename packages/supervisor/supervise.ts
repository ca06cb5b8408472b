import { createInterface } from 'node:readline'
import { readEnding } from '../../contracts/core/program.ts'
import type { Exit, ServiceProcess } from './service.ts'

/** Exit code of a process that ended normally and requests an immediate restart. */
export const RESTART_EXIT_CODE = 10
/** Exit code of a process that ended normally so that the whole program restarts, because another version is due. */
export const UPDATE_EXIT_CODE = 11

/**
 * Exit codes that a restart cannot fix: bad arguments or profile (2), data folder held by another terminal (3),
 * existing data missing (4), another version due.
 */
const FINAL_EXIT_CODES: ReadonlySet<number | null> = new Set([2, 3, 4, UPDATE_EXIT_CODE])

export interface SuperviseOptions<Ready> {
  readonly name: string
  readonly launch: (previous: Ready | null) => ServiceProcess
  /** Parses the JSON line that the process prints when it is ready. Throws on any other line. */
  readonly parseReady: (line: string) => Ready
  readonly onLine?: (line: string) => void
  readonly onRestart?: (exit: Exit, delayMs: number) => void
  readonly onUp?: () => void
  readonly otherAfter?: (failure: ServiceFailure) => boolean
  readonly onReadyAgain?: (ready: Ready) => void
  readonly onAnotherReady?: (ready: Ready) => void
  readonly readyTimeoutMs?: number
  readonly stopTimeoutMs?: number
  readonly endingTimeoutMs?: number
  readonly backoffMs?: (attempt: number) => number
  readonly steadyMs?: number
}

export interface Supervised<Ready> {
  readonly ready: Ready
  readonly failed: Promise<ServiceFailure>
  readonly pid: () => number | undefined
  stop(): Promise<void>
}

/** A supervised process that did not start, or ended in a way that a restart cannot fix. */
export class ServiceFailure extends Error {
  readonly exit: Exit | null
  readonly lastLines: readonly string[]
  constructor(message: string, exit: Exit | null, lastLines: readonly string[]) {
    super(message)
    this.name = 'ServiceFailure'
    this.exit = exit
    this.lastLines = lastLines
  }
}

const describeExit = (exit: Exit): string => (exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`)
const doubling = (attempt: number): number => Math.min(250 * 2 ** attempt, 10_000)

/**
 * Resolves with how a process ended. A process that announced its exit code and hangs is killed, and counts as ended
 * with that code. `onLine` receives every other line of its standard output.
 */
function exitOf(child: ServiceProcess, timeoutMs: number, onLine: (line: string) => void): Promise<Exit> {
  let announced: number | null = null
  let timer: NodeJS.Timeout | undefined
  createInterface({ input: child.stdout }).on('line', (line) => {
    const code = readEnding(line)
    if (code === null) {
      onLine(line)
      return
    }
    announced = code
    timer = setTimeout(() => child.kill(), timeoutMs)
  })
  return child.exited.then((exit) => {
    clearTimeout(timer)
    return announced === null ? exit : { code: announced, signal: null }
  })
}

/**
 * Starts a process, waits until it is ready, and keeps it running until `stop`. Retries a failed first start only if
 * `otherAfter` requests it, so that the caller can report it. Rejects with a ServiceFailure.
 */
export async function supervise<Ready>(options: SuperviseOptions<Ready>): Promise<Supervised<Ready>> {
  const supervisor = new Supervisor(options)
  const ready = await supervisor.begin(null)
  const watching = supervisor.keepRunning(ready)
  return {
    ready,
    failed: supervisor.failure.promise,
    pid: () => supervisor.pid,
    stop: () => supervisor.stop(watching),
  }
}

class Supervisor<Ready> {
  readonly failure = Promise.withResolvers<ServiceFailure>()
  private readonly options: SuperviseOptions<Ready>
  private readonly lastLines: string[] = []
  private readonly wake = Promise.withResolvers<void>()
  private stopping = false
  private current: { readonly child: ServiceProcess; readonly exited: Promise<Exit> } | null = null

  constructor(options: SuperviseOptions<Ready>) {
    this.options = options
  }

  get pid(): number | undefined {
    return this.current?.child.pid
  }

  /** If the process does not start with other arguments either, the first failure is reported. */
  async begin(previous: Ready | null): Promise<Ready> {
    let first: ServiceFailure | null = null
    for (;;) {
      try {
        const ready = await this.beginOnce(previous)
        this.options.onUp?.()
        return ready
      } catch (error) {
        if (!(error instanceof ServiceFailure)) throw error
        if (this.stopping || this.options.otherAfter?.(error) !== true) throw first ?? error
        first ??= error
      }
    }
  }

  private async beginOnce(previous: Ready | null): Promise<Ready> {
    const { name, parseReady, launch, onLine, readyTimeoutMs = 300_000, endingTimeoutMs = 5_000 } = this.options
    this.lastLines.length = 0
    const child = launch(previous)
    let isReady = false
    const first = Promise.withResolvers<string>()
    const exited = exitOf(child, endingTimeoutMs, (line) => {
      if (isReady) this.notifyMore(line)
      isReady = true
      first.resolve(line)
    })
    this.current = { child, exited }
    if (this.stopping) child.stop()
    createInterface({ input: child.stderr }).on('line', (line) => {
      this.lastLines.push(line)
      if (this.lastLines.length > 20) this.lastLines.shift()
      onLine?.(line)
    })
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<'timeout'>((resolve) => {
      timer = setTimeout(resolve, readyTimeoutMs, 'timeout')
    })
    const outcome = await Promise.race([first.promise.then((line) => ({ line })), exited, timeout])
    clearTimeout(timer)
    if (outcome === 'timeout') {
      child.kill()
      await exited
      throw this.failureOf(`The ${name} did not become ready within ${readyTimeoutMs / 1000} s.`, null)
    }
    if (!('line' in outcome))
      throw this.failureOf(`The ${name} ended before being ready (${describeExit(outcome)}).`, outcome)
    try {
      return parseReady(outcome.line)
    } catch {
      child.kill()
      await exited
      throw this.failureOf(`The ${name} printed an unexpected message when it was ready.`, null)
    }
  }

  private failureOf(message: string, exit: Exit | null): ServiceFailure {
    return new ServiceFailure(message, exit, [...this.lastLines])
  }

  private notifyMore(line: string): void {
    let more: Ready
    try {
      more = this.options.parseReady(line)
    } catch {
      return
    }
    this.options.onAnotherReady?.(more)
  }

  async keepRunning(ready: Ready): Promise<void> {
    const { name, backoffMs = doubling, steadyMs = 30_000 } = this.options
    let attempt = 0
    let since = performance.now()
    let exit = await this.current?.exited
    while (!this.stopping && exit !== undefined) {
      if (FINAL_EXIT_CODES.has(exit.code)) {
        this.failure.resolve(this.failureOf(`The ${name} ended and cannot start again (${describeExit(exit)}).`, exit))
        return
      }
      if (performance.now() - since >= steadyMs) attempt = 0
      const delayMs = exit.code === RESTART_EXIT_CODE ? 0 : backoffMs(attempt++)
      this.options.onRestart?.(exit, delayMs)
      await this.pause(delayMs)
      if (this.stopping) return
      since = performance.now()
      try {
        const again = await this.begin(ready)
        this.options.onReadyAgain?.(again)
        exit = await this.current?.exited
      } catch (error) {
        exit = error instanceof ServiceFailure && error.exit !== null ? error.exit : await this.current?.exited
      }
    }
  }

  private async pause(delayMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const passed = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, delayMs)
    })
    await Promise.race([passed, this.wake.promise])
    clearTimeout(timer)
  }

  async stop(watching: Promise<void>): Promise<void> {
    this.stopping = true
    this.wake.resolve()
    const child = this.current?.child
    child?.stop()
    const timer = setTimeout(() => child?.kill(), this.options.stopTimeoutMs ?? 10_000)
    await watching
    await this.current?.exited
    clearTimeout(timer)
  }
}
