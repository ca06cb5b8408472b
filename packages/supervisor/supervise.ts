import { createInterface } from 'node:readline'
import { readEnding } from '../../contracts/core/program.ts'
import type { Exit, ServiceProcess } from './service.ts'

/** It ended in order, to be started again at once. */
export const RESTART_EXIT_CODE = 10
/** It ended in order, so that the program is started anew as a whole: another version is due. */
export const UPDATE_EXIT_CODE = 11

/**
 * Ends of a process that another start of it cannot mend: bad arguments or profile (2), data folder held by another
 * terminal (3), data missing that was there (4), another version due.
 */
const FINAL_EXIT_CODES: ReadonlySet<number | null> = new Set([2, 3, 4, UPDATE_EXIT_CODE])

export interface SuperviseOptions<Ready> {
  /** For messages: "backend", "central services". */
  readonly name: string
  /**
   * Starts the process. `previous` is what it said when it was last ready, so that it can be given the same port again.
   */
  readonly launch: (previous: Ready | null) => ServiceProcess
  /** Reads the one JSON line that the process prints on standard output when it is ready. Throws on anything else. */
  readonly parseReady: (line: string) => Ready
  /** Every line of standard error, in order. */
  readonly onLine?: (line: string) => void
  /** It ended although nobody asked for it, and starts again after `delayMs`. */
  readonly onRestart?: (exit: Exit, delayMs: number) => void
  /** It is ready, at each of its starts. */
  readonly onUp?: () => void
  /** It ended before it was ready. True: another start at once would be given other arguments. */
  readonly otherAfter?: (failure: ServiceFailure) => boolean
  /** It is ready again after a restart. */
  readonly onReadyAgain?: (ready: Ready) => void
  /** It said more on standard output after it was ready, in the same words: another way in. */
  readonly onSaidMore?: (ready: Ready) => void
  readonly readyTimeoutMs?: number
  readonly stopTimeoutMs?: number
  /** So long may a process take to end after it has said that it does. */
  readonly endingTimeoutMs?: number
  /** Wait before restart number n (from 0), in milliseconds. */
  readonly backoffMs?: (attempt: number) => number
  /** Up for this long, the next end counts as the first again. */
  readonly steadyMs?: number
}

export interface Supervised<Ready> {
  readonly ready: Ready
  /** Settles when the process has ended for good and nobody asked it to. */
  readonly failed: Promise<ServiceFailure>
  readonly pid: () => number | undefined
  /** Stops the process and waits for its end. Safe to call twice. */
  stop(): Promise<void>
}

/** A supervised process that did not come up, or ended in a way that a restart cannot mend. */
export class ServiceFailure extends Error {
  readonly exit: Exit | null
  /** What it last wrote on standard error, newest last. */
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
 * How a process ended. One that has said so and hangs is killed, and ended as it said. `onLine` is given every other
 * line of its standard output.
 */
function exitOf(child: ServiceProcess, timeoutMs: number, onLine: (line: string) => void): Promise<Exit> {
  let said: number | null = null
  let timer: NodeJS.Timeout | undefined
  createInterface({ input: child.stdout }).on('line', (line) => {
    const code = readEnding(line)
    if (code === null) {
      onLine(line)
      return
    }
    said = code
    timer = setTimeout(() => child.kill(), timeoutMs)
  })
  return child.exited.then((exit) => {
    clearTimeout(timer)
    return said === null ? exit : { code: said, signal: null }
  })
}

/**
 * Starts a process, waits until it says that it is ready, and keeps it running until `stop`.
 * A first start that fails is not repeated: whoever started it is still there to read why. Rejects with a
 * ServiceFailure.
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

  /** Where other arguments do no better, the first failure is the one to be told. */
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
      throw this.failureOf(`The ${name} said something else than its address when it was ready.`, null)
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
      // Whatever else a program prints is nobody's address.
      return
    }
    this.options.onSaidMore?.(more)
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

  /** Until the time has passed, or it is stopped. */
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
